"""The scripted experts drive a simulated robot through its safety filter, in process and from a policy server."""

from __future__ import annotations

import numpy as np
import pytest

import policies
from real.robots.make import make_robot

SEED = 1


def drive(policy, robot, most=400, execute=8):
    """Let a policy act until the task is done; the number of control steps, or None."""
    order = [policy.spec.action.names.index(name) for name in robot.contract.names]
    for step in range(most):
        if step % execute == 0:
            chunk = policy.act(robot.get_observation())[:, order]
        sent = robot.send_action(chunk[step % execute])
        np.testing.assert_allclose(sent, chunk[step % execute], atol=1e-5)  # an expert stays within the limits
        if robot.success:
            return step
    return None


@pytest.mark.parametrize("task", ["click_bell", "lift_pot"])
def test_experts_do_their_task_through_the_safety_filter(task):
    expert = policies.load(f"expert:bimanual/{task}", seed=SEED)
    with make_robot(f"sim:bimanual/{task}", seed=SEED, lockstep=True) as robot:
        expert.reset()
        assert drive(expert, robot) is not None
        robot.reset()
        expert.reset()  # the next episode, of both
        assert drive(expert, robot) is not None


def test_an_expert_on_another_machine_does_it_too():
    pytest.importorskip("msgpack")
    from real.policy.client import PolicyClient
    from tests.policies.serving import serving

    def make():
        return policies.load("expert:bimanual/click_bell", seed=SEED)

    with (
        serving(make) as where,
        PolicyClient(f"ws://{where}", timeout=30, connect_timeout=60) as client,
        make_robot("sim:bimanual/click_bell", seed=SEED, lockstep=True) as robot,
    ):
        client.reset()
        assert drive(client, robot) is not None
