"""Frames as Arrow tables: schemas that LeRobot reads, and the way there and back from NumPy."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa

from datagen.episode import Feature
from datagen.lerobot.layout import BOOKKEEPING
from twinloom.errors import InvalidSettingsError

_SIZED = [f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)]
DTYPES = ("float32", "float64", *_SIZED, "bool")


def stored(features: dict[str, Feature]) -> dict[str, Feature]:
    """Features that are columns of the data files: the numeric ones, then the bookkeeping."""
    return {name: f for name, f in features.items() if f.dtype != "video"} | BOOKKEEPING


def arrow_type(feature: Feature) -> pa.DataType:
    """Arrow type of one feature: a scalar for shape (1,), a list of fixed size for longer vectors."""
    scalar = pa.string() if feature.dtype == "string" else pa.from_numpy_dtype(np.dtype(feature.dtype))
    return scalar if feature.shape == (1,) else pa.list_(scalar, feature.shape[0])


def frame_schema(features: dict[str, Feature]) -> pa.Schema:
    """Schema of the data files, with the metadata by which Hugging Face datasets knows the columns."""
    columns = stored(features)
    described = {}
    for name, feature in columns.items():
        value = {"dtype": feature.dtype, "_type": "Value"}
        described[name] = (
            value if feature.shape == (1,) else {"feature": value, "length": feature.shape[0], "_type": "List"}
        )
    metadata = {"huggingface": json.dumps({"info": {"features": described}})}
    return pa.schema([(name, arrow_type(f)) for name, f in columns.items()], metadata=metadata)


def row_bytes(features: dict[str, Feature]) -> int:
    """Size of one row before compression; file boundaries follow from it."""
    return sum(int(np.dtype(f.dtype).itemsize * np.prod(f.shape)) for f in stored(features).values())


def check_features(features: dict[str, Feature]) -> None:
    """Refuse what a data file cannot hold.

    Raises:
        InvalidSettingsError: a reserved name, more than one dimension, an unknown dtype, or names that do not fit.
    """
    problems = []
    for name, f in features.items():
        if name in BOOKKEEPING:
            problems.append(f'"{name}" is a reserved column')
        elif f.dtype == "video":
            if len(f.shape) != 3 or f.shape[2] != 3:
                problems.append(f'video "{name}" has shape {f.shape}, needed is (height, width, 3)')
        elif f.dtype not in DTYPES:
            problems.append(f'"{name}" has dtype {f.dtype}; allowed are video, {", ".join(DTYPES)}')
        elif len(f.shape) != 1 or f.shape[0] < 1:
            problems.append(f'"{name}" has shape {f.shape}; flatten it to one dimension')
        elif f.names and len(f.names) != f.shape[0]:
            problems.append(f'"{name}" has {f.shape[0]} elements but {len(f.names)} names')
    if problems:
        raise InvalidSettingsError("dataset features", problems)


def check_arrays(arrays: dict[str, np.ndarray], features: dict[str, Feature], length: int) -> None:
    """Refuse arrays that do not fit their features: wrong shape or dtype, or numbers that are not finite.

    Args:
        arrays: feature name to (T, ...) array.
        length: T.

    Raises:
        InvalidSettingsError: every problem found, by feature.
    """
    wanted = {name: f for name, f in features.items() if f.dtype != "video"}
    problems = [f'"{name}" is missing' for name in wanted if name not in arrays]
    problems += [f'"{name}" is no feature of the dataset' for name in arrays if name not in wanted]
    for name in wanted.keys() & arrays.keys():
        array, feature = arrays[name], wanted[name]
        if array.shape not in ((length, *feature.shape), (length,) if feature.shape == (1,) else None):
            problems.append(f'"{name}" has shape {array.shape}, expected {(length, *feature.shape)}')
        elif array.dtype != np.dtype(feature.dtype):
            problems.append(f'"{name}" is {array.dtype}, expected {feature.dtype}')
        elif array.dtype.kind == "f" and not np.isfinite(array).all():
            first = int(np.argwhere(~np.isfinite(array))[0][0])
            problems.append(f'"{name}" is not finite at frame {first}')
    if length < 1:
        problems.append("there are no frames")
    if problems:
        raise InvalidSettingsError("episode", sorted(problems))


def column(array: np.ndarray, feature: Feature) -> pa.Array:
    """(T, n) or (T,) array as an Arrow column."""
    flat = np.ascontiguousarray(array, dtype=feature.dtype).reshape(-1)
    values = pa.array(flat)
    return values if feature.shape == (1,) else pa.FixedSizeListArray.from_arrays(values, feature.shape[0])


def timestamps(length: int, fps: int) -> np.ndarray:
    """(T,) float32 seconds since the episode began, each rounded once from the exact quotient."""
    return (np.arange(length, dtype=np.float64) / fps).astype(np.float32)


def frame_table(
    arrays: dict[str, np.ndarray],
    features: dict[str, Feature],
    *,
    fps: int,
    episode: int,
    start: int,
    task_index: np.ndarray,
) -> pa.Table:
    """Rows of one episode.

    Args:
        arrays: feature name to (T, ...) array.
        episode: index of the episode in the dataset.
        start: index of its first frame in the dataset.
        task_index: (T,) index of the task sentence per frame.
    """
    length = len(task_index)
    complete = arrays | {
        "timestamp": timestamps(length, fps),
        "frame_index": np.arange(length),
        "episode_index": np.full(length, episode),
        "index": np.arange(start, start + length),
        "task_index": task_index,
    }
    columns = [column(complete[name], feature) for name, feature in stored(features).items()]
    return pa.Table.from_arrays(columns, schema=frame_schema(features))


def to_numpy(values: pa.ChunkedArray, feature: Feature) -> np.ndarray:
    """Arrow column as (T, *shape) array, or (T,) for features of shape (1,).

    Raises:
        ValueError: the values do not have the feature's shape, or some are missing.
    """
    if feature.dtype == "string":
        return np.array(values.to_pylist(), dtype=object)
    flat: pa.Array | pa.ChunkedArray = values
    while pa.types.is_nested(flat.type):
        if flat.null_count:
            raise ValueError("some values are missing")
        flat = pa.chunked_array([chunk.flatten() for chunk in flat.chunks], type=flat.type.value_type)
    if flat.null_count:
        raise ValueError("some values are missing")
    array = flat.to_numpy()
    shape = () if feature.shape == (1,) else feature.shape
    return array.reshape(len(values), *shape)
