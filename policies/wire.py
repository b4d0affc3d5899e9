"""What goes over the wire between a policy server and a robot: msgpack maps with NumPy arrays as raw bytes.

An array is the map ``{"nd": dtype, "shape": [...], "data": bytes}`` in C order, dtype in NumPy's notation ("<f4").
Only numbers and booleans travel; nothing that arrives is ever executed or unpickled. Any language with msgpack can take
part.

Messages are maps with a "type". The server begins with "hello" (protocol, spec, server). A client sends "reset" or
"act" (observation) with an "id"; the answer has the same id and is "ready", "actions" (actions, seconds) or "error"
(error, one line).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from twinloom.errors import TwinloomError, require

PROTOCOL = 2
TOKEN_VARIABLE = "POLICY_TOKEN"  # of the environment, for servers and clients that are given no other
LIMIT = 32 * 2**20  # bytes of one message: three 640x480 images are 2.7 MB
ITEMS = 100_000  # maps, lists and what is in them, of one message: a megabyte of empty maps would take a hundred
LONGEST = 10_000  # entries of one map or list
KINDS = "biuf"  # of NumPy dtypes: booleans, integers, floats
HEALTH = "/healthz"


class WireError(TwinloomError):
    """Bytes that are no message of ours."""


def pack(message: Mapping[str, Any]) -> bytes:
    """One message as bytes. Raises TwinloomError for values that cannot travel."""
    msgpack = require("msgpack", "serve")
    try:
        return msgpack.packb(message, default=_array_out, use_bin_type=True)
    except (TypeError, ValueError, OverflowError) as error:
        raise TwinloomError(f"this message cannot be sent: {error}") from error


def unpack(data: bytes | str) -> dict[str, Any]:
    """The message in these bytes. Raises WireError if it is none."""
    msgpack = require("msgpack", "serve")
    if isinstance(data, str):
        raise WireError("a text frame; messages are binary msgpack")
    budget = _Budget()
    try:
        message = msgpack.unpackb(
            data,
            object_hook=budget.map,
            list_hook=budget.list,
            raw=False,
            strict_map_key=True,
            max_map_len=LONGEST,
            max_array_len=LONGEST,
            max_ext_len=0,
        )
    except WireError:
        raise
    except Exception as error:  # msgpack raises ValueError and its kin, RecursionError, UnicodeDecodeError
        raise WireError(f"not msgpack: {type(error).__name__} {error}".rstrip()) from error
    if not isinstance(message, dict) or not isinstance(message.get("type"), str):
        raise WireError('a message is a map with a "type"')
    return message


class _Budget:
    """Counts what a message becomes while it is read, so that few bytes cannot turn into much memory and time."""

    def __init__(self) -> None:
        self._left = ITEMS

    def _spend(self, items: int) -> None:
        self._left -= 1 + items
        if self._left < 0:
            raise WireError(f"a message of more than {ITEMS:,} items")

    def map(self, value: dict[str, Any]) -> Any:
        self._spend(len(value))
        return _array_in(value)

    def list(self, value: list[Any]) -> list[Any]:
        self._spend(len(value))
        return value


def _array_out(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item() if value.dtype.kind in KINDS else _refuse(value.dtype)
    if isinstance(value, np.ndarray):
        if value.dtype.kind not in KINDS:
            _refuse(value.dtype)
        return {"nd": value.dtype.str, "shape": list(value.shape), "data": np.ascontiguousarray(value).tobytes()}
    raise TypeError(f"{type(value).__name__} does not travel")


def _refuse(dtype: np.dtype) -> Any:
    raise TypeError(f"arrays of {dtype} do not travel")


def _array_in(value: dict[str, Any]) -> Any:
    """An array where the map is one; read-only, since it shares the message's memory."""
    if "nd" not in value:
        return value
    text, shape, data = value.get("nd"), value.get("shape"), value.get("data")
    if not (isinstance(text, str) and len(text) <= 4 and isinstance(shape, list) and isinstance(data, bytes)):
        raise WireError("a damaged array")
    if len(shape) > 8 or not all(isinstance(n, int) and not isinstance(n, bool) and n >= 0 for n in shape):
        raise WireError("an array of an impossible shape")
    try:
        dtype = np.dtype(text)
    except TypeError as error:
        raise WireError(f"an array of unknown type {text!r}") from error
    if dtype.kind not in KINDS or math.prod(shape) * dtype.itemsize != len(data):
        raise WireError(f"an array of {dtype} {shape} with {len(data)} bytes")
    return np.frombuffer(data, dtype).reshape(shape)
