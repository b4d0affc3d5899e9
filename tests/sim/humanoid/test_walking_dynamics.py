"""What the controller computes about its body, against finite differences, mj_inverse and a generic solver."""

import mujoco
import numpy as np
import pytest

from sim.humanoid.walking.contacts import SoleContacts, shares
from sim.humanoid.walking.gains import WalkingGains
from sim.humanoid.walking.inverse_dynamics import Task, solve
from sim.humanoid.walking.placement import FootPlacement
from sim.humanoid.walking.state import BodyState
from tests.sim.humanoid.biped import biped

EPS = 1e-6


@pytest.fixture
def moving():
    """A body in a random pose with random velocities, and its state."""
    body, rng = biped(), np.random.default_rng(3)
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.qpos_default
    data.qpos[7:] += rng.normal(0.0, 0.2, len(body.kp))
    data.qpos[2] += 0.5  # in the air: no contact forces in mj_inverse
    data.qvel[:] = rng.normal(0.0, 0.5, body.model.nv)
    return body, data, _state(body, data)


def _state(body, data):
    mujoco.mj_forward(body.model, data)
    state = BodyState(body)
    state.read(data)
    return state


def _later(body, data, acceleration):
    """States a little before and after, along the motion with this acceleration."""
    out = []
    for eps in (-EPS, EPS):
        other = mujoco.MjData(body.model)
        other.qpos[:], other.qvel[:] = data.qpos, data.qvel + eps * acceleration
        mujoco.mj_integratePos(body.model, other.qpos, data.qvel, eps)
        out.append(_state(body, other))
    return out


def test_velocities_and_accelerations_are_derivatives_of_the_kinematics(moving):
    body, data, state = moving
    acceleration = np.random.default_rng(0).normal(0.0, 2.0, body.model.nv)
    before, after = _later(body, data, acceleration)
    assert (after.com - before.com) / (2 * EPS) == pytest.approx(state.com_velocity, abs=1e-6)
    found = (after.com_velocity - before.com_velocity) / (2 * EPS)
    assert state.com_jacobian @ acceleration + state.com_bias == pytest.approx(found, abs=1e-5)
    assert (after.base_rate - before.base_rate) / (2 * EPS) == pytest.approx(
        state.base_jacobian @ acceleration, abs=1e-5
    )
    for side in (0, 1):
        old, sole, new = before.soles[side], state.soles[side], after.soles[side]
        assert (new.position - old.position) / (2 * EPS) == pytest.approx(sole.velocity[:3], abs=1e-6)
        spin = (new.rotation - old.rotation) / (2 * EPS) @ sole.rotation.T
        assert [spin[2, 1], spin[0, 2], spin[1, 0]] == pytest.approx(sole.velocity[3:], abs=1e-6)
        assert (new.velocity - old.velocity) / (2 * EPS) == pytest.approx(
            sole.jacobian @ acceleration + sole.bias, abs=1e-5
        )


def _problem(body, state):
    rng = np.random.default_rng(1)
    gains = WalkingGains()
    soles = SoleContacts(body, gains, FootPlacement(body, gains).cop_limit)
    contacts = soles.of(state, (0, 1), state.com[:2] + 0.02)
    tasks = [
        Task(state.com_jacobian, rng.normal(0, 1, 3), 2.0),
        Task(state.base_jacobian, rng.normal(0, 1, 3), 0.3),
    ]
    nu = len(body.kp)
    return tasks, contacts, (np.full(nu, 0.03), rng.normal(0, 3, nu))


def test_solution_obeys_the_equation_of_motion_of_mj_inverse(moving):
    body, data, state = moving
    tasks, contacts, posture = _problem(body, state)
    solution = solve(state, tasks, contacts, posture)
    data.qacc[:] = solution.acceleration
    mujoco.mj_inverse(body.model, data)
    outside = sum(contact.jacobian.T @ wrench for contact, wrench in zip(contacts, solution.wrenches, strict=True))
    driven = data.qfrc_inverse - outside
    assert driven[:6] == pytest.approx(np.zeros(6), abs=1e-4 * body.weight)
    assert driven == pytest.approx(solution.force, abs=1e-6 * body.weight)


