"""Robot files: the shipped ones fit their models, a wrong one is refused with everything that is wrong with it."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest
import yaml

from assets.robots import load_robot
from assets.robots.build import arm_spec
from assets.robots.record import SIDES
from real.contract import contracts, load_contract
from real.contract.load import FOLDER
from real.safety.guards import guards_of
from twinloom.errors import InvalidSettingsError, TwinloomError, UnknownNameError

WITH_MODEL = [name for name in contracts() if load_contract(name).has_hands]


def test_the_robots_asked_for_are_there():
    wanted = {"franka-panda", "aloha-agilex", "piper", "ARX-X5", "ur5-wsg", "ur-pair", "franka-pair", "aloha", "g1"}
    assert wanted <= set(contracts())


@pytest.mark.parametrize("name", WITH_MODEL)
def test_a_contract_with_a_model_has_its_joints_and_stays_in_its_ranges(name):
    contract = load_contract(name)
    record = load_robot(contract.model)
    assert contract.names == tuple(f"{side}_{joint}" for side in SIDES for joint in (*record.joints, "gripper"))
    arm = arm_spec(record, "left", "simple").compile()
    for joint in contract.joints:
        if joint.name.endswith("gripper"):
            continue
        lower, upper = arm.joint(joint.name.partition("_")[2]).range
        assert lower - 1e-5 <= joint.lower < joint.upper <= upper + 1e-5
        assert joint.effort <= record.limits.effort[record.joints.index(joint.name.partition("_")[2])]


@pytest.mark.parametrize("name", [name for name in WITH_MODEL if load_contract(name).model == name])
def test_a_simulated_robot_may_do_what_its_planner_plans(name):
    contract, record = load_contract(name), load_robot(name)
    for k, joint in enumerate(record.joints):
        for side in SIDES:
            limits = contract.joints[contract.index[f"{side}_{joint}"]]
            assert limits.velocity >= 1.1 * record.limits.velocity[k]
            assert limits.acceleration >= 1.1 * record.limits.acceleration[k]
            assert limits.home == pytest.approx(record.home[side][k])


@pytest.mark.parametrize("name", WITH_MODEL)
def test_home_keeps_the_guards(name):
    contract = load_contract(name)
    for guard in guards_of(contract):
        amount, line = guard.excess(contract.home)  # type: ignore[attr-defined]
        assert amount < -0.01, line


@pytest.mark.parametrize("name", contracts())
def test_device_units_are_inverted_exactly(name):
    contract = load_contract(name)
    lower, upper = contract.soft_limits
    q = lower + 0.3 * (upper - lower)
    assert np.allclose(contract.from_device(contract.to_device(q)), q, atol=1e-12)
    for gripper in contract.grippers:
        assert contract.to_device(contract.home)[contract.index[gripper.joint]] == pytest.approx(gripper.open)


def spelled_out(name: str) -> dict:
    """A robot file that lists every joint instead of naming its model's chains."""
    contract = load_contract(name)
    table = yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    table.pop("chains")
    table["joints"] = [asdict(joint) for joint in contract.joints]
    table["grippers"] = [asdict(gripper) for gripper in contract.grippers]
    for what in ("state", "commands"):
        groups = [asdict(group) for group in getattr(contract.topics, what)]
        table["topics"][what] = [{**group, "joints": list(group["joints"])} for group in groups]
    return table


def broken(tmp_path, change, name: str = "ur-pair", spelled: bool = True) -> list[str]:
    """Problems of a robot file after a change."""
    table = spelled_out(name) if spelled else yaml.safe_load((FOLDER / f"{name}.yaml").read_text())
    change(table)
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(table), encoding="utf-8")
    with pytest.raises(InvalidSettingsError) as caught:
        load_contract(path)
    assert "\n" not in str(caught.value)
    return caught.value.problems


def test_a_file_may_list_its_joints_itself(tmp_path):
    path = tmp_path / "ur-pair.yaml"
    path.write_text(yaml.safe_dump(spelled_out("ur-pair")), encoding="utf-8")
    assert load_contract(path) == load_contract("ur-pair")


def test_what_a_file_does_not_say_is_its_models(tmp_path):
    table = yaml.safe_load((FOLDER / "franka-panda.yaml").read_text())
    table["chains"] = {"all": {"step": 0.1}, "right": {"home": [0.0, -0.4, 0.0, -2.7, 0.0, 2.35, 0.0]}}
    path = tmp_path / "mine.yaml"
    path.write_text(yaml.safe_dump(table), encoding="utf-8")
    contract, record = load_contract(path), load_robot("franka-panda")
    left, right = contract.joints[: record.dof + 1], contract.joints[record.dof + 1 :]
    assert [joint.velocity for joint in left[:-1]] == list(record.limits.velocity)
    assert [joint.effort for joint in right[:-1]] == list(record.limits.effort)
    assert [joint.home for joint in left[:-1]] == list(record.home["left"])
    assert right[1].home == -0.4
    assert {joint.step for joint in contract.joints if joint.name not in contract.names[7::8]} == {0.1}
    assert contract.grippers[0].open == record.gripper.max_opening


@pytest.mark.parametrize(
    ("chains", "line"),
    [
        ({"middle": {"step": 1}}, "unknown chain middle; allowed: all, left, right"),
        ({"all": {"speed": 1}}, "unknown key chains.left.speed"),
        ({"all": {"velocity": [1.0]}}, "chains.left.velocity must be a finite number or a list of 6"),
        ({"left": {"devices": ["a"]}}, "chains.left.devices must be a list of 6 names"),
        ({"left": {"gripper": {"device": 3}}}, "chains.left.gripper.device must be a text"),
        ({"all": {"velocity": "quick"}}, "chains.left.velocity must be a finite number"),
        ({"all": 3}, "chains must be a table of tables"),
        (["left"], "chains must be a table of tables"),
        ({"left": {"gripper": 3}}, "chains.left.gripper must be a table"),
    ],
)
def test_wrong_chains_are_refused_by_name(tmp_path, chains, line):
    problems = broken(tmp_path, lambda table: table.update(chains=chains), spelled=False)
    assert any(line in problem for problem in problems), problems


