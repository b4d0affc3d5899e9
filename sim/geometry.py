"""Rigid transforms, under the name by which tasks and skills know them."""

from assets.transforms import (
    inverse,
    matrix_to_quat,
    pose,
    quat_multiply,
    quat_to_matrix,
    rotation_about,
    rotation_angle,
    yaw_quat,
)

__all__ = [
    "inverse",
    "matrix_to_quat",
    "pose",
    "quat_multiply",
    "quat_to_matrix",
    "rotation_about",
    "rotation_angle",
    "yaw_quat",
]
