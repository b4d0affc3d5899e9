"""Motion planning for two arms: kinematics, collision, paths and their timing."""

from assets.robots.chain import SerialChain
from assets.robots.kinematics import Solution, Tolerance
from sim.bimanual.plan.collision import CollisionWorld, Held, Touch
from sim.bimanual.plan.errors import REASONS, PlanningError
from sim.bimanual.plan.kinematics import ArmKinematics
from sim.bimanual.plan.path import Bounds, edge_is_free, plan_joint_path, shortcut
from sim.bimanual.plan.spline import Spline
from sim.bimanual.plan.timing import parameterise, parameterise_pair
from twinloom.transforms import interpolate_poses, rotation_matrix, rotation_vector

__all__ = [
    "REASONS",
    "ArmKinematics",
    "Bounds",
    "CollisionWorld",
    "Held",
    "PlanningError",
    "SerialChain",
    "Solution",
    "Spline",
    "Tolerance",
    "Touch",
    "edge_is_free",
    "interpolate_poses",
    "parameterise",
    "parameterise_pair",
    "plan_joint_path",
    "rotation_matrix",
    "rotation_vector",
    "shortcut",
]
