"""``real doctor``: what this machine's ROS is, what it lacks, one fix a line. Runs without ROS too."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import json
import os
import resource
import shutil
import sys
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from real.stack.segments import clean, dead
from twinloom.doctor import Finding, python
from twinloom.doctor import report as lines
from twinloom.errors import TwinloomError
from twinloom.extras import install_line

SHM = Path("/dev/shm")
SEGMENT = 32 * 2**20  # bytes of launch/fastdds.xml
OPTIONAL = {
    "control_msgs": "actions of ros2_control; topics work without",
    "tf2_msgs": "publishing /tf",
    "launch_ros": "ros2 launch; real up works without",
    "unitree_sdk2py": "Unitree robots",
    "mcap": "bags",
    "websockets": "policy servers",
}


def examine(quick: bool) -> list[Finding]:
    """Look at everything; a check that fails does not keep the others from running."""
    checks = [python, ros, mixed, discovery, shared_memory, profile, scheduler, security, optional]
    findings = [finding for check in checks for finding in check()]
    if not quick and findings and importlib.util.find_spec("rclpy") and not any(f.state == "fail" for f in findings):
        findings += list(round_trip())
    return findings


def ros() -> Iterator[Finding]:
    """rclpy: there, from where, which version, which middleware."""
    found = importlib.util.find_spec("rclpy")
    if found is None or not found.origin:
        fix = f"{install_line('ros2')}; where there are no wheels, use the ROS of the system: docs/real/ros2.md"
        yield Finding("rclpy", "fail", "not installed", fix)
        return
    try:
        import rclpy.utilities
    except ImportError as error:
        fix = "use the Python of the ROS that is sourced, or a shell in which none is sourced"
        yield Finding("rclpy", "fail", f"{found.origin} cannot be imported: {error}", fix)
        return
    wheel = _wheel()
    origin = f"wheel {wheel}" if wheel and _within(found.origin) else f"system ROS {os.environ.get('ROS_DISTRO', '')}"
    middleware = rclpy.utilities.get_rmw_implementation_identifier()
    yield Finding("rclpy", "ok", f"{origin}, {found.origin}")
    yield Finding("middleware", "ok", middleware)


def mixed() -> Iterator[Finding]:
    """Wheels and a system ROS at once load each other's libraries in an order that changes."""
    sourced = [
        p for p in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if p and Path(p) != Path(sys.prefix)
    ]
    foreign = [p for p in sourced if (Path(p) / "share" / "rclpy" / "package.xml").is_file()]
    found = importlib.util.find_spec("rclpy")
    if _wheel() and foreign:
        text = f"rclpy wheels {_wheel()} and the ROS in {', '.join(foreign)} are both on the path"
        yield Finding("mixed ROS", "fail", text, "open a shell without sourcing ROS, or uninstall the wheels")
    elif _wheel() and found and found.origin and not _within(found.origin):
        text = f"wheels are installed, but rclpy comes from {found.origin}"
        yield Finding("mixed ROS", "fail", text, "unset PYTHONPATH, or uninstall the wheels")
    else:
        yield Finding("mixed ROS", "ok", "one installation")


def discovery() -> Iterator[Finding]:
    """Who is found."""
    reach = os.environ.get("ROS_AUTOMATIC_DISCOVERY_RANGE", "SUBNET (default)")
    domain = os.environ.get("ROS_DOMAIN_ID", "0 (default)")
    peers = os.environ.get("ROS_STATIC_PEERS", "")
    text = f"range {reach}, domain {domain}" + (f", peers {peers}" if peers else "")
    if reach.startswith("SUBNET"):
        fix = "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST (real up does) unless robots are on another computer"
        yield Finding("discovery", "warn", f"{text}: everyone on the network can send commands", fix)
    elif reach == "OFF":
        yield Finding(
            "discovery", "fail", f"{text}: nothing is found", "export ROS_AUTOMATIC_DISCOVERY_RANGE=LOCALHOST"
        )
    else:
        yield Finding("discovery", "ok", text)
    if os.environ.get("ROS_LOCALHOST_ONLY"):
        yield Finding("discovery", "warn", "ROS_LOCALHOST_ONLY is deprecated", "unset ROS_LOCALHOST_ONLY")


def shared_memory() -> Iterator[Finding]:
    """Room for DDS segments, and what killed processes left."""
    if not SHM.is_dir():
        yield Finding("shared memory", "warn", "no /dev/shm: images go through UDP", "mount a tmpfs there")
        return
    free = shutil.disk_usage(SHM).free
    left = [lock.with_name(lock.name[:-3]) for lock in dead()]
    left = [path for path in left if path.is_file()]
    size = sum(p.stat().st_blocks * 512 for p in left) / 2**20
    text = f"{free / 2**20:,.0f} MiB free; {size:,.0f} MiB in {len(left)} segments of dead processes"
    enough = free > 8 * SEGMENT
    yield Finding(
        "shared memory", "ok" if enough else "warn", text, "" if enough else "real doctor --clean removes them"
    )


