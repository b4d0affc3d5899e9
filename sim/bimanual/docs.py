"""Tables of docs/bimanual, made from the code; ``python -m sim.docs`` writes them."""

from __future__ import annotations

import numpy as np
from gymnasium import spaces

from sim.bimanual.family import CAMERAS, task_entry
from sim.bimanual.task import task_class, task_names
from twinloom.generated import filled, table
from twinloom.machine import REPOSITORY

PAGE, FACTS = REPOSITORY / "docs" / "bimanual" / "tasks.md", REPOSITORY / "docs" / "bimanual" / "simulator.md"
COMMAND = "python -m sim.docs"
SIZES = ((320, 240), (640, 480))


def task_table() -> str:
    """All tasks."""
    entries = {name: task_entry(name) for name in task_names()}
    rows = [
        [
            f"`{name}`",
            entry.summary,
            entry.randomised,
            entry.success,
            task_class(name).differs,
            f"{task_class(name).limit:,}",
        ]
        for name, entry in entries.items()
    ]
    return table(
        ["task", "what to do", "randomised", "done when", "differs from RoboTwin", "step limit"], rows, right=1
    )


def axis_table() -> str:
    """What each randomisation axis draws, from which range."""
    from sim.bimanual.randomize import AXES, RANGES

    rows = []
    for axis, text in AXES.items():
        ranges = [
            f"{quantity} {r.low:g} to {r.high:g}{' ' * bool(r.unit)}{r.unit}"
            for quantity, r in RANGES.get(axis, {}).items()
        ]
        rows.append([f"`{axis}`", text, "; ".join(ranges)])
    return table(["axis", "draws", "uniform ranges"], rows)


def camera_table() -> str:
    """Place, view and intrinsics of every camera."""
    from assets.robots import load_robot
    from sim.bimanual.spec import DEFAULT_CAMERAS

    rows = []
    for name, what in CAMERAS.items():
        fixed = DEFAULT_CAMERAS.get(name)
        if fixed:
            place = [_numbers(fixed.pos), _numbers(np.array(fixed.forward) / np.linalg.norm(fixed.forward))]
        else:
            place = ["moves with the hand", ""]
        fovy = fixed.fovy if fixed else load_robot().wrist_camera.fovy
        focal = [f"{0.5 * height / np.tan(np.radians(fovy) / 2):.1f}" for _, height in SIZES]
        rows.append([f"`{name}`", what, *place, f"{fovy:g}°", *focal])
    sizes = [f"focal length at {width}×{height} (px)" for width, height in SIZES]
    return table(["camera", "is", "position (m)", "looks along", "vertical view", *sizes], rows, right=3)


def _numbers(values) -> str:
    return ", ".join(f"{v:.3g}" for v in values)


def observation_table() -> str:
    """Arrays of each observation mode of the Gymnasium environments, for the default robot and one camera."""
    from sim.bimanual.env import OBSERVATION_MODES

    rows, common = [], _spaces("state", "joint_pos")[0].spaces
    for mode in OBSERVATION_MODES:
        for name, space in _spaces(mode, "joint_pos")[0].items():
            if mode == "state" or name not in common:
                rows.append([f"`{mode}`", f"`{name}`", _shape(space), str(space.dtype)])
    return table(["mode", "key", "shape", "type"], rows)


def action_table() -> str:
    """The action of each control mode, for the default robot."""
    from sim.bimanual.control import CONTROL_MODES

    rows = [[f"`{mode}`", _shape(_spaces("state", mode)[1]), what] for mode, what in CONTROL_MODES.items()]
    return table(["mode", "shape", "is"], rows)


def _spaces(observation: str, action: str) -> tuple[spaces.Dict, spaces.Space]:
    from sim.bimanual.env import BimanualEnv

    env = BimanualEnv(task_names()[0], obs_mode=observation, control_mode=action, cameras=("head",))
    return env.observation_space, env.action_space


def _shape(space: spaces.Space) -> str:
    return str(space.shape)


def with_table(page: str) -> str:
    """The text of docs/bimanual/tasks.md with a fresh table of tasks. Raises ValueError if it has no markers."""
    return filled(page, task_table(), COMMAND)


def with_facts(page: str) -> str:
    """The text of docs/bimanual/simulator.md with fresh tables. Raises ValueError if it has no markers."""
    parts = {"axes": axis_table, "cameras": camera_table, "observations": observation_table, "actions": action_table}
    for name, make in parts.items():
        page = filled(page, make(), COMMAND, name)
    return page


PAGES = {PAGE: with_table, FACTS: with_facts}
