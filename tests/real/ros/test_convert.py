"""Messages to NumPy and back."""

from __future__ import annotations

import numpy as np
import pytest
from builtin_interfaces.msg import Time
from hypothesis import given
from hypothesis import strategies as st
from sensor_msgs.msg import CompressedImage, Image

from real.bags.images import read_any_image, read_image
from real.ros import convert
from real.ros.commands import chunk_message, point_message, read_chunk, read_point
from twinloom.errors import TwinloomError
from twinloom.joint_names import NamesError

RNG = np.random.default_rng(0)


@given(st.integers(0, 2**31 * 10**9 - 1))
def test_stamps_go_there_and_back(nanoseconds):
    assert convert.from_stamp(convert.to_stamp(nanoseconds)) == nanoseconds


def test_a_time_that_was_not_set_is_zero():
    assert convert.from_stamp(Time()) == 0


def test_quaternions_turn_at_the_border():
    wxyz = np.array([0.1, 0.2, 0.3, 0.4])
    np.testing.assert_array_equal(convert.to_xyzw(wxyz), [0.2, 0.3, 0.4, 0.1])
    np.testing.assert_array_equal(convert.to_wxyz(convert.to_xyzw(wxyz)), wxyz)


def test_joints_are_found_by_name_among_others():
    message = convert.joint_state(("b", "x", "a"), 5, np.array([2.0, 9.0, 1.0]))
    np.testing.assert_array_equal(convert.read_positions(message, ("a", "b"), "/joint_states"), [1.0, 2.0])


@pytest.mark.parametrize(
    ("names", "line"),
    [(("a",), "/joint_states lacks b"), (("a", "b", "a"), "names a twice"), (("r/a", "r/b"), 'prefix "r/"')],
)
def test_wrong_names_say_which(names, line):
    message = convert.joint_state(names, 5, np.zeros(len(names)))
    with pytest.raises(NamesError, match=line):
        convert.read_positions(message, ("a", "b"), "/joint_states")


def test_a_state_with_fewer_numbers_than_names_is_refused():
    message = convert.joint_state(("a", "b"), 5, np.zeros(1))
    with pytest.raises(NamesError, match="2 joint names but 1 positions"):
        convert.read_positions(message, ("a", "b"), "/joint_states")


def test_an_image_goes_there_and_back():
    frame = RNG.integers(0, 255, (12, 16, 3), np.uint8)
    message = convert.image(frame, 7, "camera")
    assert (message.step, message.encoding, convert.from_stamp(message.header.stamp)) == (48, "rgb8", 7)
    np.testing.assert_array_equal(read_any_image(message), frame)


@pytest.mark.parametrize("encoding", ["rgb8", "bgr8", "rgba8", "bgra8", "mono8", "16UC1", "32FC1"])
@pytest.mark.parametrize("padding", [0, 5])
def test_encodings_and_padding(encoding, padding):
    dtype = {"16UC1": np.uint16, "32FC1": np.float32}.get(encoding, np.uint8)
    channels = {"mono8": 1, "16UC1": 1, "32FC1": 1, "rgba8": 4, "bgra8": 4}.get(encoding, 3)
    pixels = RNG.integers(0, 200, (6, 8, channels)).astype(dtype)
    rows = pixels.reshape(6, -1).view(np.uint8)
    padded = np.concatenate([rows, np.full((6, padding), 255, np.uint8)], axis=1)
    message = Image(height=6, width=8, encoding=encoding, step=padded.shape[1], data=padded.tobytes())
    wanted = pixels[..., 0] if channels == 1 else pixels[..., :3]
    found = read_image(message)
    np.testing.assert_array_equal(found, wanted[..., ::-1] if encoding.startswith("bgr") else wanted)
    assert found.dtype == dtype


def test_big_endian_depth():
    pixels = np.arange(6, dtype=">u2").reshape(2, 3)
    message = Image(height=2, width=3, encoding="16UC1", step=6, is_bigendian=1, data=pixels.tobytes())
    np.testing.assert_array_equal(read_image(message), pixels)


@pytest.mark.parametrize(
    ("changes", "line"),
    [({"encoding": "yuv422"}, "yuv422"), ({"height": 7}, "too few bytes"), ({"step": 1}, "too few bytes")],
)
def test_images_that_are_none_are_refused(changes, line):
    message = Image(height=6, width=8, encoding="mono8", step=8, data=bytes(48))
    for name, value in changes.items():
        setattr(message, name, value)
    with pytest.raises(TwinloomError, match=line):
        read_image(message)


def test_jpeg_is_close_and_garbage_is_refused():
    frame = np.tile(np.linspace(0, 255, 32).astype(np.uint8)[None, :, None], (24, 1, 3))
    message = convert.jpeg(frame, 7, "camera")
    assert np.abs(read_any_image(message).astype(int) - frame).mean() < 3
    with pytest.raises(TwinloomError, match="cannot be decoded"):
        read_any_image(CompressedImage(format="jpeg", data=b"nothing"))


def test_a_point_carries_names_stamp_and_sender():
    command = read_point(point_message(("a", "b"), np.array([1.0, 2.0]), 123456789, "policy"))
    assert (command.names, command.stamp_ns, command.source) == (("a", "b"), 123456789, "policy")
    np.testing.assert_array_equal(command.points, [[1.0, 2.0]])


def test_a_chunk_goes_there_and_back_with_velocities_that_end_at_rest():
    times, points = np.array([0.02, 0.04, 0.06]), np.array([[0.0, 1.0], [0.1, 1.0], [0.2, 1.0]])
    message = chunk_message(("a", "b"), points, times, 5, "policy")
    np.testing.assert_allclose(message.points[1].velocities, [5.0, 0.0], atol=1e-9)
    np.testing.assert_allclose(message.points[-1].velocities, 0.0)
    command = read_chunk(message)
    np.testing.assert_allclose(command.points, points)
    np.testing.assert_allclose(command.times, times)
    assert (command.names, command.stamp_ns, command.source) == (("a", "b"), 5, "policy")


def test_a_ragged_trajectory_becomes_one_that_no_filter_takes():
    message = chunk_message(("a", "b"), np.zeros((2, 2)), np.array([0.1, 0.2]), 5, "policy")
    message.points[0].positions = [1.0]
    assert read_chunk(message).points.shape == (1, 0)
    message.points.clear()
    assert read_chunk(message).points.shape == (1, 0)
