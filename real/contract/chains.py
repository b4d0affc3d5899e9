"""Joints of a robot file from its model: chain by chain, with what the file says otherwise.

    model: ur5-wsg
    chains:
      all: {velocity: 1.5, acceleration: [5, 5, 5, 8, 8, 8], step: 0.15}
      left: {devices: [left_shoulder_pan_joint, ...], gripper: {device: left_finger_width_joint, closed: 0, open: 0.11}}

A number holds for every joint of a chain, a list for each. What is not said is the model's.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from assets.robots.model import Chain, robot_model
from real.contract.model import Gripper, JointLimits
from twinloom.errors import TwinloomError

ALL = "all"
NUMBERS = ("lower", "upper", "velocity", "acceleration", "effort", "step", "home")
OF_GRIPPER = ("velocity", "acceleration", "effort", "step", "home", "device", "closed", "open")
STEP = 0.25  # rad from where a joint is measured
GRIPPER = {"velocity": 6.0, "acceleration": 500.0, "step": 1.0, "home": 1.0}  # openings, 1/s, 1/s^2


def joints_of(model: str, given: Any, problems: list[str]) -> tuple[tuple[JointLimits, ...], tuple[Gripper, ...]]:
    """Joints and grippers of a model in the order of actions; what cannot be becomes a problem."""
    try:
        chains = robot_model(model).chains
    except TwinloomError as error:
        problems.append(str(error))
        return (), ()
    given = {} if given is None else given
    if not isinstance(given, Mapping) or not all(isinstance(table, Mapping) for table in given.values()):
        problems.append("chains must be a table of tables: {all: {velocity: 1.5}, left: {devices: [...]}}")
        return (), ()
    allowed = (ALL, *chains)
    problems += [f"unknown chain {name}; allowed: {', '.join(allowed)}" for name in given if name not in allowed]
    for name, table in given.items():
        if not isinstance(table.get("gripper", {}), Mapping):
            problems.append(f"chains.{name}.gripper must be a table")
    if problems:
        return (), ()
    joints, grippers = [], []
    for chain in chains.values():
        said = {**given.get(ALL, {}), **given.get(chain.name, {})}
        hand = {**given.get(ALL, {}).get("gripper", {}), **given.get(chain.name, {}).get("gripper", {})}
        joints += _arm(chain, said, problems)
        if chain.gripper is not None:
            joint, gripper = _gripper(chain, hand, problems)
            joints.append(joint)
            grippers.append(gripper)
    return tuple(joints), tuple(grippers)


def groups_of(model: str) -> dict[str, tuple[str, ...]]:
    """What stands for several joints in the topics of a robot file: "left" for those of a chain, "left+" for these and
    its gripper."""
    found: dict[str, tuple[str, ...]] = {}
    for chain in robot_model(model).chains.values():
        found[chain.name] = chain.names
        if chain.gripper is not None:
            found[f"{chain.name}+"] = (*chain.names, chain.gripper)
    return found


def _arm(chain: Chain, said: Mapping[str, Any], problems: list[str]) -> list[JointLimits]:
    allowed = (*NUMBERS, "devices", "gripper")
    where = f"chains.{chain.name}"
    problems += [f"unknown key {where}.{key}; allowed: {', '.join(allowed)}" for key in said if key not in allowed]
    columns: dict[str, tuple] = {}
    for key in NUMBERS:
        own = (STEP,) * len(chain.joints) if key == "step" else getattr(chain, key)
        columns[key] = _column(f"{where}.{key}", said.get(key, own), len(chain.joints), problems)
    devices = said.get("devices", ("",) * len(chain.joints))
    if not isinstance(devices, (list, tuple)) or len(devices) != len(chain.joints) or not _texts(devices):
        problems.append(f"{where}.devices must be a list of {len(chain.joints)} names")
        return []
    if any(len(column) != len(chain.joints) for column in columns.values()):
        return []
    return [
        JointLimits(name=name, device=devices[k], **{key: column[k] for key, column in columns.items()})
        for k, name in enumerate(chain.names)
    ]


def _gripper(chain: Chain, said: Any, problems: list[str]) -> tuple[JointLimits, Gripper]:
    where = f"chains.{chain.name}.gripper"
    unknown = [key for key in said if key not in OF_GRIPPER]
    problems += [f"unknown key {where}.{key}; allowed: {', '.join(OF_GRIPPER)}" for key in unknown]
    own = {**GRIPPER, "effort": chain.force, "closed": 0.0, "open": chain.opening}
    values = {k: _column(f"{where}.{k}", said.get(k, v), 1, problems)[:1] for k, v in own.items()}
    numbers = {key: (value[0] if value else 0.0) for key, value in values.items()}
    closed, opened = numbers.pop("closed"), numbers.pop("open")
    name = chain.gripper or ""
    device = said.get("device", "")
    if not isinstance(device, str):
        problems.append(f"{where}.device must be a text, got {device!r}")
        device = ""
    return JointLimits(name, 0.0, 1.0, device=device, **numbers), Gripper(name, closed, opened)


def _column(where: str, value: Any, size: int, problems: list[str]) -> tuple[float, ...]:
    """A number for all, or as many as there are joints."""
    items = list(value) if isinstance(value, (list, tuple)) else [value] * size
    good = all(isinstance(item, (int, float)) and not isinstance(item, bool) and abs(item) <= 1e300 for item in items)
    if not good or len(items) != size:
        problems.append(f"{where} must be a finite number or a list of {size}, got {value!r}")
        return ()
    return tuple(map(float, items))


def _texts(values: Any) -> bool:
    return all(isinstance(value, str) for value in values)
