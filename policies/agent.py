"""A policy as the agent of an episode: it is asked for a chunk of actions, some of which are carried out."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

import numpy as np

from policies.base import Observation, Policy, check_actions, check_observation
from twinloom.errors import TwinloomError
from twinloom.features import STATE
from twinloom.joint_names import match


class PolicyAgent:
    """Acts in an environment whose joints are matched by name. One object follows one episode.

    Args:
        policy: freshly reset.
        joints: names of the numbers of the environment's state, and of its actions; None where it names none and the
            policy's own order holds.
        n_action_steps: actions of each chunk that are carried out before the policy is asked again; 0 is what its
            description says.

    Raises:
        TwinloomError: the policy has other joints, or fewer actions in a chunk.
    """

    def __init__(self, policy: Policy, joints: Sequence[str] | None, n_action_steps: int = 0) -> None:
        spec = policy.spec
        self.policy, self.n_action_steps = policy, n_action_steps or spec.n_action_steps
        if not 1 <= self.n_action_steps <= spec.horizon:
            raise TwinloomError(
                f"n_action_steps {self.n_action_steps}: a chunk of this policy has {spec.horizon} actions"
            )
        what = f"the {spec.kind} policy" + (f" (made for {spec.robot})" if spec.robot else "")
        self._order = match(spec.action.names, joints or spec.action.names, what=what)
        state = spec.observation.get(STATE)
        self._seen = match(joints, state.names, True, "the robot") if joints and state else ()
        self._chunk: deque[np.ndarray] = deque()

    def __call__(self, observe: Callable[[], Observation]) -> np.ndarray:
        """The next action (A,), in the order of ``joints``. Looks only when the policy is asked.

        Raises:
            TwinloomError: an observation that does not fit the policy, or an answer that is no chunk of actions.
        """
        if not self._chunk:
            observation = dict(observe())
            if self._seen:
                observation[STATE] = np.asarray(observation[STATE], np.float32)[self._seen]
            check_observation(self.policy.spec, observation)
            actions = check_actions(self.policy.spec, self.policy.act(observation))
            self._chunk.extend(actions[: self.n_action_steps, self._order])
        return self._chunk.popleft()
