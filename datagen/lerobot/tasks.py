"""meta/tasks.parquet: the task sentences, numbered in order of first use."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from twinloom.errors import TwinloomError

# pandas makes "task" the index of the table from this; LeRobot looks sentences up in that index.
_PANDAS = {
    "index_columns": ["task"],
    "column_indexes": [
        {
            "name": None,
            "field_name": None,
            "pandas_type": "unicode",
            "numpy_type": "object",
            "metadata": {"encoding": "UTF-8"},
        }
    ],
    "columns": [
        {
            "name": "task_index",
            "field_name": "task_index",
            "pandas_type": "int64",
            "numpy_type": "int64",
            "metadata": None,
        },
        {"name": "task", "field_name": "task", "pandas_type": "unicode", "numpy_type": "object", "metadata": None},
    ],
    "creator": {"library": "pyarrow", "version": pa.__version__},
    "pandas_version": "2.2.0",
}


def task_table(sentences: list[str]) -> pa.Table:
    """Table of sentences; the position in the list is the task index."""
    schema = pa.schema([("task_index", pa.int64()), ("task", pa.string())], metadata={"pandas": json.dumps(_PANDAS)})
    return pa.table({"task_index": list(range(len(sentences))), "task": sentences}, schema=schema)


def read_tasks(path: Path) -> dict[int, str]:
    """Task index to sentence.

    Raises:
        TwinloomError: the file is missing, damaged or has other columns.
    """
    try:
        table = pq.read_table(path)
    except (OSError, pa.ArrowException) as error:
        raise TwinloomError(f"{path} is not readable: {error}") from error
    # files written by pandas without a named index call the sentences __index_level_0__
    sentences = next((n for n in ("task", "__index_level_0__") if n in table.column_names), None)
    if sentences is None or "task_index" not in table.column_names:
        raise TwinloomError(f"{path} has the columns {table.column_names}, needed are task and task_index")
    return dict(zip(table["task_index"].to_pylist(), table[sentences].to_pylist(), strict=True))
