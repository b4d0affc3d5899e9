"""The page of a running robot: bodies where forward kinematics has them, and the words beside them."""

from __future__ import annotations

import numpy as np
import pytest

from real.contract import load_contract
from real.safety.shadow import pose
from real.tools.page import RobotPage
from twinloom.errors import TwinloomError


def test_the_page_shows_where_the_robot_is_and_where_it_is_sent():
    pytest.importorskip("viser", reason="the page needs the extra viz")
    contract = load_contract("franka-panda")
    page = RobotPage(contract, 0)
    try:
        q, sent = contract.home.copy(), contract.home.copy()
        q[1] += 0.2
        image = np.zeros((24, 32, 3), np.uint8)
        page.update(q, sent, "active", {"head": image})
        places = {body: np.array(handle.position) for body, handle in page.bodies.items()}
        pose(contract, page._model, page._data, q)
        for body, place in places.items():
            np.testing.assert_allclose(place, page._data.xpos[body], atol=1e-6)
        apart = [np.abs(np.array(h.position) - places[body]).max() for body, h in page.targets.items()]
        assert max(apart) > 0.01
        assert "active" in page.mode.content
        assert f"| left_joint2 | {q[1]:.3f} | {sent[1]:.3f} |" in page.joints.content
        page.update(q, None, "idle", {})
        assert not any(handle.visible for handle in page.targets.values())
    finally:
        page.close()


def test_a_robot_without_a_model_is_not_shown():
    with pytest.raises(TwinloomError, match="nothing to show"):
        RobotPage(load_contract("g1"), 0)
