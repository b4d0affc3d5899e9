"""Bags: MCAP files of raw ROS 2 messages, written and read without ROS. Other tools (ros2 bag, Foxglove) read them too.

Messages are kept as the bytes that came over the wire, with the time at which they came and, where the message has a
header, the time at which it was made.
"""

from __future__ import annotations

import contextlib
import os
import queue
import re
import struct
import sys
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from twinloom.atomic import PARTIAL, storage_error
from twinloom.errors import MissingAssetError, TwinloomError, require

SEPARATOR = "=" * 80
FIELD = re.compile(r"^\s*([A-Za-z]\w*(?:/[A-Za-z]\w*)?)(?:\[[^\]]*\])?(?:<=\d+)?\s+\w+")
PRIMITIVES = {"bool", "byte", "char", "string", "wstring", "float32", "float64"}
PRIMITIVES |= {f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)}
HEADER = "std_msgs/Header"
NS = 1_000_000_000
ABOUT = "twinloom"


def prefixes() -> list[Path]:
    """Where message definitions lie: this environment, and the ROS installation that is sourced."""
    sourced = os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep)
    return [Path(sys.prefix), *(Path(place) for place in sourced if place)]


def definition(name: str) -> str:
    """Text of a message type "sensor_msgs/msg/Image" with all it consists of, as MCAP's encoding "ros2msg" wants it.

    Raises:
        MissingAssetError: the package of a type is not installed.
    """
    package, _, kind = name.split("/")
    texts: dict[str, str] = {}
    waiting = [f"{package}/{kind}"]
    while waiting:
        one = waiting.pop(0)
        if one in texts:
            continue
        texts[one] = _msg_file(one)
        for line in texts[one].splitlines():
            found = FIELD.match(line.split("#")[0])
            if found and found[1] not in PRIMITIVES and "=" not in line.split("#")[0]:
                waiting.append(found[1] if "/" in found[1] else f"{one.split('/')[0]}/{found[1]}")
    first, *rest = texts.items()
    return "\n".join([first[1], *(f"{SEPARATOR}\nMSG: {other}\n{text}" for other, text in rest)])


def _msg_file(name: str) -> str:
    package, kind = name.split("/")
    for prefix in prefixes():
        path = prefix / "share" / package / "msg" / f"{kind}.msg"
        if path.is_file():
            return path.read_text(encoding="utf-8")
    raise MissingAssetError(f"no definition of the message {name} under {', '.join(map(str, prefixes()))}")


class BagWriter:
    """Writes a bag in a thread of its own; the file gets its name when it is closed.

    Args:
        path: must end with .mcap and not exist yet.
        about: text facts kept in the file.

    Raises:
        TwinloomError: the file exists, or cannot be written (raised by `put` and `close` too).
    """

    def __init__(self, path: Path, about: Mapping[str, str]) -> None:
        if path.suffix != ".mcap":
            raise TwinloomError(f"a bag is a file that ends with .mcap, not {path}")
        if path.exists():
            raise TwinloomError(f"{path} exists; bags are never overwritten, choose another name")
        self.path, self.count = path, 0
        self._partial = path.with_name(path.name + PARTIAL)
        self._error: OSError | None = None
        self._queue: queue.SimpleQueue[tuple[str, str, int, bytes, str] | None] = queue.SimpleQueue()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._partial.open("wb")
        except OSError as error:
            raise storage_error(path, error) from error
        mcap = require("mcap.writer", "ros2")
        self._writer = mcap.Writer(self._file, compression=mcap.CompressionType.LZ4)
        self._writer.start(profile="ros2", library="twinloom")
        self._writer.add_metadata(ABOUT, dict(about))
        self._channels: dict[str, tuple[int, bool]] = {}
        self._thread = threading.Thread(target=self._run, name="bag", daemon=True)
        self._thread.start()

    def put(self, topic: str, kind: str, data: bytes, received_ns: int, qos: str = "") -> None:
        """Queue one message: its type "sensor_msgs/msg/Image", its CDR bytes, when it came, the publisher's QoS."""
        if self._error is not None:
            raise storage_error(self.path, self._error)
        self._queue.put((topic, kind, received_ns, data, qos))

    def close(self) -> int:
        """Write what waits, the index, and give the file its name. Returns the number of messages."""
        self._queue.put(None)
        self._thread.join()
        if self._error is not None:
            raise storage_error(self.path, self._error)
        try:
            self._writer.finish()
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            os.replace(self._partial, self.path)
        except OSError as error:
            raise storage_error(self.path, error) from error
        return self.count

    def _run(self) -> None:
        while (item := self._queue.get()) is not None:
            if self._error is not None:
                continue
            topic, kind, received_ns, data, qos = item
            try:
                if topic not in self._channels:
                    self._channels[topic] = self._register(topic, kind, qos)
                channel, stamped = self._channels[topic]
                made_ns = stamp_of(data) if stamped else 0
                self._writer.add_message(channel, received_ns, data, made_ns or received_ns, self.count)
                self.count += 1
            except OSError as error:  # handed to the next caller
                self._error = error

    def _register(self, topic: str, kind: str, qos: str) -> tuple[int, bool]:
        text = definition(kind)
        schema = self._writer.register_schema(kind, "ros2msg", text.encode())
        channel = self._writer.register_channel(topic, "cdr", schema, {"offered_qos_profiles": qos})
        fields = [found[1] for line in text.split(SEPARATOR)[0].splitlines() if (found := FIELD.match(line))]
        return channel, bool(fields) and fields[0] == HEADER


