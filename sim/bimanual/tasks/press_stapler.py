"""Press the stapler down at its front.

Randomised: the stapler, its position and heading; the arm of its side works. Success: the closed fingers of that arm
have pushed on the front of its upper arm.
"""

from __future__ import annotations

import numpy as np

from sim.bimanual.scene import Scene, side_of
from sim.bimanual.tasks._press import PressTask


class PressStapler(PressTask):
    group = "press"
    instructions = (
        "[press|push|push down|press down] {A}[| once| with {a}| using {a}]",
        "[press|push] the [front|top] of {A} [down|once|down with {a}]",
        "[use|move] {a} to [press|push down|staple with] {A}",
        "[press|push] down on {A}[| with {a}| as if to staple| to staple]",
        "[staple|make one staple] with {A}[| using {a}]",
        "[reach|move] over {A} and [press|push] it [down|once][| with {a}]",
        "{A} should be [pressed|pushed] down[| once][| by {a}]",
        "with {a} closed, [push|press] down the front of {A}",
        "[close|work] {A} by [pressing|pushing] it down[| with {a}]",
        "let {a} [press|push] {A} [down|once]",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.2, 0.2), (-0.1, 0.05))
        yaw = scene.uniform(-np.pi, np.pi)
        self.target = scene.add("stapler", scene.instance("stapler"), spot, yaw, mode="static", keep_out=0.08)
        self.side = side_of(self.target)
