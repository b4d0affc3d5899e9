"""Images of a dataset: a strip of frames for each task and a contact sheet of tasks x draws."""

from __future__ import annotations

import base64
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from datagen.lerobot.read import Dataset
from datagen.report.facts import TaskFacts
from twinloom.atomic import atomic_file

STRIP_FRAMES = 7
SHEET_DRAWS = 6
TILE_HEIGHT = 120  # pixels of an image in the page
GAP = 2
MARGIN = 8
LABEL_HEIGHT = 16
FALLING_QUALITIES = (78, 65, 50, 35)


def head_camera(cameras: Sequence[str]) -> str | None:
    """The camera that shows most: the one called "head", else the first; None where there is no video."""
    return next((name for name in cameras if "head" in name), cameras[0] if cameras else None)


def frame_strip(dataset: Dataset, episode: int, camera: str, frames: int = STRIP_FRAMES) -> Image.Image:
    """First, last and evenly spaced frames of an episode side by side."""
    length = dataset.row(episode)["length"]
    moments = np.unique(np.linspace(0, length - 1, frames).round().astype(int))
    return _row([tile(dataset.frame(episode, int(moment), camera)) for moment in moments])


def draws(dataset: Dataset, task: TaskFacts, camera: str, count: int = SHEET_DRAWS) -> list[Image.Image]:
    """First frames of episodes of a task, evenly spaced over the dataset."""
    chosen = np.unique(np.linspace(0, task.made - 1, min(count, task.made)).round().astype(int)) if task.made else []
    return [tile(dataset.frame(task.episodes[i], 0, camera)) for i in chosen]


def tile(frame: np.ndarray) -> Image.Image:
    """A frame at the height of the page's images."""
    height, width = frame.shape[:2]
    size = (max(1, round(width * TILE_HEIGHT / height)), TILE_HEIGHT)
    return Image.fromarray(frame).resize(size, Image.Resampling.LANCZOS)


def data_urls(images: dict[str, Image.Image], budget: int) -> dict[str, str]:
    """JPEG data URLs of the images, at the best quality with which all of them fit into ``budget`` bytes."""
    urls: dict[str, str] = {}
    for quality in FALLING_QUALITIES:
        urls = {name: _data_url(image, quality) for name, image in images.items()}
        if sum(map(len, urls.values())) <= budget:
            break
    return urls


def contact_sheet(rows: dict[str, list[Image.Image]], path: Path) -> None:
    """Write one PNG: a labelled row of draws for each task, in columns so that it is about as wide as it is high."""
    rows = {name: images for name, images in rows.items() if images}
    if not rows:
        return
    width = max(sum(p.width + GAP for p in images) for images in rows.values()) + MARGIN
    height = max(p.height for images in rows.values() for p in images) + LABEL_HEIGHT + MARGIN
    columns = max(1, round((len(rows) * height / width) ** 0.5))
    lines = -(-len(rows) // columns)
    sheet = Image.new("RGB", (columns * width + MARGIN, lines * height + MARGIN), "white")
    pen, font = ImageDraw.Draw(sheet), ImageFont.load_default(12)
    for number, (name, images) in enumerate(rows.items()):
        x, y = MARGIN + number % columns * width, MARGIN + number // columns * height
        pen.text((x, y), _fit(name, pen, font, width - MARGIN), fill="black", font=font)
        for image in images:
            sheet.paste(image, (x, y + LABEL_HEIGHT))
            x += image.width + GAP
    with atomic_file(path) as temporary:
        sheet.save(temporary, format="PNG", optimize=True)


def _row(images: list[Image.Image]) -> Image.Image:
    width = sum(p.width + GAP for p in images) - GAP
    row = Image.new("RGB", (width, images[0].height), "gray")  # between black and white pages
    x = 0
    for image in images:
        row.paste(image, (x, 0))
        x += image.width + GAP
    return row


def _data_url(image: Image.Image, quality: int) -> str:
    buffer = io.BytesIO()
    image.save(buffer, format="JPEG", quality=quality, optimize=True)
    return "data:image/jpeg;base64," + base64.b64encode(buffer.getvalue()).decode("ascii")


def _fit(text: str, pen: ImageDraw.ImageDraw, font, width: int) -> str:
    """The text, cut with an ellipsis if it is wider than ``width`` pixels."""
    short = text
    while len(short) > 1 and pen.textlength(short, font=font) > width:
        text = text[:-1]
        short = text + "…"
    return short
