"""What a policy sees of a robot over topics: the newest state and images, put together when they are wanted."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from rclpy.node import Node
from sensor_msgs.msg import CompressedImage, Image, JointState

from real.bags.images import read_any_image
from real.contract import RobotContract
from real.ros import convert
from real.ros.health import ERROR, OK, WARN, Health
from real.ros.qos import IMAGE_IN, STATE_IN, on_subscription
from real.timing import Mailbox
from twinloom.errors import TwinloomError
from twinloom.features import IMAGES, STATE, Feature
from twinloom.joint_names import NamesError


class Observer:
    """Subscribes to states and cameras.

    Args:
        node: which node hears them.
        contract: robot file.
        features: observations that are wanted; cameras not among them are not subscribed.
        jpeg: read the compressed topics.
        health: told of topics that are silent or do not fit.
        on_state: called in the executor thread with the stamp (ns) of each complete state.

    Attributes:
        state: newest positions (J,), stamp in ns, and velocities (J,), NaN where the driver sends none.
    """

    STALE_S = 0.5

    def __init__(
        self,
        node: Node,
        contract: RobotContract,
        features: Mapping[str, Feature],
        *,
        jpeg: bool,
        health: Health,
        on_state: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.contract, self._health, self._on_state = contract, health, on_state
        self._features = dict(features)
        self._q, self._qd = np.full(len(contract.names), np.nan), np.full(len(contract.names), np.nan)
        self._have = 0
        self._newest_ns = [0] * len(contract.topics.state)
        self.state: Mailbox[tuple[np.ndarray, int, np.ndarray]] = Mailbox()
        self.images: dict[str, Mailbox[Any]] = {}
        self._topics: dict[str, str] = {}
        self._began = time.monotonic()
        for position, group in enumerate(contract.topics.state):
            where = contract.where(group.joints)
            wanted = tuple(contract.devices[k] for k in where)
            node.create_subscription(
                JointState,
                group.topic,
                lambda m, t=group.topic, w=where, n=wanted, p=position: self._heard(m, t, w, n, p),  # type: ignore[misc]
                STATE_IN,
                event_callbacks=on_subscription(group.topic, health.on_mismatch),
            )
        for camera in contract.cameras:
            if IMAGES + camera.name not in features:
                continue
            topic = camera.topic + ("/compressed" if jpeg else "")
            self.images[camera.name] = box = Mailbox()
            self._topics[camera.name] = topic
            node.create_subscription(
                CompressedImage if jpeg else Image,
                topic,
                box.put,
                IMAGE_IN,
                event_callbacks=on_subscription(topic, health.on_mismatch),
            )

    def _heard(self, message: JointState, topic: str, where: np.ndarray, names: tuple[str, ...], position: int) -> None:
        try:
            positions = convert.read_positions(message, names, topic)
        except NamesError as error:
            self._health.set(f"state {topic}", ERROR, str(error))
            return
        stamp_ns = convert.from_stamp(message.header.stamp)
        old = self._old(stamp_ns, time.time_ns(), position) if stamp_ns else ""
        if old:
            self._health.set(f"state {topic}", ERROR, old)
            return
        if self._health.level(f"state {topic}") != OK:
            self._health.set(f"state {topic}", OK, "new states come")
        self._q[where], self._qd[where] = positions, convert.read_velocities(message, names, topic)
        self._have |= 1 << position
        if self._have == (1 << len(self.contract.topics.state)) - 1:  # every group since the last complete state
            self._have = 0
            stamp_ns = stamp_ns or time.time_ns()
            velocities = self._qd / self.contract.scale  # they have no offset
            self.state.put((self.contract.from_device(self._q), stamp_ns, velocities))
            self._on_state(stamp_ns)

    def _old(self, stamp_ns: int, wall_ns: int, position: int) -> str:
        """Why a state says nothing about now, by its stamp, or "". A driver may repeat what it measured once."""
        rules, newest = self.contract.stamps, self._newest_ns[position]
        age_s = 1e-9 * (wall_ns - stamp_ns)
        if age_s > rules.max_age_s:
            return f"its stamps are more than {rules.max_age_s:g} s old; the driver is stuck, or clocks differ"
        if age_s < -rules.max_future_s:
            return f"its stamps are more than {rules.max_future_s:g} s in the future; clocks differ"
        if stamp_ns <= newest and newest <= wall_ns + 1e9 * rules.max_future_s:  # else the clock was set back
            return "it repeats a state, or goes back in time"
        self._newest_ns[position] = stamp_ns
        return ""

    def age(self, now: float) -> float:
        """Seconds since the newest state; infinite before the first."""
        newest = self.state.get()
        return np.inf if newest is None else now - newest[0]

    def observe(self, now: float) -> tuple[dict[str, np.ndarray], float, str]:
        """(observation, monotonic time of its state, what is missing or ""); joints in the order of the features.

        Images have the size that the policy asks for. A camera that is silent for half a second is missing.
        """
        newest = self.state.get()
        if newest is None or now - newest[0] > self.STALE_S:
            return {}, 0.0, "no state from " + ", ".join(g.topic for g in self.contract.topics.state)
        came, (q, *_) = newest
        names = self._features[STATE].names if STATE in self._features else self.contract.names
        found = {
            STATE: q[self.contract.where(names)].astype(np.float32),
            "timestamp": np.array([came]),
        }
        silent = []
        for name, box in self.images.items():
            image = box.get()
            since = now - (image[0] if image else self._began)
            if image is None or since > self.STALE_S:
                silent.append(name)
                continue
            try:
                frame = read_any_image(image[1])
                found[IMAGES + name] = _fit(frame, self._features[IMAGES + name].shape)
            except TwinloomError as error:
                self._health.set(f"camera {name}", ERROR, f"{self._topics[name]}: {error}")
                silent.append(name)
                continue
            if self._health.level(f"camera {name}") != OK:
                self._health.set(f"camera {name}", OK, "images come")
        for name in silent:
            if self._health.level(f"camera {name}") == OK and now - self._began > self.STALE_S:
                self._health.set(f"camera {name}", WARN, f"no image on {self._topics[name]} for {self.STALE_S:g} s")
        missing = f"no image from camera {', '.join(silent)}" if silent else ""
        return found, came, missing


def _fit(frame: np.ndarray, shape: tuple[int, ...]) -> np.ndarray:
    """The image in the size of a feature (height, width, 3)."""
    if frame.shape == tuple(shape):
        return frame
    from PIL import Image as PilImage

    return np.asarray(PilImage.fromarray(frame).resize((shape[1], shape[0]), PilImage.Resampling.BILINEAR))
