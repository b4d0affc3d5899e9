"""``policies serve``: a policy answers observations over a websocket, for robots whose computer cannot run it."""

from __future__ import annotations

import asyncio
import hmac
import http
import ipaddress
import logging
import signal
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response

from policies.base import Policy, check_actions, check_observation
from policies.wire import HEALTH, LIMIT, PROTOCOL, WireError, pack, unpack
from twinloom.errors import TwinloomError
from twinloom.machine import versions

GARBAGE, BUSY = 1007, 1013  # websocket close codes: invalid data; try again later


@dataclass(frozen=True)
class Address:
    """Where to listen, and for whom.

    Attributes:
        host: name or number of an interface; the default is reached from this machine alone.
        port: 0 takes a free one.
        token: what a client must send as "Authorization: Bearer TOKEN"; None lets every client in.
        limit: bytes of the largest message that is accepted.
        clients: most connections at a time.
    """

    host: str = "127.0.0.1"
    port: int = 0
    token: str | None = None
    limit: int = LIMIT
    clients: int = 8

    def __post_init__(self) -> None:
        """Raises TwinloomError for an address that is reached from other machines without a token."""
        if self.token is None and not _loopback(self.host):
            raise TwinloomError(
                f"--host {self.host} is reached from other machines, which could then drive the policy: "
                "give a --token-file, or listen on 127.0.0.1 and use an SSH tunnel"
            )
        if not 0 <= self.port <= 65535 or self.clients < 1 or self.limit < 1024:
            raise TwinloomError(f"port {self.port}: 0 to 65535; clients {self.clients}: from 1; limit: from 1024 bytes")


def _loopback(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _logger() -> logging.Logger:
    """Says what goes wrong in the server, but not who came and spoke no websocket: probes of a port are no event."""
    logger = logging.getLogger("policies.serve")
    logger.addFilter(_is_event)
    return logger


def _is_event(record: logging.LogRecord) -> bool:
    return record.msg != "opening handshake failed"


class PolicyServer:
    """Serves one policy; every connection gets an object of its own, so clients do not share memory of an episode.

    Args:
        make: makes a fresh policy; called once at the start and once a connection.
        address: where to listen.

    Attributes:
        spec: of the policy.
    """

    def __init__(self, make: Callable[[], Policy], address: Address) -> None:
        self._make, self.address = make, address
        self._spare: Policy | None = make()
        self.spec = self._spare.spec
        self._hello = pack({"type": "hello", "protocol": PROTOCOL, "spec": self.spec.to_json(), "server": versions()})
        self._worker = ThreadPoolExecutor(1, "policy")  # inference off the loop, which answers pings meanwhile
        self._clients = 0
        self._server: Server | None = None

    @property
    def port(self) -> int:
        """The port it listens on."""
        assert self._server is not None
        return next(iter(self._server.sockets)).getsockname()[1]

    async def __aenter__(self) -> PolicyServer:
        """Raises TwinloomError if the address cannot be had."""
        try:
            self._server = await serve(
                self._talk,
                self.address.host,
                self.address.port,
                process_request=self._admit,
                max_size=self.address.limit,
                max_queue=2,  # messages that wait, of one client
                origins=[None],  # a page in a browser names its origin, and is none of ours
                logger=_logger(),
                compression=None,  # images do not get smaller, answers only later
            )
        except OSError as error:
            where = f"{self.address.host}:{self.address.port}"
            raise TwinloomError(
                f"cannot listen on {where}: {error.strerror or error}; choose another --port"
            ) from error
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()
        self._worker.shutdown(wait=True, cancel_futures=True)

    def _admit(self, connection: ServerConnection, request: Request) -> Response | None:
        """Health for anybody, a conversation for those with the token."""
        if request.path == HEALTH:
            return connection.respond(http.HTTPStatus.OK, "ok\n")
        if self.address.token is not None:
            given = request.headers.get("Authorization", "").encode(errors="surrogateescape")
            if not hmac.compare_digest(given, f"Bearer {self.address.token}".encode()):
                return connection.respond(http.HTTPStatus.UNAUTHORIZED, "wrong or missing token\n")
        if request.path != "/":
            return connection.respond(http.HTTPStatus.NOT_FOUND, f"there are / and {HEALTH}\n")
        return None

    async def _talk(self, connection: ServerConnection) -> None:
        if self._clients >= self.address.clients:
            await connection.close(BUSY, f"{self.address.clients} clients are connected already")
            return
        self._clients += 1
        try:
            loop = asyncio.get_running_loop()
            policy, self._spare = self._spare or await loop.run_in_executor(self._worker, self._make), None
            await connection.send(self._hello)
            async for data in connection:
                try:
                    message = unpack(data)
                except WireError as error:
                    await connection.send(pack({"type": "error", "id": None, "error": str(error)}))
                    await connection.close(GARBAGE, "no message of ours")
                    return
                await connection.send(await loop.run_in_executor(self._worker, answer, policy, message))
        except ConnectionClosed:
            pass  # a client that goes away without a word is no event
        finally:
            self._clients -= 1


def answer(policy: Policy, message: dict[str, Any]) -> bytes:
    """The packed reply to one message. What goes wrong is told to the client; the server goes on."""
    number = message.get("id")
    number = number if isinstance(number, int) else None
    try:
        if message["type"] == "reset":
            policy.reset()
            return pack({"type": "ready", "id": number})
        if message["type"] != "act":
            raise TwinloomError(f'unknown message "{message["type"][:40]}"; there are reset and act')
        observation = message.get("observation")
        if not isinstance(observation, dict):
            raise TwinloomError("an act needs an observation, a map of names to arrays")
        check_observation(policy.spec, observation)
        started = time.perf_counter()
        actions = check_actions(policy.spec, policy.act(observation))
        return pack({"type": "actions", "id": number, "actions": actions, "seconds": time.perf_counter() - started})
    except TwinloomError as error:
        return pack({"type": "error", "id": number, "error": str(error)})
    except Exception as error:  # a defect of the policy must reach the robot as an error, not as silence
        return pack({"type": "error", "id": number, "error": f"{type(error).__name__}: {error}"})


def run(make: Callable[[], Policy], address: Address, announce: Callable[[PolicyServer], None]) -> None:
    """Serve until SIGINT or SIGTERM; connections are then closed in order.

    Args:
        announce: called when the server listens.

    Raises:
        TwinloomError: the address cannot be had.
    """

    async def body() -> None:
        stop = asyncio.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            asyncio.get_running_loop().add_signal_handler(number, stop.set)
        async with PolicyServer(make, address) as server:
            announce(server)
            await stop.wait()

    asyncio.run(body())
