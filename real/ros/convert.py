"""Messages to NumPy and back. Joints are matched by name, never by position; quaternions turn here and nowhere else."""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from builtin_interfaces.msg import Time
from sensor_msgs.msg import CompressedImage, Image, JointState

from twinloom.joint_names import NamesError, match

NS = 1_000_000_000


def to_stamp(nanoseconds: int) -> Time:
    """Nanoseconds since the epoch as a message."""
    sec, nanosec = divmod(nanoseconds, NS)
    return Time(sec=sec, nanosec=nanosec)


def from_stamp(stamp: Time) -> int:
    """Nanoseconds since the epoch; 0 where the sender set none."""
    return stamp.sec * NS + stamp.nanosec


def to_xyzw(wxyz: np.ndarray) -> np.ndarray:
    """(..., 4) our quaternion to ROS's order."""
    return np.roll(np.asarray(wxyz, float), -1, axis=-1)


def to_wxyz(xyzw: np.ndarray) -> np.ndarray:
    """(..., 4) ROS's quaternion to our order."""
    return np.roll(np.asarray(xyzw, float), 1, axis=-1)


@lru_cache(maxsize=256)
def joint_order(names: tuple[str, ...], wanted: tuple[str, ...], what: str, extra: bool = True) -> np.ndarray:
    """Where each wanted joint stands in a message: ``values[joint_order(names, wanted, topic)]`` is in wanted order.

    The same names come with every message, so the answer is kept; see `match` for the arguments and errors.
    """
    order = np.array(match(names, wanted, extra, what), int)
    order.setflags(write=False)  # it is shared by every caller
    return order


def joint_state(names: Sequence[str], stamp_ns: int, q: np.ndarray, qd: np.ndarray | None = None) -> JointState:
    """Positions (J,) and velocities (J,) as a message."""
    message = JointState(name=list(names))
    message.header.stamp = to_stamp(stamp_ns)
    message.position = doubles(q)
    if qd is not None:
        message.velocity = doubles(qd)
    return message


def doubles(values: np.ndarray) -> array:
    """The form of a float64[] field that is assigned fastest; an ndarray takes fifteen times as long."""
    return array("d", np.ascontiguousarray(values, np.float64).tobytes())


def read_positions(message: JointState, wanted: tuple[str, ...], what: str) -> np.ndarray:
    """(J,) positions of the wanted joints; ``what`` is the subject of an error, the topic.

    Raises:
        NamesError: a joint is missing or there twice, or there is not one position for each name.
    """
    if len(message.position) != len(message.name):
        raise NamesError(f"{what} has {len(message.name)} joint names but {len(message.position)} positions")
    return np.asarray(message.position)[joint_order(tuple(message.name), wanted, what)]


def read_velocities(message: JointState, wanted: tuple[str, ...], what: str) -> np.ndarray:
    """(J,) velocities of the wanted joints; NaN where the message has none, which is allowed."""
    if len(message.velocity) != len(message.name):
        return np.full(len(wanted), np.nan)
    return np.asarray(message.velocity)[joint_order(tuple(message.name), wanted, what)]


def image(frame: np.ndarray, stamp_ns: int, frame_id: str) -> Image:
    """(H, W, 3) uint8 RGB as a message."""
    message = Image(height=frame.shape[0], width=frame.shape[1], encoding="rgb8", step=3 * frame.shape[1])
    message.header.stamp, message.header.frame_id = to_stamp(stamp_ns), frame_id
    message.data = frame.tobytes()  # bytes take a copy; assigning the array itself converts it number by number
    return message


def jpeg(frame: np.ndarray, stamp_ns: int, frame_id: str, quality: int = 90) -> CompressedImage:
    """(H, W, 3) uint8 RGB as a JPEG message."""
    import io

    from PIL import Image as PilImage

    buffer = io.BytesIO()
    PilImage.fromarray(frame).save(buffer, "JPEG", quality=quality)
    message = CompressedImage(format="jpeg", data=buffer.getvalue())
    message.header.stamp, message.header.frame_id = to_stamp(stamp_ns), frame_id
    return message
