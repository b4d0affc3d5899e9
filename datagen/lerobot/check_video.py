"""Checks of the video files: frame count, time grid, key frames, codec and size, and that every frame decodes."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from av.error import FFmpegError

from datagen.lerobot.check import Check
from datagen.lerobot.check_stats import check_image_stats
from datagen.lerobot.video import open_video, probe, scan
from twinloom.errors import TwinloomError

TOLERANCE_S = 1e-4  # LeRobot's default: a frame further from its time is not found
FLAT = 6  # grey levels: what coding leaves in an image of one colour


def check_videos(check: Check, step: Callable[[str], None], *, decode: bool) -> None:
    """Every video file that episodes refer to."""
    for key in check.cameras():
        numbered = enumerate(check.rows)
        for file, group in itertools.groupby(numbered, key=lambda item: check.video_file(item[1], key)):
            if (check.root / file).is_file():
                step(file.as_posix())
                _check_file(check, key, file, list(group), decode)


def _check_file(check: Check, key: str, file: Path, episodes: list[tuple[int, dict[str, Any]]], decode: bool) -> None:
    _check_places(check, key, file, episodes)
    frames = sum(row["length"] for _, row in episodes)
    try:
        packets = list(scan(check.root / file, check.fps))
    except TwinloomError as error:
        check.add(file, str(error))
        return
    if sorted(p.index for p in packets) != list(range(len(packets))):
        check.add(file, "frames are missing or doubled inside the file")
    if len(packets) != frames:
        check.add(file, f"{len(packets)} frames, its {len(episodes)} episodes have {frames}")
    keys = {packet.index for packet in packets if packet.is_key}
    start = 0
    for number, row in episodes:
        if start not in keys and start < len(packets):
            check.add(file, f"frame {start} is no key frame, so the episode cannot be cut out", number, kind="key")
        start += row["length"]
    _check_stream(check, key, file, frames)
    if decode:
        _decode(check, key, file, episodes)


def _check_places(check: Check, key: str, file: Path, episodes: list[tuple[int, dict[str, Any]]]) -> None:
    """Time stamps in meta/episodes against frame counts."""
    start = 0
    for number, row in episodes:
        end = start + row["length"]
        for name, frame in (("from_timestamp", start), ("to_timestamp", end)):
            said = row[f"videos/{key}/{name}"]
            if not abs(said - frame / check.fps) <= TOLERANCE_S:
                message = f"{name} of {key} is {said:.6f}, by frame counts it is {frame / check.fps:.6f}"
                check.add("meta/episodes", message, number, kind=f"{name} of {key}")
        start = end


def _check_stream(check: Check, key: str, file: Path, frames: int) -> None:
    container, stream = open_video(check.root / file)
    with container:
        entry = check.info["features"][key]
        height, width = entry["shape"][:2]
        if entry.get("names") and entry["names"][0] == "channels":
            height, width = entry["shape"][1:]
        if (stream.height, stream.width) != (height, width):
            check.add(file, f"frames are {stream.width}x{stream.height}, info.json says {width}x{height}")
        said = entry.get("info") or {}
        found = probe(check.root / file, check.fps)
        for name in ("video.codec", "video.pix_fmt"):
            value = found[name]
            if name in said and said[name] != value:
                check.add(file, f"{name} is {value}, info.json says {said[name]}")
        if stream.duration is not None and stream.time_base is not None:
            seconds = float(stream.duration * stream.time_base)
            if abs(seconds - frames / check.fps) > 0.5 / check.fps:
                check.add(
                    file, f"lasts {seconds:.3f} s, {frames} frames at {check.fps} Hz last {frames / check.fps:.3f} s"
                )


def _decode(check: Check, key: str, file: Path, episodes: list[tuple[int, dict[str, Any]]]) -> None:
    """Decode everything, strictly, and compare mean colours with the statistics."""
    container, stream = open_video(check.root / file)
    stream.codec_context.options = {"err_detect": "explode"}
    number, row = episodes[0]
    with container:
        try:
            decoded = container.decode(stream)
            for number, row in episodes:
                sums, flat = [], 0
                for image in itertools.islice(decoded, row["length"]):
                    pixels = image.to_ndarray(format="rgb24", threads=1).reshape(-1, 3)
                    sums.append(pixels.mean(axis=0))
                    flat += int(np.ptp(pixels[:: max(1, len(pixels) // 5000)], axis=0).max()) <= FLAT
                if len(sums) < row["length"]:
                    check.add(file, f"frame {len(sums)} and later do not decode", number, kind="decode")
                    return
                check_image_stats(check, number, key, np.mean(sums, axis=0) / 255.0)
                if flat:
                    colour = "black" if np.mean(sums) < FLAT else "of one colour"
                    said = f'{flat} of {row["length"]} images of "{key}" are {colour}'
                    check.note(file, said, number, kind=f"images of one colour, {key}")
        except (FFmpegError, OSError) as error:
            check.add(file, f"does not decode: {error}", number)