def test_a_model_that_there_is_not_is_said(tmp_path):
    problems = broken(tmp_path, lambda table: table.update(model="frnka-panda"), spelled=False)
    assert any("Did you mean franka-panda" in problem for problem in problems)


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda t: t.pop("description"), "description is missing"),
        (lambda t: t.update(colour="red"), "unknown key colour"),
        (lambda t: t.update(rate_hz="fast"), "rate_hz must be a finite number, got 'fast'"),
        (lambda t: t.update(rate_hz=float("nan")), "rate_hz must be a finite number"),
        (lambda t: t.update(confirm=1), "confirm must be true or false"),
        (lambda t: t.update(on_limit="ignore"), "on_limit must be clip or refuse"),
        (lambda t: t["watchdog"].update(hold_s=0.01), "watchdog.hold_s must be at least two periods"),
        (lambda t: t["joints"][0].pop("velocity"), "joint left_joint1: velocity is missing"),
        (lambda t: t["joints"][0].update(velocity=-1), "joint left_joint1: velocity, acceleration and step"),
        (lambda t: t["joints"][0].update(acceleration=1e308), "step must be at most 1e+06"),
        (lambda t: t["joints"][0].update(home=9), "joint left_joint1: home 9 is outside"),
        (lambda t: t["joints"][0].update(lower=7), "joint left_joint1: lower must be below upper"),
        (lambda t: t["joints"].append(t["joints"][0]), "joint left_joint1 is there twice"),
        (lambda t: t["grippers"][0].update(joint="hand"), "gripper hand is not a joint"),
        (lambda t: t["grippers"][0].update(open=0), "open and closed are the same"),
        (lambda t: t["topics"]["commands"].pop(), "topics.commands leaves out right_gripper"),
        (lambda t: t["topics"]["commands"][0]["joints"].append("elbow"), "names elbow, which is not a joint"),
        (lambda t: t["topics"]["commands"][0].update(kind="direct"), "kind must be forward or trajectory"),
        (lambda t: t["cameras"]["head"].update(width=0), "camera head: width, height and fps must be positive"),
        (lambda t: t["workspace"].update(lower=[0, 0]), "workspace.lower must be a list of 3"),
        (lambda t: t["workspace"].update(lower=[9, 9, 9]), "workspace.lower must be below workspace.upper"),
        (lambda t: t.update(model=None), "workspace needs a model"),
        (lambda t: t.update(backend="unitree"), "backend unitree needs a table unitree"),
        (lambda t: t.update(joints="many"), "joints must be a list"),
        (lambda t: t.update(joints=[]), "joints must name at least one joint"),
        (lambda t: t.update(topics=[]), "topics must be a table"),
    ],
)
def test_a_wrong_file_is_refused_by_name_of_what_is_wrong(tmp_path, change, line):
    assert any(line in problem for problem in broken(tmp_path, change))


def test_all_problems_are_reported_at_once(tmp_path):
    def change(table):
        table["joints"][0]["velocity"] = "quick"
        table["cameras"]["head"].pop("topic")
        table["extra"] = 1

    assert len(broken(tmp_path, change)) >= 2


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("description: one\ndescription: two\n", "key 'description' is given twice"),
        ("a: [1, 2\n", "not valid YAML"),
        ("- 1\n", "must be a table"),
        ("{[1]: 2}", "a key must be a plain text"),
        ("? {a: 1}\n: 2", "a key must be a plain text"),
        ("description: 2001-99-99", "not valid YAML: month must be in 1..12"),
        ("description: !!int many", "not valid YAML: invalid literal"),
        ("[" * 3000, "not valid YAML: maximum recursion depth"),
        ("description: big\njoints: []\nrate_hz: 1" + "0" * 400, "rate_hz must be a finite number"),
        ("rate_hz: 1" + "0" * 5000, "not valid YAML"),
        ("", "must be a table"),
    ],
)
def test_what_is_no_robot_file_is_said(tmp_path, text, line):
    path = tmp_path / "mine.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidSettingsError, match=r"mine\.yaml") as caught:
        load_contract(path)
    assert line in str(caught.value)


def test_an_unknown_robot_suggests_the_nearest():
    with pytest.raises(UnknownNameError, match="Did you mean franka-panda"):
        load_contract("franca-panda")


def test_check_prints_every_robot_and_every_mistake(tmp_path, capsys):
    from real import cli

    assert cli.check(tuple(contracts())) == 0
    shown = capsys.readouterr().out
    for name in contracts():
        contract = load_contract(name)
        assert contract.description in shown
        assert all(device in shown for device in contract.devices)
    wrong = yaml.safe_load((FOLDER / "franka-panda.yaml").read_text())
    wrong |= {"rate_hz": -1, "colour": "red"}
    file = tmp_path / "mine.yaml"
    file.write_text(yaml.safe_dump(wrong))
    with pytest.raises(InvalidSettingsError, match=r"(?s)colour.*rate_hz|rate_hz.*colour"):
        cli.check((str(file),))
    with pytest.raises(TwinloomError, match="name a robot"):
        cli.check(())


@pytest.mark.parametrize("key", ["velocity", "acceleration", "step"])
def test_a_joint_that_would_need_ages_is_a_slip(tmp_path, key):
    problems = broken(tmp_path, lambda table: table["joints"][0].update({key: 1e-300}))
    assert any("acceleration and step must be at least" in problem for problem in problems)
