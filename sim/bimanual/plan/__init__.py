"""Motion planning for two arms: kinematics, collision, paths and their timing."""

from sim.bimanual.plan.chain import SerialChain
from sim.bimanual.plan.collision import CollisionWorld, Held, Touch
from sim.bimanual.plan.errors import REASONS, PlanningError
from sim.bimanual.plan.kinematics import ArmKinematics, Solution, Tolerance
from sim.bimanual.plan.pose import interpolate_poses, rotation_matrix, rotation_vector

__all__ = [
    "REASONS",
    "ArmKinematics",
    "CollisionWorld",
    "Held",
    "PlanningError",
    "SerialChain",
    "Solution",
    "Tolerance",
    "Touch",
    "interpolate_poses",
    "rotation_matrix",
    "rotation_vector",
]
