"""Bags without ROS: what is written is read, whatever is damaged is said, a killed recorder's bag can be read."""

from __future__ import annotations

import errno
import struct

import pytest

from real.bags.bag import NS, Bag, BagWriter, definition, stamp_of
from real.bags.dataset import add_bags
from twinloom.errors import MissingAssetError, TwinloomError

pytest.importorskip("mcap_ros2", reason="bags need the extra ros2: pip install 'twinloom[ros2]'")
pytest.importorskip("std_msgs", reason="message definitions come with ROS: pip install 'twinloom[ros2]'")

POINT = "geometry_msgs/msg/PointStamped"
BOOL = struct.pack("<4B?", 0, 1, 0, 0, True)


def point(sec: int, nanosec: int) -> bytes:
    """CDR of a geometry_msgs/PointStamped with an empty frame."""
    return struct.pack("<4BiII1s3x3d", 0, 1, 0, 0, sec, nanosec, 1, b"\0", 1.0, 2.0, 3.0)


def write(path, count: int = 5):
    writer = BagWriter(path, {"robot": "small"})
    for k in range(count):
        writer.put("/estop", "std_msgs/msg/Bool", BOOL, 10 * NS + k)
        writer.put("/beat", POINT, point(5, k), 10 * NS + k)
    return writer


def test_what_is_written_is_read(tmp_path):
    writer = write(tmp_path / "a.mcap")
    assert not (tmp_path / "a.mcap").exists()  # it has its name when it is complete
    assert writer.close() == 10
    bag = Bag(tmp_path / "a.mcap")
    assert bag.about == {"robot": "small"}
    assert bag.topics == {"/estop": ("std_msgs/msg/Bool", 5), "/beat": (POINT, 5)}
    assert [message.value.data for message in bag.messages("/estop")] == [True] * 5
    assert [message.received_ns - 10 * NS for message in bag.messages("/estop")] == list(range(5))


def test_raw_bytes_are_kept(tmp_path):
    write(tmp_path / "a.mcap").close()
    assert {message.value for message in Bag(tmp_path / "a.mcap").messages("/estop", decode=False)} == {BOOL}


def test_the_time_of_a_header_is_the_time_at_which_a_message_was_made(tmp_path):
    write(tmp_path / "a.mcap").close()
    bag = Bag(tmp_path / "a.mcap")
    assert [message.made_ns for message in bag.messages("/beat")] == [5 * NS + k for k in range(5)]
    assert all(message.made_ns == message.received_ns for message in bag.messages("/estop"))


def test_stamps_of_either_byte_order():
    assert stamp_of(point(7, 9)) == 7 * NS + 9
    assert stamp_of(struct.pack(">4BiI", 0, 0, 0, 0, 7, 9)) == 7 * NS + 9


def test_bags_are_never_overwritten(tmp_path):
    write(tmp_path / "a.mcap").close()
    with pytest.raises(TwinloomError, match="never overwritten"):
        BagWriter(tmp_path / "a.mcap", {})
    with pytest.raises(TwinloomError, match=r"ends with \.mcap"):
        BagWriter(tmp_path / "a.bag", {})


def test_a_bag_of_a_killed_recorder_is_read_as_far_as_it_goes(tmp_path):
    writer = write(tmp_path / "a.mcap", count=50_000)  # several chunks
    writer._queue.put(None)
    writer._thread.join()
    writer._file.flush()  # as a kill leaves it: no end, no index
    bag = Bag(tmp_path / "a.mcap.partial")
    assert bag.about == {"robot": "small"}
    kinds = {topic: kind for topic, (kind, _) in bag.topics.items()}
    assert kinds == {"/estop": "std_msgs/msg/Bool", "/beat": POINT}
    assert bag.topics["/estop"][1] > 1000


@pytest.mark.parametrize("damage", [lambda data: data[: len(data) // 2], lambda _: b"nothing", lambda _: b""])
def test_a_damaged_bag_is_one_line(tmp_path, damage):
    write(tmp_path / "a.mcap", count=500).close()
    (tmp_path / "b.mcap").write_bytes(damage((tmp_path / "a.mcap").read_bytes()))
    with pytest.raises(TwinloomError, match=r"b\.mcap"):
        list(Bag(tmp_path / "b.mcap").messages())


def test_a_missing_bag_is_one_line(tmp_path):
    with pytest.raises(TwinloomError, match="no bag"):
        Bag(tmp_path / "none.mcap")


def test_a_full_disk_reaches_the_caller(tmp_path, monkeypatch):
    writer = write(tmp_path / "a.mcap")

    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(writer._writer, "add_message", full)
    writer.put("/estop", "std_msgs/msg/Bool", BOOL, 1)
    with pytest.raises(TwinloomError, match="disk is full"):
        writer.close()


def test_definitions_bring_what_they_consist_of():
    text = definition("sensor_msgs/msg/JointState")
    assert [line for line in text.splitlines() if line.startswith("MSG:")] == [
        "MSG: std_msgs/Header",
        "MSG: builtin_interfaces/Time",
    ]
    assert "MSG: trajectory_msgs/JointTrajectoryPoint" in definition("trajectory_msgs/msg/JointTrajectory")
    with pytest.raises(MissingAssetError, match="no_msgs/None"):
        definition("no_msgs/msg/None")


def test_an_empty_bag_says_so(tmp_path):
    nothing, silent = tmp_path / "nothing.mcap", tmp_path / "silent.mcap"
    nothing.touch()
    with pytest.raises(TwinloomError, match=r"nothing\.mcap is empty"):
        Bag(nothing)
    BagWriter(silent, {"robot": "franka-panda"}).close()
    with pytest.raises(TwinloomError, match=r"silent\.mcap is empty: no message was recorded"):
        list(add_bags([silent], tmp_path / "dataset", fps=25))
