"""A policy in a process of its own: neither its thinking nor its death stops the loop that commands the robot."""

from __future__ import annotations

import os
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from typing import Any

import numpy as np

from policies.base import Policy, PolicySpec, check_actions, check_observation
from real import signals
from real.contract import RobotContract, load_contract
from real.policy.motions import MOTIONS, Motion
from real.stack import processes
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.features import IMAGES, STATE, TIMESTAMP

LOAD_S = 120.0  # a large network, a planner


@dataclass(frozen=True)
class Chunk:
    """What a policy said.

    Attributes:
        actions: (H, A) in the order of the policy's names.
        observed: monotonic time of the observation; ``begun``, ``ended`` of the inference.
        number: how many came before it in this episode.
    """

    actions: np.ndarray
    observed: float
    begun: float
    ended: float
    number: int


def make_policy(reference: str, contract: RobotContract, options: dict[str, Any]) -> Policy:
    """The policy of a reference: "hold", "wave", "expert:<task>", a ws:// address or a checkpoint folder.

    Raises:
        TwinloomError: there is none such.
    """
    if reference in MOTIONS:
        return Motion(contract, reference)
    if reference.startswith(("ws://", "wss://")):
        from real.policy.client import PolicyClient

        return PolicyClient(reference)
    import policies

    if reference.startswith("expert:"):
        return policies.load(reference, robot=contract.model, **options)
    return policies.load(reference)


def check_robot(spec: PolicySpec, contract: RobotContract, reference: str) -> None:
    """Refuse a policy that was made for another robot.

    Raises:
        TwinloomError: another robot model, other joints, or observations that this robot does not make; one line.
    """
    if spec.robot is not None and contract.model is not None and spec.robot != contract.model:
        raise TwinloomError(f"policy {reference} is for robot {spec.robot}, this is {contract.model} ({contract.name})")
    lacking = [name for name in spec.action.names if name not in contract.index]
    if lacking or len(spec.action.names) != len(contract.names):
        detail = f"; {contract.name} has no {', '.join(lacking[:3])}" if lacking else ""
        raise TwinloomError(
            f"policy {reference} commands {len(spec.action.names)} joints, {contract.name} has"
            f" {len(contract.names)}{detail}"
        )
    problems = []
    cameras = {camera.name for camera in contract.cameras}
    for name, feature in spec.observation.items():
        camera = name.removeprefix(IMAGES)
        if name == STATE:
            problems += [f"no joint {joint}" for joint in feature.names if joint not in contract.index]
        elif camera != name:
            problems += [] if camera in cameras else [f"no camera {camera}"]
        elif name != TIMESTAMP:
            problems.append(f"no observation {name}")
    if problems:
        raise InvalidSettingsError(f"{contract.name} does not fit policy {reference}", problems)


class PolicyProcess:
    """Asks a policy without waiting for it.

    Args:
        reference, options: see make_policy.
        robot: name or path of the robot file.
        give_up: asked while it loads; true ends the waiting.

    Raises:
        TwinloomError: the policy cannot be loaded or is not for this robot; the text is the child's.
        StoppedError: ``give_up`` was true.
    """

    def __init__(
        self, reference: str, robot: str, options: dict[str, Any], give_up: Callable[[], bool] = lambda: False
    ) -> None:
        self._pipe, theirs = Pipe()
        command = [sys.executable, "-m", "real.policy.inference", str(theirs.fileno())]
        self._child = processes.start(command, processes.clean_environment(), pass_fds=[theirs.fileno()])
        theirs.close()
        self._busy = True
        self._pipe.send((reference, robot, options))
        end = time.monotonic() + LOAD_S
        while True:
            if give_up():
                self.close()
                raise signals.StoppedError(f"policy {reference} was still being loaded")
            if self._pipe.poll(0.1):
                break
            if time.monotonic() > end:
                self.close()
                raise TwinloomError(f"policy {reference} was not loaded within {LOAD_S:g} s")
        try:
            self.spec: PolicySpec = self._receive()
        except TwinloomError:
            self.close()
            raise
        self._number = 0

    @property
    def busy(self) -> bool:
        """Whether an answer is awaited."""
        return self._busy

    def reset(self) -> None:
        """Begin an episode; answered by a `poll` that returns None and leaves the policy idle."""
        self._number = 0
        self._send(("reset", None, 0.0))

    def ask(self, observation: dict[str, np.ndarray], observed: float) -> None:
        """Ask for a chunk; only when not busy."""
        self._send(("act", observation, observed))

    def poll(self) -> Chunk | None:
        """The chunk if it has come.

        Raises:
            TwinloomError: the policy failed or its process is gone.
        """
        if not self._busy or not self._pipe.poll(0):
            return None
        answer = self._receive()
        if answer is None:
            return None
        self._number += 1
        return Chunk(*answer, number=self._number - 1)

    def close(self) -> None:
        """End the process."""
        self._pipe.close()
        processes.stop(self._child, (0.5, 1.0, 5.0))

    def _send(self, message: Any) -> None:
        assert not self._busy
        try:
            self._pipe.send(message)
        except OSError as error:
            raise TwinloomError(f"the policy process is gone ({error})") from error
        self._busy = True

    def _receive(self) -> Any:
        try:
            answer = self._pipe.recv()
        except (EOFError, OSError) as error:
            code = self._child.wait(5)
            raise TwinloomError(f"the policy process ended with {_how(code)}") from error
        self._busy = False
        if isinstance(answer, BaseException):
            raise answer
        return answer


def _how(code: int) -> str:
    return f"signal {-code}" if code < 0 else f"exit code {code}"


def _serve(pipe: Connection) -> None:
    reference, robot, options = pipe.recv()
    try:
        contract = load_contract(robot)
        policy = make_policy(reference, contract, options)
        check_robot(policy.spec, contract, reference)
    except TwinloomError as error:
        pipe.send(error)
        return
    pipe.send(policy.spec)
    while True:
        what, observation, observed = pipe.recv()
        try:
            if what == "reset":
                policy.reset()
                pipe.send(None)
                continue
            begun = time.monotonic()
            check_observation(policy.spec, observation)
            actions = check_actions(policy.spec, policy.act(observation))
            pipe.send((actions, observed, begun, time.monotonic()))
        except TwinloomError as error:
            pipe.send(error)
        except Exception as error:  # of the policy's code: its text reaches the log of the node
            traceback.print_exc()
            pipe.send(TwinloomError(f"the policy raised {type(error).__name__}: {error}"))


def main() -> None:
    """Body of the child process: ``python -m real.policy.inference <file descriptor of the pipe>``."""
    from real import signals

    signals.block()  # the parent ends us by closing the pipe; Ctrl-C is its business
    processes.die_with_parent(9)
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    pipe = Connection(int(sys.argv[1]))
    try:
        _serve(pipe)
    except (EOFError, OSError):
        return


if __name__ == "__main__":
    main()
