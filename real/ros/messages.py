"""Message classes by their names."""

from __future__ import annotations

import importlib
from typing import Any

from twinloom.errors import TwinloomError


def message_class(name: str) -> Any:
    """Class of "sensor_msgs/msg/Image".

    Raises:
        TwinloomError: its package is not installed, or it has no such message.
    """
    package, _, kind = name.replace("/msg/", "/").partition("/")
    try:
        return getattr(importlib.import_module(f"{package}.msg"), kind)
    except (ModuleNotFoundError, AttributeError, ValueError) as error:
        raise TwinloomError(f"the message type {name} is not installed here: pip install ros-{package}") from error
