"""A user's own model: slots proposed, signs and offsets derived, doubts reported, all by one command."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from assets.cli import main
from assets.robots.humanoid import humanoids, load_humanoid
from assets.robots.humanoid.imported import import_humanoid
from assets.robots.humanoid.opening import open_model
from assets.robots.humanoid.propose import propose
from assets.robots.humanoid.store import load_humanoid as cached_load
from assets.robots.humanoid.urdf import find_mesh
from twinloom.errors import InvalidSettingsError, TwinloomError

_spec = importlib.util.spec_from_file_location("toy", Path(__file__).with_name("toy.py"))
assert _spec
assert _spec.loader
toy = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(toy)


@pytest.fixture
def home(tmp_path, monkeypatch) -> Path:
    """Folders of the user; models are cached and records written below it."""
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("TWINLOOM_HUMANOIDS", str(tmp_path / "my humanoids é"))
    cached_load.cache_clear()
    yield tmp_path
    cached_load.cache_clear()


@pytest.mark.parametrize("kind", ["mjcf", "urdf"])
def test_slots_signs_and_offsets_are_found(home, kind):
    imported = import_humanoid(toy.write(home, kind))
    humanoid = imported.humanoid
    assert humanoid.num_joints == 21
    names = {hinge.slot: hinge for hinge in humanoid.tree.hinges}
    for side in ("left", "right"):
        for slot, joint in toy.SLOTS.items():
            assert names[f"{side}_{slot}"].name == f"{side}_{joint}"
        assert names[f"{side}_knee"].sign == -1
        assert names[f"{side}_hip_yaw"].sign == -1
        assert names[f"{side}_hip_pitch"].sign == 1
        assert abs(names[f"{side}_shoulder_roll"].offset) == pytest.approx(np.pi / 2)  # from the T-pose
        low, high = sorted(names[f"{side}_elbow"].sign * value for value in names[f"{side}_elbow"].range)
        assert low < -2  # bends forward, whatever the file calls positive
        assert high < 0.2
    assert names["waist_yaw"].name == "spine"
    assert (humanoid.cosine > 0.99).all()
    assert np.isclose(humanoid.mass, 6.0 + sum(body[-1] for body in toy.BODIES))
    assert imported.standing.stands
    assert np.isclose(humanoid.leg_length, 0.32 + 0.30 + 0.02 + 0.05)
    np.testing.assert_allclose(humanoid.feet[0].half, (0.11, 0.045), atol=1e-6)


def test_mjcf_and_urdf_of_one_robot_are_one_robot(home):
    one = import_humanoid(toy.write(home, "mjcf"), "one").humanoid
    other = import_humanoid(toy.write(home, "urdf"), "other").humanoid
    order = [one.joints.index(name) for name in other.joints]
    np.testing.assert_allclose(one.effort[order], other.effort)
    np.testing.assert_allclose(one.offset[order], other.offset, atol=1e-9)
    assert np.isclose(one.base_height, other.base_height)
    assert (other.velocity_limit == 12).all()
    slots = np.random.default_rng(0).uniform(-0.4, 0.4, 32)
    for a, b in zip(one.feet, other.feet, strict=True):
        frames = [h.tree.frames(h.from_slots(slots)) for h in (one, other)]
        links = [[link.name for link in h.tree.links].index(box.link) for h, box in ((one, a), (other, b))]
        np.testing.assert_allclose(frames[0][links[0]], frames[1][links[1]], atol=1e-9)


def test_the_record_can_be_corrected_and_used_again(home):
    path = toy.write(home, "urdf")
    first = import_humanoid(path, "mine")
    assert "mine" in humanoids()
    assert load_humanoid("mine").num_joints == 21
    text = first.record.read_text(encoding="utf-8")
    corrected = home / "corrected.toml"
    corrected.write_text(text.replace('waist_yaw = "spine"\n', ""), encoding="utf-8")
    second = import_humanoid(path, "mine", corrected)
    assert second.humanoid.num_joints == 20
    assert np.isclose(second.humanoid.mass, first.humanoid.mass)


def test_placeholders_of_the_file_are_doubts_and_get_a_strength(home):
    path = home / "bad.urdf"
    path.write_text(toy.urdf(effort=1e6), encoding="utf-8")
    imported = import_humanoid(path)
    assert sum("cannot be true" in doubt for doubt in imported.doubts) == 21
    humanoid = imported.humanoid
    knee = humanoid.effort[humanoid.joints.index("left_knee")]
    assert np.isclose(knee, 0.45 * humanoid.weight_length)
    assert (humanoid.effort <= knee + 1e-9).all()


def test_a_robot_that_faces_backward_is_turned(home):
    text = toy.urdf()
    path = home / "backward.urdf"
    path.write_text(text.replace('"left_', '"LEFT_').replace('"right_', '"left_').replace('"LEFT_', '"right_'))
    proposal = propose("backward", open_model(path))
    assert proposal.turn == pytest.approx(np.pi)
    assert any("face -x" in doubt for doubt in proposal.doubts)


def test_what_is_no_biped_is_refused(home):
    path = home / "arm.xml"
    path.write_text(
        '<mujoco><worldbody><body name="a"><joint axis="0 1 0"/><geom size="0.1"/></body></worldbody></mujoco>'
    )
    with pytest.raises(InvalidSettingsError, match="no two legs"):
        import_humanoid(path)


@pytest.mark.parametrize(
    ("name", "said"), [("g1", "comes with twinloom"), ("My Robot", "lower-case letters"), ("x/../y", "lower-case")]
)
def test_bad_names_are_refused(home, name, said):
    with pytest.raises(TwinloomError, match=said):
        import_humanoid(toy.write(home, "mjcf"), name)


def test_a_missing_mesh_is_named(home):
    (home / "robot").mkdir()
    (home / "robot" / "foot.stl").write_bytes(b"")
    model = home / "robot" / "urdf" / "a.urdf"
    assert find_mesh("package://robot/foot.stl", model) == home / "robot" / "foot.stl"
    with pytest.raises(TwinloomError, match="neither beside the file"):
        find_mesh("package://robot/hand.stl", model)


def test_command_prints_the_map_and_the_doubts(home, capsys, monkeypatch):
    path = toy.write(home, "urdf")
    monkeypatch.setattr("sys.argv", ["assets", "import", str(path), "--name", "toy-one"])
    with pytest.raises(SystemExit) as ended:
        main()
    out = capsys.readouterr().out
    assert ended.value.code in (0, None)
    assert "21 joints" in out
    assert "left_knee" in out
    assert "stands 3 s" in out
