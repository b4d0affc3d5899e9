"""Press the button on top of the bell.

Randomised: the bell and its position; the arm of its side works. Success: the closed fingers of that arm have pushed
on the button.
"""

from __future__ import annotations

from sim.bimanual.scene import Scene, side_of
from sim.bimanual.tasks._press import PressTask


class ClickBell(PressTask):
    group = "button"
    reach = 0.02
    instructions = (
        "[ring|click|press|hit] {A}[| with {a}| using {a}| once]",
        "[press|push|click|tap] the [top|button] of {A}[| with {a}| once]",
        "[use|move] {a} to [ring|click|press] {A}",
        "[press|push] down on {A}[| with {a}| so that it rings| to ring it]",
        "[reach|move] over {A} and [ring it|press its button|click it][| with {a}]",
        "[make|let] {A} ring[| once][| with {a}]",
        "[touch|hit] the top of {A}[| with {a}] [to ring it|so that it sounds]",
        "with {a} closed, [push|press] down the button of {A}",
    )

    def load_actors(self, scene: Scene) -> None:
        spot = scene.sample_xy((-0.25, 0.25), (-0.2, 0.0), min_abs_x=0.05)
        self.target = scene.add("bell", scene.instance("bell"), spot, mode="static", keep_out=0.08)
        self.side = side_of(self.target)
