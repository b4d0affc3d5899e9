"""A policy on another machine: the interface of a policy, with deadlines and a connection that comes back."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import numpy as np

from policies.base import Observation, PolicySpec, check_actions
from policies.wire import LIMIT, PROTOCOL, TOKEN_VARIABLE, WireError, pack, unpack
from twinloom.errors import TwinloomError, require

if TYPE_CHECKING:
    from websockets.sync.client import ClientConnection

TIMESTAMP = "timestamp"  # goes along with every observation, for policies that follow a plan


class PolicyUnavailableError(TwinloomError):
    """No answer: the server is gone, or took too long. Keep the robot safe and ask again; the connection is renewed."""


class PolicyClient:
    """Talks to ``policies serve``. Blocking; use one object per episode at a time, from any thread.

    After a lost connection or a deadline the next call connects again, at most every ``retry`` seconds, and repeats
    the reset. Answers that come too late are dropped, never taken for the answer to a later question.

    Args:
        url: "ws://host:port".
        token: what the server was started with; None is the one in the environment variable POLICY_TOKEN, if any.
        timeout: seconds for one answer.
        connect_timeout: seconds for the connection and the greeting.
        retry: seconds between attempts to connect; calls in between fail at once.
        limit: bytes of the largest message that is accepted.

    Attributes:
        spec: of the policy.
        inference_s: seconds the last answer took on the server.

    Raises:
        PolicyUnavailableError: nothing listens there.
        TwinloomError: the token is wrong, or it is no policy server of ours.
    """

    def __init__(
        self,
        url: str,
        token: str | None = None,
        *,
        timeout: float = 1.0,
        connect_timeout: float = 5.0,
        retry: float = 0.5,
        limit: int = LIMIT,
    ) -> None:
        self.url, self.timeout, self.connect_timeout, self.retry = url, timeout, connect_timeout, retry
        token = os.environ.get(TOKEN_VARIABLE) if token is None else token
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._limit = limit
        self._lock = threading.Lock()
        self._connection: ClientConnection | None = None
        self._asker: ThreadPoolExecutor | None = None
        self._number = 0
        self._not_before = 0.0
        self._was_reset = False
        self.inference_s = 0.0
        self.spec = self._connect()

    def reset(self) -> None:
        """A new episode begins. Raises PolicyUnavailableError or, where the policy cannot begin, TwinloomError."""
        with self._lock:
            self._ensure()
            self._was_reset = True
            self._ask({"type": "reset"}, "ready", max(self.timeout, self.connect_timeout))  # an expert plans now

    def act(self, observation: Observation) -> np.ndarray:
        """The next actions, (horizon, action_dim) float64, checked to be finite.

        Args:
            observation: arrays of ``spec.observation``; others but the timestamp are not sent.

        Raises:
            PolicyUnavailableError: no answer in time.
            TwinloomError: the server refused the observation, or its policy failed.
        """
        names = [name for name in (*self.spec.observation, TIMESTAMP) if name in observation]
        message = {"type": "act", "observation": {name: np.asarray(observation[name]) for name in names}}
        with self._lock:
            self._ensure()
            answer = self._ask(message, "actions", self.timeout)
        self.inference_s = float(answer.get("seconds", 0.0))
        return check_actions(self.spec, answer.get("actions"))

    def submit(self, observation: Observation) -> Future[np.ndarray]:
        """As act, without waiting: the future has the actions, or the error. Questions are answered in turn."""
        if self._asker is None:
            self._asker = ThreadPoolExecutor(1, "policy-client")
        return self._asker.submit(self.act, observation)

    def close(self) -> None:
        """Say goodbye; the object connects again when it is used again."""
        if self._asker is not None:
            self._asker.shutdown(wait=True, cancel_futures=True)
            self._asker = None
        with self._lock:
            self._drop()

    def __enter__(self) -> PolicyClient:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # ------------------------------------------------------------ connection

    def _ensure(self) -> None:
        """Be connected to the same policy as before, reset if it was."""
        if self._connection is not None:
            return
        if time.monotonic() < self._not_before:
            raise PolicyUnavailableError(
                f"not connected to the policy at {self.url}; it is tried again every {self.retry} s"
            )
        found = self._connect()
        if found != self.spec:
            self._drop()
            raise TwinloomError(
                f"the server at {self.url} now serves another policy ({found.kind}); start the robot anew"
            )
        if self._was_reset:
            self._ask({"type": "reset"}, "ready", max(self.timeout, self.connect_timeout))

    def _connect(self) -> PolicySpec:
        """Open the connection and read the greeting."""
        client = require("websockets.sync.client", "serve")
        exceptions = require("websockets.exceptions", "serve")
        self._not_before = time.monotonic() + self.retry
        try:
            self._connection = client.connect(
                self.url,
                additional_headers=self._headers,
                open_timeout=self.connect_timeout,
                close_timeout=1,
                max_size=self._limit,
                compression=None,
                proxy=None,  # robots talk to a machine on their own network
            )
        except exceptions.InvalidStatus as error:
            status = error.response.status_code
            text = "wrong or missing token" if status == 401 else f"it answered HTTP {status}"
            raise TwinloomError(f"the policy server at {self.url} refused: {text}") from error
        except (exceptions.InvalidURI, ValueError) as error:
            raise TwinloomError(
                f'"{self.url}" is no address of a policy server; it looks like ws://host:8765'
            ) from error
        except (OSError, TimeoutError, exceptions.InvalidHandshake) as error:
            raise PolicyUnavailableError(f"no policy server at {self.url} ({error}); start: policies serve") from error
        hello = self._receive(time.monotonic() + self.connect_timeout)
        if hello.get("type") != "hello" or hello.get("protocol") != PROTOCOL:
            self._drop()
            raise TwinloomError(f"{self.url} speaks protocol {hello.get('protocol')!r}, this version speaks {PROTOCOL}")
        try:
            return PolicySpec.from_json(hello["spec"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            self._drop()
            raise TwinloomError(f"{self.url} describes its policy in a way this version does not know") from error

    def _ask(self, message: Mapping[str, Any], wanted: str, timeout: float) -> dict[str, Any]:
        """Send and wait for the answer with the same number."""
        from websockets.exceptions import ConnectionClosed

        assert self._connection is not None
        self._number += 1
        data = pack({**message, "id": self._number})
        deadline = time.monotonic() + timeout
        try:
            self._connection.send(data)
        except ConnectionClosed as error:
            self._drop()
            raise PolicyUnavailableError(f"the policy server at {self.url} went away ({error})") from error
        answer = self._receive(deadline)
        if answer.get("type") == "error":
            raise TwinloomError(f"policy server: {answer.get('error')}")
        if answer.get("type") != wanted or answer.get("id") != self._number:
            self._drop()
            raise PolicyUnavailableError(f"the policy server at {self.url} answered out of turn; connecting anew")
        return answer

    def _receive(self, deadline: float) -> dict[str, Any]:
        """The next message; the connection is given up where none comes in time, since its answer would come later."""
        from websockets.exceptions import ConnectionClosed

        assert self._connection is not None
        try:
            return unpack(self._connection.recv(timeout=max(0.0, deadline - time.monotonic())))
        except TimeoutError as error:
            self._drop()
            raise PolicyUnavailableError(f"no answer from the policy at {self.url} in time; connecting anew") from error
        except (ConnectionClosed, OSError) as error:
            self._drop()
            raise PolicyUnavailableError(f"the policy server at {self.url} went away ({error})") from error
        except WireError as error:
            self._drop()
            raise TwinloomError(f"{self.url} is no policy server of ours: {error}") from error

    def _drop(self) -> None:
        """Forget the connection. Closing may wait for the other side, which may be the one that hangs: not here."""
        connection, self._connection = self._connection, None
        if connection is not None:
            threading.Thread(target=connection.close, daemon=True).start()
