"""Images in ROS messages as arrays, whether rclpy or a bag reader made the message. Loads no ROS."""

from __future__ import annotations

from typing import Any

import numpy as np

from twinloom.errors import TwinloomError

CHANNELS = {
    "rgb8": (np.uint8, 3),
    "bgr8": (np.uint8, 3),
    "rgba8": (np.uint8, 4),
    "bgra8": (np.uint8, 4),
    "mono8": (np.uint8, 1),
    "16UC1": (np.uint16, 1),
    "32FC1": (np.float32, 1),
}


def read_image(message: Any) -> np.ndarray:
    """A raw image as (H, W, 3) uint8 RGB, or as (H, W) in its own type where it has one channel.

    Raises:
        TwinloomError: unknown encoding, or fewer bytes than its size says.
    """
    if message.encoding not in CHANNELS:
        raise TwinloomError(f'image encoding "{message.encoding}" is not read; read are: {", ".join(CHANNELS)}')
    dtype, channels = CHANNELS[message.encoding]
    width = message.width * channels
    row = width * np.dtype(dtype).itemsize
    if message.step < row or len(message.data) < message.step * message.height:
        raise TwinloomError(f"image of {message.width}x{message.height} {message.encoding} with too few bytes")
    raw = np.frombuffer(message.data, np.uint8)[: message.step * message.height].reshape(message.height, message.step)
    order = ">" if message.is_bigendian else "<"
    pixels = np.ascontiguousarray(raw[:, :row]).view(np.dtype(dtype).newbyteorder(order))
    if channels == 1:
        return pixels.astype(dtype, copy=False)
    pixels = pixels.reshape(message.height, message.width, channels)[..., :3]
    return np.ascontiguousarray(pixels[..., ::-1] if message.encoding.startswith("bgr") else pixels)


def read_jpeg(message: Any) -> np.ndarray:
    """A JPEG or PNG message as (H, W, 3) uint8 RGB.

    Raises:
        TwinloomError: the bytes are no image.
    """
    import io

    from PIL import Image as PilImage
    from PIL import UnidentifiedImageError

    try:
        return np.asarray(PilImage.open(io.BytesIO(bytes(message.data))).convert("RGB"))
    except (UnidentifiedImageError, OSError) as error:
        raise TwinloomError(f'compressed image of format "{message.format}" cannot be decoded: {error}') from error


def read_any_image(message: Any) -> np.ndarray:
    """(H, W, 3) uint8 of a raw or a compressed image message."""
    return read_jpeg(message) if hasattr(message, "format") else read_image(message)
