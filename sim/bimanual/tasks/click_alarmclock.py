"""Press the button on top of the alarm clock.

Randomised: the clock, its position and heading; the arm of its side works. Success: the closed fingers of that arm
have pushed on the button.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.scene import Scene, side_of
from sim.bimanual.tasks._press import PressTask


class ClickAlarmclock(PressTask):
    group = "button"
    instructions = (
        "[press|push|click|hit] the [top button|button] of {A}[| with {a}| using {a}]",
        "[press|push|click|hit] the button on top of {A}[| with {a}| once]",
        "[turn off|switch off|silence|stop] {A}[| with {a}| by its button]",
        "[use|move] {a} to [press|push|click] the button of {A}",
        "[reach|move] over {A} and [press|push] its button[| with {a}| down]",
        "[make|let] {A} [stop|go quiet] by pressing its button[| with {a}]",
        "[touch|tap] the top of {A}[| with {a}] [to turn it off|so that it stops]",
        "with {a} closed, [push|press] down the button of {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.0), min_abs_x=0.05)
        yaw = scene.uniform(-np.pi, np.pi)
        self.target = scene.add("clock", scene.instance("alarm_clock"), spot, yaw, mode="static", keep_out=0.08)
        self.side = side_of(self.target)