def profile() -> Iterator[Finding]:
    """The transport profile, without which raw images are lost."""
    path = os.environ.get("FASTDDS_DEFAULT_PROFILES_FILE") or os.environ.get("FASTRTPS_DEFAULT_PROFILES_FILE")
    ours = next((p for p in _profiles() if p.is_file()), None)
    if not path:
        text = "none set: raw images larger than 0.5 MB are lost in this shell; real up sets ours for its nodes"
        yield Finding("DDS profile", "warn", text, f"export FASTDDS_DEFAULT_PROFILES_FILE={ours}" if ours else "")
        return
    try:
        sizes = [int(e.text or 0) for e in ElementTree.parse(path).iter() if e.tag.endswith("segment_size")]
    except (OSError, ElementTree.ParseError, ValueError) as error:
        yield Finding(
            "DDS profile", "fail", f"{path}: {error}", "unset FASTDDS_DEFAULT_PROFILES_FILE, or mend the file"
        )
        return
    large = max(sizes, default=0)
    text = f"{path}, segment of {large / 2**20:.1f} MiB"
    yield Finding(
        "DDS profile", "ok" if large >= 8 * 2**20 else "warn", text, "" if large >= 8 * 2**20 else f"use {ours}"
    )


def scheduler() -> Iterator[Finding]:
    """Whether a control thread may ask for real-time priority."""
    soft, _ = resource.getrlimit(resource.RLIMIT_RTPRIO)
    text = "allowed" if soft > 0 or os.geteuid() == 0 else "not allowed"
    yield Finding("real-time priority", "none" if text != "allowed" else "ok", f"{text}; off unless sched_fifo is set")


def security() -> Iterator[Finding]:
    """SROS2."""
    if os.environ.get("ROS_SECURITY_ENABLE", "").lower() != "true":
        yield Finding(
            "security", "none", "off: whoever is found by discovery can command a robot; see docs/real/ros2.md"
        )
    elif _wheel():
        yield Finding(
            "security", "fail", "the wheels are built without it", "use a system ROS, or unset ROS_SECURITY_ENABLE"
        )
    else:
        keystore = os.environ.get("ROS_SECURITY_KEYSTORE", "")
        there = Path(keystore).is_dir()
        yield Finding(
            "security",
            "ok" if there else "fail",
            f"on, keystore {keystore or 'missing'}",
            "" if there else "set ROS_SECURITY_KEYSTORE",
        )


def optional() -> Iterator[Finding]:
    """Packages that make more possible."""
    for module, purpose in OPTIONAL.items():
        there = importlib.util.find_spec(module) is not None
        yield Finding(module, "ok" if there else "none", purpose if there else f"not installed ({purpose})")


def round_trip() -> Iterator[Finding]:
    """Two processes: discovery, latency, image loss."""
    from real.ros.roundtrip import measure

    try:
        found = measure()
    except TwinloomError as error:
        yield Finding(
            "round trip", "fail", str(error), "a firewall or container may keep processes apart; try ROS_DOMAIN_ID=77"
        )
        return
    import numpy as np

    if not len(found.there_and_back_ms):
        yield Finding("round trip", "fail", "no message came back", "real doctor --clean, then again")
        return
    half = np.percentile(found.there_and_back_ms, [50, 99]) / 2
    text = f"one way p50 {half[0]:.2f} ms, p99 {half[1]:.2f} ms; found after {found.discovery_s:.1f} s"
    yield Finding("round trip", "ok" if half[1] < 5 else "warn", text, "" if half[1] < 5 else "the machine is busy")
    lost, sent = found.images_lost, found.images
    text = f"{sent - lost} of {sent} images of 640x480 came through"
    yield Finding(
        "images", "ok" if not lost else "warn", text, "" if not lost else "see DDS profile above, or use jpeg"
    )


def doctor(as_json: bool = False, quick: bool = False, clean_up: bool = False) -> int:
    """Print the report, after removing leftovers if ``clean_up``; returns 1 if something must be fixed, else 0."""
    if clean_up:
        print(f"{clean()} segments of dead processes removed")
    findings = examine(quick)
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings], indent=2))
    else:
        text = lines(findings)
        print(text.rpartition("\n")[0])
        failures = sum(finding.state == "fail" for finding in findings)
        print(f"{failures} to fix" if failures else "ready: real up sim_robot")
    return int(any(finding.state == "fail" for finding in findings))


def _wheel() -> str:
    try:
        return importlib.metadata.version("ros-rclpy")
    except importlib.metadata.PackageNotFoundError:
        return ""


def _within(path: str) -> bool:
    return Path(path).resolve().is_relative_to(Path(sys.prefix).resolve())


def _profiles() -> list[Path]:
    from twinloom.machine import REPOSITORY

    return [REPOSITORY / "launch" / "fastdds.xml", Path(sys.prefix) / "share" / "twinloom" / "launch" / "fastdds.xml"]