def stamp_of(data: bytes) -> int:
    """Nanoseconds of the stamp with which a message begins that begins with a header; CDR of either byte order."""
    sec, nanosec = struct.unpack_from("<iI" if data[1] & 1 else ">iI", data, 4)
    return sec * NS + nanosec


class BagMessage(NamedTuple):
    """One message: topic, type name, when it came and when it was made (ns since the epoch), and its content."""

    topic: str
    kind: str
    received_ns: int
    made_ns: int
    value: Any


class Bag:
    """A bag that was closed, or, with .partial at its end, one whose recorder was killed.

    Raises:
        TwinloomError: no such file, or it is no MCAP file.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise TwinloomError(f"no bag {path}")
        if not path.stat().st_size:
            raise TwinloomError(f"{path} is empty: its recorder wrote nothing")
        self._reader = require("mcap.reader", "ros2")
        self._decoder = require("mcap_ros2.decoder", "ros2")
        self.about: dict[str, str] = {}
        self.topics: dict[str, tuple[str, int]] = {}
        if path.name.endswith(PARTIAL):  # without an index; what the recorder knew of itself comes first
            with (
                self._open() as reader,
                contextlib.suppress(require("mcap.exceptions", "ros2").McapError, struct.error),
            ):
                first = next(reader.iter_metadata(), None)
                self.about = dict(first.metadata) if first is not None and first.name == ABOUT else {}
            for message in self.messages(decode=False):
                kind, count = self.topics.get(message.topic, (message.kind, 0))
                self.topics[message.topic] = (kind, count + 1)
            return
        with self._open() as reader:
            summary = reader.get_summary()
            for record in reader.iter_metadata():
                if record.name == ABOUT:
                    self.about = dict(record.metadata)
            if summary is not None and summary.statistics is not None:
                counts = summary.statistics.channel_message_counts
                for number, channel in sorted(summary.channels.items()):
                    kind = summary.schemas[channel.schema_id].name
                    self.topics[channel.topic] = (kind, counts.get(number, 0))

    def messages(self, *topics: str, decode: bool = True) -> Iterator[BagMessage]:
        """Messages in the order in which they came; of all topics if none is named.

        Without ``decode`` their values are CDR bytes. A bag whose recorder was killed ends where it ends.
        """
        with self._open() as reader:
            # sorting by time would read a cut file to its missing end before it gives anything
            how = {"topics": list(topics) or None, "log_time_order": not self.path.name.endswith(PARTIAL)}
            if decode:
                found = reader.iter_decoded_messages(**how)
            else:
                found = ((s, c, m, m.data) for s, c, m in reader.iter_messages(**how))
            damaged = require("mcap.exceptions", "ros2").McapError
            while True:
                try:
                    schema, channel, message, value = next(found)
                except StopIteration:
                    return
                except (damaged, struct.error) as error:
                    if self.path.name.endswith(PARTIAL):
                        return
                    raise TwinloomError(f"{self.path} is damaged: {error}") from error
                yield BagMessage(channel.topic, schema.name, message.log_time, message.publish_time, value)

    @contextlib.contextmanager
    def _open(self) -> Iterator[Any]:
        damaged = require("mcap.exceptions", "ros2").McapError
        decoders = [self._decoder.DecoderFactory()]
        with self.path.open("rb") as file:
            try:
                if self.path.name.endswith(PARTIAL):
                    yield self._reader.NonSeekingReader(file, decoder_factories=decoders)
                else:
                    yield self._reader.make_reader(file, decoder_factories=decoders)
            except (damaged, struct.error) as error:
                raise TwinloomError(f"{self.path} is no complete MCAP file: {error}") from error
