"""Random bodies: one seed, one humanoid."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np

from assets.robots.humanoid.humanoid import Humanoid, build_humanoid
from assets.robots.humanoid.recipe import RECIPE, RecipeConfig
from assets.robots.humanoid.reduce import without
from assets.robots.humanoid.tree import FootBox, Hinge, Link, LinkTree
from sim.humanoid.morphology.config import MorphologyConfig
from sim.humanoid.morphology.draw import Draw
from sim.humanoid.morphology.feasible import problems
from sim.humanoid.morphology.matter import Block, sample_matter
from sim.humanoid.morphology.skeleton import LINKS, parent, sample_skeleton
from sim.humanoid.morphology.strength import sample_drives, sample_presence
from twinloom.errors import TwinloomError
from twinloom.seeding import episode_seed

ATTEMPTS = 50


@dataclass(frozen=True, eq=False)
class Body:
    """A sampled body.

    Attributes:
        index: which one; seed: of the run.
        full: all 33 links and 32 hinges, of which ``present`` move; absent ones are meant to be rigid.
        present: (32,) bool in the order of ``full.hinges``.
        blocks: link -> block that its matter was drawn around.
        recipe: with this body's gains.
        attempts: draws it took; more than 1 if some were not feasible.
    """

    index: int
    seed: int
    full: LinkTree
    present: np.ndarray
    blocks: dict[str, Block]
    recipe: RecipeConfig
    attempts: int

    @property
    def name(self) -> str:
        """ "random-<seed>-<index>"."""
        return self.full.name

    @cached_property
    def humanoid(self) -> Humanoid:
        """The body as any other robot: absent joints are removed and their links merged."""
        gone = [hinge.slot for hinge, there in zip(self.full.hinges, self.present, strict=True) if not there]
        return build_humanoid(without(self.full, gone), self.recipe)


def sample_body(index: int, seed: int = 0, config: MorphologyConfig | None = None) -> Body:
    """Draw a body; the same arguments always give the same body.

    Args:
        index: number of the body, >= 0.
        seed: of the run.
        config: ranges.

    Raises:
        TwinloomError: no feasible body was found, which the ranges make impossible.
    """
    chosen = config or MorphologyConfig()
    for attempt in range(ATTEMPTS):
        body = draw_body(index, seed, attempt, chosen)
        if not (reasons := problems(body)):
            return body
    raise TwinloomError(f"no feasible body in {ATTEMPTS} draws ({'; '.join(reasons)}); narrow the ranges")


@lru_cache(maxsize=256)
def random_humanoid(index: int, seed: int = 0) -> Humanoid:
    """``sample_body(index, seed).humanoid``, kept for the next call."""
    return sample_body(index, seed).humanoid


def draw_body(index: int, seed: int, attempt: int, config: MorphologyConfig) -> Body:
    """One draw, feasible or not."""
    words = episode_seed(seed, "humanoid/body", index, attempt)
    present, has_arms = sample_presence(words, config)
    skeleton = sample_skeleton(words, config)
    matter = sample_matter(words, skeleton, not has_arms, config)
    mass = float(sum(J[3, 3] for J in matter.inertia.values()))
    drives = sample_drives(words, skeleton.leg_length, mass, config)
    links = []
    for link in LINKS:
        above = parent(link)
        hinge = None
        place = (0.0, 0.0, 0.0)
        if above is not None:
            slot = skeleton.slot[link]
            drive = drives[slot]
            origin = np.zeros(3) if above == "base" else skeleton.anchor[above]
            place = tuple((skeleton.anchor[link] - origin).tolist())
            axis = tuple(skeleton.axis[link].tolist())
            hinge = Hinge(slot, slot, axis, drive.range, drive.effort, drive.velocity, drive.armature)
        number = -1 if above is None else LINKS.index(above)
        links.append(Link(link, number, place, (1.0, 0.0, 0.0, 0.0), matter.inertia[link], hinge))
    feet = tuple(
        FootBox(
            f"{side}_leg_6",
            tuple((skeleton.sole * (1, flip, 1) - skeleton.anchor[f"{side}_leg_6"]).tolist()),
            (1.0, 0.0, 0.0, 0.0),
            skeleton.half,
        )
        for side, flip in (("left", 1), ("right", -1))
    )
    tree = LinkTree(f"random-{seed}-{index}", tuple(links), (feet[0], feet[1]))
    gain = Draw(words, "gain", config.width).log(*config.gain)
    recipe = replace(RECIPE, stiffness=RECIPE.stiffness * gain)
    there = np.array([hinge.slot in present for hinge in tree.hinges])
    return Body(index, seed, tree, there, matter.blocks, recipe, attempt + 1)
