"""The 32-joint template with locked joints moves like the model whose joints were removed."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from sim.humanoid.morphology.body import sample_body
from sim.humanoid.morphology.template import (
    FIELDS,
    default_qpos,
    fields,
    from_template,
    stacked,
    template_model,
    template_slots,
    to_template,
)

# body: tolerance in rad and m; 24, 18, 15, 13 and 10 joints. The last has no ankle roll: it tips over the edges of its
# soles, where differences grow
BODIES = {0: 1e-3, 2: 1e-3, 18: 1e-3, 23: 1e-3, 6: 1e-2}


@pytest.mark.parametrize(("index", "tolerance"), BODIES.items())
def test_trajectory_is_that_of_the_model_without_the_joints(index, tolerance):
    body = sample_body(index)
    humanoid, template = body.humanoid, template_model(body)
    assert humanoid.num_joints < 32 == template.nu
    rng = np.random.default_rng(index)
    small, large = mujoco.MjData(humanoid.model), mujoco.MjData(template)
    small.qpos[:], large.qpos[:] = humanoid.default_qpos, default_qpos(body)
    for step in range(round(0.5 / humanoid.recipe.timestep)):
        if step % humanoid.recipe.decimation == 0:
            small.ctrl[:] = humanoid.default_pose + rng.uniform(-1, 1, humanoid.num_joints) * humanoid.action_scale
            large.ctrl[:] = to_template(body, small.ctrl)
        mujoco.mj_step(humanoid.model, small)
        mujoco.mj_step(template, large)
        np.testing.assert_allclose(large.qpos[:7], small.qpos[:7], atol=tolerance)
        np.testing.assert_allclose(from_template(body, large.qpos[7:]), small.qpos[7:], atol=tolerance)
    assert np.abs(large.qpos[7:][~body.present]).max() < 1e-3


def test_all_that_bodies_differ_in_is_in_the_fields():
    first, second = template_model(sample_body(0)), template_model(sample_body(6))
    for name in dir(first):
        if name.startswith("_") or name in FIELDS or name == "bvh_aabb":  # bounding boxes of ray casts
            continue
        values = getattr(first, name), getattr(second, name)
        if isinstance(values[0], np.ndarray) and values[0].dtype != object:
            assert np.array_equal(*values), name


def test_fields_turn_one_bodys_template_into_anothers():
    body, model = sample_body(2), template_model(sample_body(0))
    for name, value in fields(body).items():
        getattr(model, name)[:] = value
    expected = template_model(body)
    one, other = mujoco.MjData(model), mujoco.MjData(expected)
    for m, data in ((model, one), (expected, other)):
        data.qpos[:] = default_qpos(body)
        data.ctrl[:] = data.qpos[7:]
        for _ in range(50):
            mujoco.mj_step(m, data)
    np.testing.assert_allclose(one.qpos, other.qpos, atol=1e-9)


def test_fields_of_bodies_stack():
    bodies = [sample_body(index) for index in BODIES]
    arrays = stacked(bodies)
    assert arrays["body_inertia"].shape == (len(bodies), 34, 3)  # the world and 33 links
    slots = np.array([template_slots(body) for body in bodies])
    assert (np.sort(slots, axis=1) == np.arange(32)).all()
    assert len({tuple(row) for row in slots}) > 1  # chains differ in their order
