"""Messages come back as they were sent; whatever else arrives is refused in one line, and nothing is executed."""

from __future__ import annotations

import contextlib
import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from twinloom.errors import TwinloomError

msgpack = pytest.importorskip("msgpack")

from policies.wire import WireError, pack, unpack  # noqa: E402 (needs msgpack)

DTYPES = st.sampled_from(["|b1", "|u1", "<i2", "<i8", "<f4", "<f8"])


@settings(max_examples=60, deadline=None)
@given(DTYPES.flatmap(lambda d: arrays(d, array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=5))))
def test_arrays_survive(value):
    found = unpack(pack({"type": "x", "value": value}))["value"]
    assert found.dtype == value.dtype
    np.testing.assert_array_equal(found, value)


def test_other_layouts_survive():
    image = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)[:, ::-1]
    np.testing.assert_array_equal(unpack(pack({"type": "x", "value": image}))["value"], image)
    big = np.array([1.5, -2], ">f4")
    np.testing.assert_array_equal(unpack(pack({"type": "x", "value": big}))["value"], big)


@pytest.mark.parametrize("value", [np.array([object()]), np.array(["text"]), {1, 2}, print, np.array([1j])])
def test_what_is_no_number_does_not_travel(value):
    with pytest.raises(TwinloomError, match="cannot be sent"):
        pack({"type": "x", "value": value})


class Bomb:
    def __reduce__(self):
        return (pytest.fail, ("a pickle was executed",))


ARRAY = {"nd": "<f4", "shape": [2], "data": bytes(8)}
GARBAGE = {
    "text": "hello",
    "nothing": b"",
    "noise": bytes(range(256)),
    "a pickle": pickle.dumps(Bomb()),
    "half a message": pack({"type": "act", "observation": {"a": np.zeros(9)}})[:-3],
    "two messages": pack({"type": "a"}) * 2,
    "a list": msgpack.packb([1, 2]),
    "no type": msgpack.packb({"observation": 1}),
    "a type that is none": msgpack.packb({"type": 3}),
    "nested too deep": b"\x91" * 5000 + b"\x90",
    "bad text": msgpack.packb({"type": "act"}).replace(b"act", b"\xff\xfe\xfd"),
    "a map with other keys": msgpack.packb({"type": "x", "value": {(1, 2): 3}}),
    **{
        f"an array with {name}": msgpack.packb({"type": "x", "value": ARRAY | change})
        for name, change in {
            "objects": {"nd": "|O8"},
            "an unknown type": {"nd": "zz"},
            "a structured type": {"nd": "f4,f4"},
            "dates": {"nd": "<M8"},
            "too few bytes": {"shape": [3]},
            "an enormous shape": {"shape": [2**40, 2**40]},
            "a negative shape": {"shape": [-1, -2]},
            "a shape that is text": {"shape": ["2"]},
            "a shape of booleans": {"shape": [True, 2]},
            "text for bytes": {"data": "12345678"},
        }.items()
    },
}


@pytest.mark.parametrize("name", GARBAGE)
def test_garbage_is_refused(name):
    with pytest.raises(WireError) as caught:
        unpack(GARBAGE[name])
    assert "\n" not in str(caught.value)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_a_message_or_refused(data):
    with contextlib.suppress(WireError):
        assert isinstance(unpack(data)["type"], str)