def test_soles_in_contact_lose_their_velocity_and_turn_back_to_level(moving):
    body, data, state = moving
    gains = WalkingGains()
    solution = solve(state, *_problem(body, state))
    before, after = _later(body, data, solution.acceleration)
    for side in (0, 1):
        found = (after.soles[side].velocity - before.soles[side].velocity) / (2 * EPS)
        sole = state.soles[side]
        tilt = np.cross(sole.rotation[:, 2], [0.0, 0.0, 1.0])  # the rotation that would level it, for small angles
        righting = np.append(np.zeros(3), (gains.sole_frequency / body.time_unit) ** 2 * tilt)
        assert found == pytest.approx(righting - 2.0 / body.time_unit * sole.velocity, abs=2e-2)


def test_solution_is_the_constrained_minimum(moving):
    """A generic null-space solver of the same least squares finds the same accelerations."""
    body, _, state = moving
    tasks, contacts, posture = _problem(body, state)
    solution = solve(state, tasks, contacts, posture)
    nv, unknowns = body.model.nv, body.model.nv + 12
    rows, right = [], []
    for task in tasks:
        rows.append(np.sqrt(task.weight) * np.hstack([task.jacobian, np.zeros((3, 12))]))
        right.append(np.sqrt(task.weight) * task.acceleration)
    select = np.zeros((len(body.kp), unknowns))
    select[np.arange(len(body.kp)), body.dof_index] = np.sqrt(posture[0])
    rows += [select, np.sqrt(1e-6) * body.leg_length * np.eye(nv, unknowns)]
    right += [np.sqrt(posture[0]) * posture[1], np.zeros(nv)]
    for i, contact in enumerate(contacts):
        block = np.zeros((6, unknowns))
        block[:, nv + 6 * i : nv + 6 * i + 6] = np.diag(np.sqrt(contact.weights))
        rows.append(block)
        right.append(np.sqrt(contact.weights) * contact.wrench)
    base = np.hstack([state.mass_matrix[:6], *(-contact.jacobian[:, :6].T for contact in contacts)])
    hold = np.vstack([np.hstack([contact.jacobian, np.zeros((6, 12))]) for contact in contacts])
    E, e = np.vstack([base, hold]), np.concatenate([-state.bias[:6], *(contact.acceleration for contact in contacts)])
    A, b = np.vstack(rows), np.concatenate(right)
    particular = np.linalg.lstsq(E, e, rcond=None)[0]
    null = np.linalg.svd(E)[2][len(E) :].T
    expected = particular + null @ np.linalg.lstsq(A @ null, b - A @ particular, rcond=None)[0]
    assert solution.acceleration == pytest.approx(expected[:nv], abs=1e-2 * np.abs(expected[:nv]).max())
    found = np.concatenate(solution.wrenches)
    assert found == pytest.approx(expected[nv:], abs=1e-2 * np.abs(expected[nv:]).max())


def test_a_sole_without_ankle_roll_has_no_roll_row():
    body = biped(rolls=False)
    data = mujoco.MjData(body.model)
    data.qpos[:] = body.qpos_default
    state, gains = _state(body, data), WalkingGains()
    placement = FootPlacement(body, gains)
    contacts = SoleContacts(body, gains, placement.cop_limit).of(state, (0, 1), np.zeros(2))
    assert [contact.jacobian.shape for contact in contacts] == [(5, body.model.nv)] * 2
    assert placement.cop_limit[1] == 0.0


def test_shares_put_the_centre_of_pressure_where_it_is_wanted(moving):
    _, _, state = moving
    left, right = (sole.position[:2] for sole in state.soles)
    first, second = shares(list(state.soles), 0.3 * left + 0.7 * right)
    assert (first, second) == (pytest.approx(0.3), pytest.approx(0.7))
    assert shares(list(state.soles), left + 5 * (left - right)) == [pytest.approx(0.98), pytest.approx(0.02)]
