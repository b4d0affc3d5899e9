"""The contract: what a humanoid, real or sampled, is to controllers, environments, policies and bridges."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import mujoco
import numpy as np

from assets.robots.humanoid.canonical import cosines
from assets.robots.humanoid.graph import adjacency
from assets.robots.humanoid.recipe import GRAVITY, RECIPE, RecipeConfig, build_spec, gains
from assets.robots.humanoid.slots import NUM_SLOTS, SLOT_INDEX
from assets.robots.humanoid.stance import leg_lengths, standing_pose
from assets.robots.humanoid.tree import FootBox, LinkTree
from twinloom.errors import TwinloomError


@dataclass(frozen=True, eq=False)
class Humanoid:
    """A humanoid, ready to simulate, and its place in the canonical joint space.

    Joint arrays have shape (joints,) in the order of ``joints``, which is also the order of ``qpos[7:]``, ``qvel[6:]``
    and ``ctrl`` of ``model``, in the robot's own convention (its names, its zero, its signs). Slot arrays have shape
    (32,) and the convention of ``assets.robots.humanoid.slots``. Treat arrays and model as read-only; copy the model to
    change it.

    Attributes:
        name: "g1", or the name of a sampled body.
        tree: links, hinges and soles that everything else was made from.
        model: compiled model. ``qpos`` = base position (3), base quaternion wxyz (4), joints. Body 1 is the base: x
            forward, y left, z up. One position servo a joint: torque = kp (ctrl - q) - kd qd, clipped to the effort.
            The only geoms that collide are "floor", "left_sole" and "right_sole". 200 Hz, implicitfast.
        joints: names.
        slot: (joints,) int, index of each joint's slot.
        sign: (joints,) +1 or -1; offset: (joints,) rad, so that slot position = sign * (q - offset).
        cosine: (joints,) between the joint's and its slot's axis in the canonical pose; below 1 for tilted axes.
        mask: (32,) bool, slots that exist.
        default_pose: (joints,) rad, standing with bent knees, flat soles and the centre of mass over them.
        base_height: of the base's origin in that pose, m.
        kp, kd: (joints,) servo gains, N m / rad and N m s / rad.
        effort: (joints,) largest torque, N m; velocity_limit: (joints,) rad/s.
        action_scale: (joints,) rad; target = default_pose + action_scale * (joint action).
        lower, upper: (joints,) limits, rad.
        leg_length: L, hip to sole with straight legs, m; thigh, shank, ankle_height: its parts, m.
        mass: M, kg.
        foot_spacing: distance of the soles' centres in the default pose, m.
        feet: (left, right) sole boxes in the frames of their links.
        recipe: constants that gains, contact and rates came from.
    """

    name: str
    tree: LinkTree
    model: mujoco.MjModel
    joints: tuple[str, ...]
    slot: np.ndarray
    sign: np.ndarray
    offset: np.ndarray
    cosine: np.ndarray
    mask: np.ndarray
    default_pose: np.ndarray
    base_height: float
    kp: np.ndarray
    kd: np.ndarray
    effort: np.ndarray
    velocity_limit: np.ndarray
    action_scale: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    leg_length: float
    thigh: float
    shank: float
    ankle_height: float
    mass: float
    foot_spacing: float
    feet: tuple[FootBox, FootBox]
    recipe: RecipeConfig

    @property
    def num_joints(self) -> int:
        """Number of joints, 10 (legs without ankle roll) to 32."""
        return len(self.joints)

    @property
    def base_body(self) -> str:
        """Name of the floating body."""
        return self.tree.links[0].name

    @property
    def foot_bodies(self) -> tuple[str, str]:
        """Names of the bodies that carry the left and the right sole."""
        return self.feet[0].link, self.feet[1].link

    @property
    def weight_length(self) -> float:
        """M g L, N m: the scale of all torques."""
        return self.mass * GRAVITY * self.leg_length

    @property
    def control_timestep(self) -> float:
        """Seconds between two actions (0.02)."""
        return self.recipe.timestep * self.recipe.decimation

    @cached_property
    def default_qpos(self) -> np.ndarray:
        """(7 + joints,) state of standing at the origin, soles on the floor, facing +x."""
        return np.concatenate([[0.0, 0.0, self.base_height, 1.0, 0.0, 0.0, 0.0], self.default_pose])

    @cached_property
    def graph(self) -> np.ndarray:
        """(33, 33) bool adjacency of the 32 slots and the base; see ``assets.robots.humanoid.graph``."""
        return adjacency(self.tree)

    def to_slots(self, q: np.ndarray) -> np.ndarray:
        """Joint positions (..., joints) as slot positions (..., 32); absent slots are 0."""
        return self.rates_to_slots(q - self.offset)

    def from_slots(self, slots: np.ndarray) -> np.ndarray:
        """Slot positions (..., 32) as joint positions (..., joints); values of absent slots are ignored."""
        return self.offset + self.rates_from_slots(slots)

    def rates_to_slots(self, values: np.ndarray) -> np.ndarray:
        """Joint velocities, torques or differences (..., joints) in slots (..., 32): signs, but no offsets."""
        out = np.zeros((*values.shape[:-1], NUM_SLOTS))
        out[..., self.slot] = self.sign * values
        return out

    def rates_from_slots(self, slots: np.ndarray) -> np.ndarray:
        """Velocities, torques, differences or actions in slots (..., 32) for the joints (..., joints)."""
        return self.sign * slots[..., self.slot]

    def targets(self, action: np.ndarray) -> np.ndarray:
        """Servo targets (..., joints) of an action in slots (..., 32)."""
        return self.default_pose + self.action_scale * self.rates_from_slots(action)

    def spec(self) -> mujoco.MjSpec:
        """The uncompiled model, to which sensors or terrain can be added; compiled as it is, it is ``model``."""
        return build_spec(self.tree, self.leg_length, self.recipe)


def build_humanoid(tree: LinkTree, recipe: RecipeConfig = RECIPE) -> Humanoid:
    """Apply the recipe to a tree that has signs, offsets and feet.

    Raises:
        TwinloomError: MuJoCo refuses the model.
    """
    thigh, shank, ankle = leg_lengths(tree)
    length = thigh + shank + ankle
    try:
        model = build_spec(tree, length, recipe).compile()
    except ValueError as error:
        raise TwinloomError(f"{tree.name}: the model does not compile: {error}") from error
    default_pose, base_height = standing_pose(tree, model)
    frames = tree.frames(default_pose)
    names = [link.name for link in tree.links]
    soles = [frames[names.index(box.link)] @ [*box.pos, 1.0] for box in tree.feet]
    hinges = tree.hinges
    slot = np.array([SLOT_INDEX[hinge.slot] for hinge in hinges])
    mask = np.zeros(NUM_SLOTS, bool)
    mask[slot] = True
    kp, kd = gains(tree, length, recipe)
    effort = np.array([hinge.effort for hinge in hinges])
    return Humanoid(
        name=tree.name,
        tree=tree,
        model=model,
        joints=tuple(hinge.name for hinge in hinges),
        slot=slot,
        sign=np.array([hinge.sign for hinge in hinges]),
        offset=np.array([hinge.offset for hinge in hinges]),
        cosine=cosines(tree),
        mask=mask,
        default_pose=default_pose,
        base_height=base_height,
        kp=kp,
        kd=kd,
        effort=effort,
        velocity_limit=np.array([hinge.velocity for hinge in hinges]),
        action_scale=np.minimum(recipe.action_scale, recipe.action_scale * effort / kp),
        lower=np.array([hinge.range[0] for hinge in hinges]),
        upper=np.array([hinge.range[1] for hinge in hinges]),
        leg_length=length,
        thigh=thigh,
        shank=shank,
        ankle_height=ankle,
        mass=tree.mass(),
        foot_spacing=float(soles[0][1] - soles[1][1]),
        feet=tree.feet,
        recipe=recipe,
    )
