"""From a bag to the frames of an episode: everything on one grid of times, with the stamps it came from."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from typing import Any

import numpy as np

from real.bags.bag import Bag, BagMessage
from real.bags.legs import Legs, ticks
from real.bags.series import Series
from real.contract import RobotContract, load_contract, with_topics
from real.robots.base import VELOCITY
from twinloom.errors import TwinloomError
from twinloom.joint_names import match

NS = 1_000_000_000
MAX_GAP_S = 0.25  # between two states; more is not interpolated across
AFTER_SUCCESS_S = 0.5


class BagEpisode:
    """What a bag holds of one episode.

    Attributes:
        contract: the robot.
        task, instruction: as the recorder or the robot said.
        record: randomisation record of a simulated scene, {} otherwise.
        success: whether the robot said so; True for a real robot, whose person decides by keeping the bag; of a robot
            on legs, whether it neither fell nor was stopped while it was driven.
        times_ns: (T,) the frames.
        arrays: "observation.state", "action" (T, J) and "observation.stamps" (T, 1 + cameras).
        cameras: camera name to topic.
        facts: gaps and rates, kept with the episode.
        legs: what else is known of a robot on legs, or None.

    Raises:
        TwinloomError: states or commands are missing, or there are gaps; one line.
    """

    def __init__(self, bag: Bag, fps: int, robot: str = "") -> None:
        self.bag, self.fps = bag, fps
        if not any(count for _, count in bag.topics.values()):
            raise TwinloomError(f"{bag.path} is empty: no message was recorded; did the robot run while it was?")
        self.contract: RobotContract = with_topics(load_contract(robot or bag.about.get("robot", "")))
        self._node = bag.about.get("robot_node", "/robot")
        self.state, self.sent, self.commands, self.velocity = Series(), Series(), Series(), Series()
        self._images: dict[str, list[int]] = {}
        self._active: list[tuple[int, str]] = []
        self._success_ns = 0
        self.scene: dict[str, Any] = {}
        self.cameras = {}
        for camera in self.contract.cameras:
            for topic in (camera.topic, camera.topic + "/compressed"):
                if bag.topics.get(topic, ("", 0))[1]:
                    self.cameras[camera.name] = topic
        self._read()
        self.legs = Legs(bag, self.contract, self._node) if self.contract.imu else None
        self.task = bag.about.get("task") or self.scene.get("task", "") or "unnamed"
        self.instruction = bag.about.get("instruction") or self.scene.get("instruction", "") or self.task
        self.record = dict(self.scene.get("record", {}))
        self.success = self._success_ns > 0 if self.scene else True
        if self.legs is not None:
            modes = [mode for _, mode in self._active]
            # one whose policy ended is held first, and damped later: that is no fall
            self.success = not {("active", "damp"), ("active", "estop")} & set(itertools.pairwise(modes))
        by_ticks = self.scene and fps == self.contract.rate_hz and self.sent.stamps
        if by_ticks and self.legs is not None:
            self.times_ns, self.arrays = self._ticks(self.legs)
        else:
            self.times_ns = self._frames()
            self.arrays = self._arrays()
        if self.legs is not None:
            self.arrays |= self.legs.arrays(self.times_ns)

    # --------------------------------------------------------------- reading

    def _read(self) -> None:
        contract, prefix = self.contract, self.bag.about.get("prefix", "")
        states = {group.topic: contract.where(group.joints) for group in contract.topics.state}
        commands = {prefix + group.topic: contract.where(group.joints) for group in contract.topics.commands}
        own = {f"{self._node}/{name}": name for name in ("mode", "scene", "success", "sent")}
        pace = np.full(len(contract.names), np.nan)
        now, told = np.full(len(contract.names), np.nan), np.full(len(contract.names), np.nan)
        for message in self.bag.messages(*states, *commands, *own):
            topic, value = message.topic, message.value
            if topic in states:
                now[states[topic]] = self._positions(message, states[topic])
                if not np.isnan(now).any():
                    self.state.add(message.made_ns, contract.from_device(now))
                if contract.imu is not None and len(value.velocity) == len(value.name):
                    self._moved(message, states[topic], pace)
            elif topic in commands:
                self._command(message, commands[topic], told)
            elif own[topic] == "sent":
                order = match(list(value.name), list(contract.names), what=topic)
                self.sent.add(message.made_ns, np.asarray(value.position, float)[order])
            elif own[topic] == "mode":
                self._active.append((message.received_ns, value.data))
            elif own[topic] == "scene":
                self.scene = json.loads(value.data)
            elif value.data and not self._success_ns:
                self._success_ns = message.received_ns
        for name, topic in self.cameras.items():
            self._images[name] = [m.made_ns for m in self.bag.messages(topic, decode=False)]

    def _positions(self, message: BagMessage, where: Any) -> np.ndarray:
        wanted = np.array(self.contract.devices)[where]
        order = match(list(message.value.name), list(wanted), extra=True, what=message.topic)
        return np.asarray(message.value.position, float)[order]

    def _moved(self, message: BagMessage, where: Any, pace: np.ndarray) -> None:
        wanted = np.array(self.contract.devices)[where]
        order = match(list(message.value.name), list(wanted), extra=True, what=message.topic)
        pace[where] = np.asarray(message.value.velocity, float)[order]
        if not np.isnan(pace).any():
            self.velocity.add(message.made_ns, pace / self.contract.scale)

    def _command(self, message: BagMessage, where: np.ndarray, told: np.ndarray) -> None:
        """Commands with the moment at which they are due."""
        value = message.value
        if hasattr(value, "points"):
            if not value.points:
                return
            point = value.points[0]
            wanted = list(np.array(self.contract.devices)[where])
            told[where] = np.asarray(point.positions, float)[match(list(value.joint_names), wanted, what=message.topic)]
            due = message.made_ns + point.time_from_start.sec * NS + point.time_from_start.nanosec
        else:
            if len(value.data) != len(where):
                return
            told[where] = value.data
            due = message.received_ns + round(NS / self.contract.command_hz)
        if not np.isnan(told).any():
            self.commands.add(due, self.contract.from_device(told))

    # ------------------------------------------------------------ resampling

    def _span(self) -> tuple[int, int]:
        """From the first to the last moment in which the robot was driven and everything is known."""
        if not self.state.stamps:
            topics = ", ".join(group.topic for group in self.contract.topics.state)
            raise TwinloomError(f"{self.bag.path} has no states of {self.contract.name} ({topics})")
        acted = self.sent if self.sent.stamps else self.commands
        if not acted.stamps:
            raise TwinloomError(f"{self.bag.path} has no commands to {self.contract.name}: nothing to learn")
        begin, end = max(self.state.stamps[0], acted.stamps[0]), min(self.state.stamps[-1], acted.stamps[-1])
        driven = [stamp for stamp, mode in self._active if mode == "active"]
        if driven:
            begin = max(begin, driven[0])
            after = [stamp for stamp, mode in self._active if stamp > driven[-1] and mode != "active"]
            end = min([end, *after])
        if self._success_ns and self.legs is None:
            end = min(end, self._success_ns + round(AFTER_SUCCESS_S * NS))
        for name, stamps in self._images.items():
            if not stamps:
                raise TwinloomError(f"{self.bag.path} has no image of camera {name}")
            begin = max(begin, stamps[0])
        return begin, end

    def _frames(self) -> np.ndarray:
        begin, end = self._span()
        step = NS // self.fps
        count = (end - step - begin) // step + 1  # the action of a frame is done within the recording
        if count < 2:
            raise TwinloomError(f"{self.bag.path} was driven for {max(0, end - begin) / NS:.2f} s only")
        return begin + np.arange(count) * NS // self.fps

    def _arrays(self) -> dict[str, np.ndarray]:
        times, contract = self.times_ns, self.contract
        stamps = np.array(self.state.stamps)
        inside = stamps[(stamps >= times[0]) & (stamps <= times[-1])]
        gap = float(np.diff(inside).max()) / NS if len(inside) > 1 else np.inf
        if gap > MAX_GAP_S:
            raise TwinloomError(f"{self.bag.path}: states stop for {gap:.2f} s while the robot is driven")
        ahead = NS // self.fps
        if self.sent.stamps:  # what leaves the filter at a tick is reached at the next, or when the robot said
            delay_s = self.scene.get("delay_s", 1.0 / contract.rate_hz)
            action = self.sent.at(times + ahead - round(delay_s * NS))
        else:
            action = self.commands.at(times + ahead)
        series = {name: Series(list(s), [np.zeros(1)] * len(s)) for name, s in self._images.items()}
        columns = [self.state.before(times), *(series[name].before(times) for name in self.cameras)]
        ages = {n: float((times - c).max()) / NS for n, c in zip(self.cameras, columns[1:], strict=True)}
        self.facts = {
            "bag": self.bag.path.name,
            "began_ns": int(times[0]),
            "largest_state_gap_s": round(gap, 4),
            "oldest_image_s": {name: round(age, 4) for name, age in ages.items()},
            "states": len(inside),
            "action_from": "sent" if self.sent.stamps else "commands",
        }
        arrays = {
            "observation.state": self.state.at(times).astype(np.float32),
            "action": action.astype(np.float32),
            "observation.stamps": np.stack(columns, axis=1).astype(np.int64),
        }
        if self.velocity.stamps:
            arrays[VELOCITY] = self.velocity.at(times).astype(np.float32)
        return arrays

    def _ticks(self, legs: Legs) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Frames that are the ticks of a simulated robot on legs, so that its motion is replayed exactly.

        Walking is unstable: an action that is a hundredth of a tick late is another walk after some seconds. So nothing
        is resampled; where the machine was late, the tick's set points are repeated as often as the robot did.
        """
        begin, end = self._span()
        sent_ns, state_ns = np.array(self.sent.stamps), np.array(self.state.stamps)
        made = ticks(sent_ns, 1.0 / self.contract.rate_hz)
        known = np.isin(sent_ns, state_ns) & np.isin(sent_ns, np.array(self.velocity.stamps))
        rows = np.flatnonzero((sent_ns >= begin) & (sent_ns <= end))
        while len(rows) and not (known[rows[0]] and int(sent_ns[rows[0]]) in legs.truth.stamps):
            rows = rows[1:]
        if len(rows) < 2:
            raise TwinloomError(f"{self.bag.path} was driven for less than two ticks")
        first = int(sent_ns[rows[0]])
        self.record["start"] = legs.start(first, *self._at(first))
        repeated = np.repeat(rows, made[rows])
        starts, frames = np.cumsum(made[rows]) - made[rows], np.arange(len(repeated))
        # where a row lasts several ticks, only the state before the first was measured
        moments = np.interp(frames, starts, (sent_ns[rows] - first).astype(float)) + first
        states, velocities = self.state.at(moments), self.velocity.at(moments)
        self.facts = {
            "bag": self.bag.path.name,
            "began_ns": first,
            "states": int(known[rows].sum()),
            "ticks_caught_up": int((made[rows] - 1).sum()),
            "action_from": "sent",
        }
        times = first + np.arange(len(repeated)) * NS // self.fps
        return times, {
            "observation.state": states.astype(np.float32),
            VELOCITY: velocities.astype(np.float32),
            "action": np.array(self.sent.rows)[repeated].astype(np.float32),
            "observation.stamps": sent_ns[repeated][:, None].astype(np.int64),
        }

    def _at(self, stamp_ns: int) -> tuple[np.ndarray, np.ndarray]:
        """Positions and velocities of the state with this stamp."""
        q, qd = (series.at(np.array([stamp_ns]))[0] for series in (self.state, self.velocity))
        return q, qd

    def images(self) -> Iterator[dict[str, np.ndarray]]:
        """Frame after frame: camera name to the newest (H, W, 3) image at or before the frame's time."""
        streams = {name: _Newest(self.bag.messages(topic)) for name, topic in self.cameras.items()}
        for time_ns in self.times_ns:
            yield {name: stream.at(int(time_ns)) for name, stream in streams.items()}


class _Newest:
    """Images of one camera in order; decodes those that are wanted."""

    def __init__(self, messages: Iterator[BagMessage]) -> None:
        self._messages = messages
        self._present: BagMessage | None = None
        self._ahead: BagMessage | None = next(messages, None)
        self._image: np.ndarray | None = None

    def at(self, time_ns: int) -> np.ndarray:
        while self._ahead is not None and self._ahead.made_ns <= time_ns:
            self._present, self._image = self._ahead, None
            self._ahead = next(self._messages, None)
        assert self._present is not None  # the span begins with the first image
        if self._image is None:
            from real.bags.images import read_any_image

            self._image = read_any_image(self._present.value)
        return self._image
