"""``real trials``: how often a policy succeeds, through ROS 2 or in this process, in the same scenes."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from policies.agent import PolicyAgent
from real.contract import load_contract
from real.policy.inference import check_robot, make_policy
from real.robots.sim import SimRobot
from real.stack import load_stack
from sim.loop import Observation, run
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES, cameras

SETTLE_S = 0.3


def through_ros(
    policy: str, task: str, robot: str, trials: int, seed: int, randomize: str, seconds: float
) -> Iterator[tuple[int, bool, float]]:
    """Start the stack anew for each episode. Yields (episode, success, seconds until success or given up).

    Raises:
        TwinloomError: a stack did not start.
    """
    from std_msgs.msg import Bool

    from real.ros.qos import LATCHED
    from real.ros.ready import Readiness
    from real.stack.runner import Runner

    stack = load_stack("bringup")
    for episode in range(trials):
        given = {
            "policy": policy,
            "task": task,
            "robot": robot,
            "seed": str(seed),
            "episode": str(episode),
            "randomize": randomize,
            "auto_arm": "true",
        }
        given["cameras"] = "all" if _looks(policy, robot) else "none"
        nodes = stack.resolve(given)
        with Readiness() as session:
            done = threading.Event()

            def heard(message: Bool, done: threading.Event = done) -> None:
                if message.data:
                    done.set()

            session.node.create_subscription(Bool, "/robot/success", heard, LATCHED)
            lines = _Lines()
            runner = Runner(nodes, stack.environment(), lines, session.active)  # type: ignore[arg-type]
            began = time.monotonic()

            def end(runner: Runner = runner, lines: _Lines = lines, done: threading.Event = done) -> None:
                lines.driven.wait(120.0)
                if done.wait(seconds):
                    time.sleep(SETTLE_S)
                runner.stopping.set()

            threading.Thread(target=end, daemon=True).start()
            code = runner.run()
            if runner.interrupted:
                raise KeyboardInterrupt
            if code:
                raise TwinloomError(f"episode {episode} of {task}: the stack failed: {lines.reason()}")
            yield episode, done.is_set(), time.monotonic() - began


def in_process(
    policy: str, task: str, robot: str, trials: int, seed: int, randomize: str, seconds: float
) -> Iterator[tuple[int, bool, float]]:
    """The same scenes in lockstep, no ROS."""
    contract = load_contract(robot)
    scene = {"seed": seed, "randomize": randomize}
    expert = policy.startswith("expert:")
    actor = None if expert else make_policy(policy, contract, {})
    for episode in range(trials):
        if expert:
            actor = make_policy(policy, contract, {**scene, "episode": episode})
        assert actor is not None
        spec = actor.spec
        check_robot(spec, contract, policy)
        names = cameras(list(spec.observation))
        sizes = {spec.observation[IMAGES + name].shape[1::-1] for name in names} or {(320, 240)}
        if len(sizes) > 1:
            raise TwinloomError(f"policy {policy} wants images of {len(sizes)} sizes")
        began = time.monotonic()
        options: dict[str, Any] = {"cameras": tuple(names), "size": sizes.pop(), "lockstep": True, "fps": int(spec.fps)}
        with SimRobot(task, contract=contract, episode=episode, **scene, **options) as world:
            actor.reset()
            agent = PolicyAgent(actor, contract.names)
            until_success = partial(_until_success, agent, world)
            run(world, until_success, limit=math.ceil(seconds * spec.fps))
            yield episode, world.success, time.monotonic() - began


def _until_success(agent: PolicyAgent, world: SimRobot, observe: Callable[[], Observation]) -> np.ndarray | None:
    """The agent's next action, none where the task has succeeded."""
    return None if world.success else agent(observe)


def _looks(policy: str, robot: str) -> bool:
    """Whether a policy needs images; asked once in this process, for checkpoints."""
    if policy.startswith(("expert:", "ws://", "wss://")) or policy in ("hold", "wave"):
        return policy.startswith("ws")
    spec = make_policy(policy, load_contract(robot), {}).spec
    return bool(cameras(list(spec.observation)))


class _Lines:
    """Output of a runner that is kept; notices when the policy begins."""

    def __init__(self) -> None:
        self.text, self.driven = "", threading.Event()

    def write(self, text: str) -> int:
        self.text += text
        if "policy: drives" in text:
            self.driven.set()
        return len(text)

    def flush(self) -> None:
        """Nothing waits."""

    def reason(self) -> str:
        """What the nodes complained of and the runner said, else the last line."""
        lines = [line.strip() for line in self.text.splitlines() if line.strip()]
        said = [line for line in lines if line.startswith("runner |") or "error: " in line or "[ERROR]" in line]
        return "; ".join(said[-3:] or lines[-1:])

    def isatty(self) -> bool:
        """No colours."""
        return False
