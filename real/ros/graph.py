"""``real topics``, ``hz``, ``echo``: the graph seen with rclpy alone, where ROS's own command line is absent."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from real.ros.messages import message_class
from real.ros.qos import recording
from real.ros.session import Session
from twinloom.errors import UnknownNameError

LOOK_S = 2.5  # discovery takes up to this long on a busy machine
SETTLED_S = 1.5  # without a new topic
HIDDEN = ("/rosout", "/parameter_events")


def topics(session: Session, seconds: float = 2 * LOOK_S) -> list[tuple[str, str, int, int]]:
    """(topic, type, publishers, subscribers) of everything that others have; waits until the graph stops growing."""
    settled, count, end = 0.0, -1, time.monotonic() + seconds
    pause = session.pause
    while time.monotonic() < end:
        now = len(session.node.get_topic_names_and_types())
        settled = settled + 0.1 if now == count and now > len(HIDDEN) else 0.0
        count = now
        if settled > SETTLED_S:
            break
        pause(0.1)
    rows = []
    for topic, kinds in sorted(session.node.get_topic_names_and_types()):
        publishers, subscribers = session.node.count_publishers(topic), session.node.count_subscribers(topic)
        if topic not in HIDDEN and publishers + subscribers:
            rows.append((topic, ", ".join(kinds), publishers, subscribers))
    return rows


def subscribe(session: Session, topic: str, take: Callable[[Any], None], raw: bool, seconds: float = 2 * LOOK_S) -> str:
    """Subscribe to a topic as its publishers offer it; looks ``seconds`` for one. Returns its type.

    Raises:
        UnknownNameError: nobody publishes it.
    """
    offers: list[Any] = []

    def offered() -> bool:
        offers[:] = session.node.get_publishers_info_by_topic(topic)
        return bool(offers)

    end = time.monotonic() + seconds
    while not offered() and time.monotonic() < end:
        session.pause(0.05)
    if not offers:
        known = [name for name, _, publishers, _ in topics(session) if publishers]
        raise UnknownNameError("topic", topic, known, "real topics")
    kind = offers[0].topic_type
    reliable = all(o.qos_profile.reliability.name == "RELIABLE" for o in offers)
    latched = all(o.qos_profile.durability.name == "TRANSIENT_LOCAL" for o in offers)
    session.node.create_subscription(message_class(kind), topic, take, recording(latched, reliable), raw=raw)
    return kind


def rate(session: Session, topic: str, seconds: float) -> dict[str, float]:
    """Messages per second of a topic, and how evenly they come: mean, p1, p50, p99, max of the period in ms."""
    times: list[float] = []
    sizes: list[int] = []

    def take(data: bytes) -> None:
        times.append(time.monotonic())
        sizes.append(len(data))

    subscribe(session, topic, take, raw=True)
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        session.pause(0.05)
    if len(times) < 2:
        return {"messages": len(times)}
    periods = 1e3 * np.diff(times)
    p1, p50, p99 = np.percentile(periods, [1, 50, 99])
    return {
        "messages": len(times),
        "hz": 1e3 / float(periods.mean()),
        "period_p1_ms": float(p1),
        "period_p50_ms": float(p50),
        "period_p99_ms": float(p99),
        "period_max_ms": float(periods.max()),
        "kB_per_s": sum(sizes) / 1e3 / (times[-1] - times[0]),
    }


def show(message: Any, indent: int = 0, longest: int = 24) -> str:
    """A message as YAML-like text; long arrays are cut."""
    lines = []
    for field in message.get_fields_and_field_types():
        value = getattr(message, field)
        pad = " " * indent
        if hasattr(value, "get_fields_and_field_types"):
            lines += [f"{pad}{field}:", show(value, indent + 2, longest)]
        elif isinstance(value, (bytes, str)) or not hasattr(value, "__len__"):
            lines.append(f"{pad}{field}: {value!r}" if isinstance(value, (bytes, str)) else f"{pad}{field}: {value}")
        elif len(value) and hasattr(value[0], "get_fields_and_field_types"):
            lines.append(f"{pad}{field}:")
            lines += [f"{pad}- " + show(item, indent + 2, longest).lstrip() for item in list(value)[:longest]]
        else:
            shown = [round(v, 6) if isinstance(v, float) else v for v in list(value[:longest])]
            more = f", ... {len(value) - longest} more" if len(value) > longest else ""
            lines.append(f"{pad}{field}: [{', '.join(map(str, shown))}{more}]")
    return "\n".join(lines)
