"""Results as data: an experiment writes rows as JSON, and the Markdown table beside it is generated from that.

``python -m twinloom.results [folder]`` writes every table again, and the list of all of them in docs/results/README.md;
a test checks that none differs from its JSON.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any

from twinloom.atomic import write_json, write_text
from twinloom.command import run_command
from twinloom.errors import InvalidSettingsError, TwinloomError
from twinloom.generated import filled
from twinloom.machine import REPOSITORY, commit, machine, versions

RESULTS = REPOSITORY / "docs" / "results"
CONFIDENCE = 0.95
PACKAGES = ("mujoco", "numpy", "scipy", "av", "pyarrow")

Row = dict[str, Any]


def wilson(k: int, n: int) -> tuple[float, float]:
    """Wilson score interval at 95 % of a success rate of k in n. Returns (0, 1) for n = 0: nothing is known."""
    if n == 0:
        return 0.0, 1.0
    from scipy.stats import binomtest

    interval = binomtest(k, n).proportion_ci(CONFIDENCE, "wilson")
    return float(interval.low), float(interval.high)


def document(
    title: str, rows: Iterable[Mapping[str, Any]], *, command: str, seeds: Any = None, note: str = "", **facts: Any
) -> dict[str, Any]:
    """Complete rows with what makes them checkable: rates with intervals, machine, commit, versions, command.

    Args:
        title: what was measured, one line.
        rows: one mapping a row, all with the same keys in the same order. A row with ``k`` and ``n`` (successes and
            trials) gets ``rate``, ``low`` and ``high``; ``reasons`` maps a reason to a count.
        command: the command line that repeats the experiment.
        seeds: the seeds that were used, anything JSON can hold.
        note: a paragraph for the reader, Markdown.
        facts: further machine facts, for example ``renderer="llvmpipe"``.

    Raises:
        InvalidSettingsError: rows are missing, differ in their keys, or count more successes than trials.
    """
    completed: list[Row] = []
    problems = []
    for number, row in enumerate(rows, 1):
        if completed and [key for key in completed[0] if key not in ("rate", "low", "high")] != list(row):
            problems.append(f"row {number} has the columns {list(row)}, the first row has others")
        elif "k" in row and not 0 <= row["k"] <= row.get("n", -1):
            problems.append(f"row {number} counts k = {row['k']} successes of n = {row.get('n')}")
        else:
            completed.append(_with_interval(row))
    if not completed and not problems:
        problems.append("no rows")
    if problems:
        raise InvalidSettingsError(f'results "{title}"', problems)
    return {
        "title": title,
        "note": note,
        "command": command,
        "seeds": seeds,
        "date": date.today().isoformat(),
        "commit": commit(),
        "machine": machine() | facts,
        "versions": versions(*PACKAGES),
        "rows": completed,
    }


def _with_interval(row: Mapping[str, Any]) -> Row:
    """Insert rate and interval behind ``n``."""
    full: Row = {}
    for key, value in row.items():
        full[key] = value
        if key == "n" and "k" in row:
            low, high = wilson(row["k"], value)
            full |= {"rate": round(row["k"] / value, 4) if value else None}
            full |= {"low": round(low, 4), "high": round(high, 4)}
    return full


def write_results(
    area: str,
    name: str,
    rows: Iterable[Mapping[str, Any]],
    *,
    command: str,
    seeds: Any = None,
    title: str = "",
    note: str = "",
    folder: Path = RESULTS,
    **facts: Any,
) -> Path:
    """Write ``<folder>/<area>/<name>.json`` and the table ``<name>.md`` beside it; returns the path of the JSON.

    See `document` for the arguments and errors. Both files appear complete or not at all.
    """
    path = folder / area / f"{name}.json"
    save(path, document(title or f"{area}: {name}", rows, command=command, seeds=seeds, note=note, **facts))
    return path


def save(path: Path, results: Mapping[str, Any]) -> None:
    """Write a `document` as JSON and its table beside it; one of the documentation is also listed in its README."""
    write_json(path, results)
    write_table(path)
    if RESULTS in path.resolve().parents:
        write_index()


def write_table(path: Path) -> Path:
    """Generate the Markdown table of one result file and return its path.

    Raises:
        TwinloomError: the file is not a result file.
    """
    table = path.with_suffix(".md")
    write_text(table, markdown(read_results(path)))
    return table


def read_results(path: Path) -> dict[str, Any]:
    """Read a result file. Raises TwinloomError if it is missing or not one."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TwinloomError(f"cannot read results {path}: {error}") from error
    if not isinstance(content, dict) or not content.get("rows"):
        raise TwinloomError(f"{path} is not a result file: it has no rows; see docs/results/README.md")
    return content


def markdown(results: Mapping[str, Any], *, generated: bool = True) -> str:
    """The page of one result file: table first, then what is needed to repeat it.

    Args:
        generated: whether a comment says where the page comes from.
    """
    rows: Sequence[Row] = results["rows"]
    columns = list(rows[0])
    if {"low", "high"} <= set(columns):
        columns.remove("low")
        columns.remove("high")
    numeric = [all(isinstance(r[c], (int, float, type(None))) for r in rows) for c in columns]
    lines = [f"# {results['title']}", ""]
    if generated:
        lines += ["<!-- generated from the JSON file of the same name; do not edit -->", ""]
    if results.get("note"):
        lines += [results["note"], ""]
    if summary := _summary(rows):
        lines += [summary, ""]
    lines.append("| " + " | ".join(_heading(c) for c in columns) + " |")
    lines.append("|" + "|".join("---:" if right else "---" for right in numeric) + "|")
    lines += ["| " + " | ".join(_cell(row, column) for column in columns) + " |" for row in rows]
    found = ", ".join(f"{key} {value}" for key, value in results["versions"].items())
    lines += ["", f"- command: `{results['command']}`"]
    if results.get("seeds") is not None:
        lines.append(f"- seeds: {json.dumps(results['seeds'])}")
    lines += [f"- commit {results['commit']}, {results['date']}"]
    lines += [f"- machine: {describe_machine(results['machine'])}", f"- versions: {found}"]
    return "\n".join(lines) + "\n"


def index(folder: Path) -> str:
    """A Markdown list of all results of a folder: title with a link to the table, and the summary of success counts."""
    lines = []
    for file in sorted(folder.rglob("*.json")):
        results = read_results(file)
        summary = _summary(results["rows"])
        link = file.with_suffix(".md").relative_to(folder).as_posix()
        lines.append(f"* [{results['title']}]({link})" + (f": {summary[0].lower()}{summary[1:]}" if summary else ""))
    return "\n".join(lines)


def with_index(page: str) -> str:
    """The text of docs/results/README.md with a fresh list of results."""
    return filled(page, index(RESULTS), "python -m twinloom.results")


def write_index() -> None:
    """Write the list of results in docs/results/README.md again."""
    page = RESULTS / "README.md"
    write_text(page, with_index(page.read_text(encoding="utf-8")))


def describe_machine(facts: Mapping[str, Any]) -> str:
    """One line: "AMD EPYC, 2 cores, 23.5 GiB, Linux x86_64, renderer llvmpipe"."""
    form = {"cpu": "{}", "cores": "{} cores", "memory_gib": "{} GiB", "system": "{}"}
    return ", ".join(form.get(key, key.replace("_", " ") + " {}").format(value) for key, value in facts.items())


def _summary(rows: Sequence[Row]) -> str:
    """Mean of the rates, the lowest row and the pooled interval, where rows are success counts."""
    counted = [row for row in rows if row.get("n") and "k" in row]
    if len(counted) < 2:
        return ""
    k, n = sum(row["k"] for row in counted), sum(row["n"] for row in counted)
    low, high = wilson(k, n)
    worst = min(counted, key=lambda row: row["rate"])
    mean = sum(row["k"] / row["n"] for row in counted) / len(counted)
    return (
        f"Mean of {len(counted)} rows **{mean:.1%}**; lowest {next(iter(worst.values()))} {worst['rate']:.1%}; "
        f"pooled {k:,}/{n:,} (95 % interval {low:.1%} to {high:.1%})."
    )


def _heading(column: str) -> str:
    return "rate (95 % interval)" if column == "rate" else column.replace("_", " ")


def _cell(row: Row, column: str) -> str:
    value = row[column]
    if column == "rate" and "low" in row:
        return "–" if value is None else f"{value:.1%} ({row['low']:.1%} to {row['high']:.1%})"
    if value is None:
        return "–"
    if isinstance(value, Mapping):
        counts = sorted(value.items(), key=lambda item: (-item[1], item[0]))
        return ", ".join(f"{name} {count}" for name, count in counts) or "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if abs(value) >= 1000 else f"{value:.3g}"
    return str(value).replace("|", "\\|").replace("\n", " ")


def main() -> None:
    """Body of ``python -m twinloom.results [folder]``: write every Markdown table again from its JSON."""

    def body() -> None:
        folder = Path(sys.argv[1]) if len(sys.argv) > 1 else RESULTS
        files = sorted(folder.rglob("*.json"))
        for file in files:
            print(write_table(file))
        print(f"{len(files)} tables written in {folder}")
        if folder == RESULTS:
            write_index()

    run_command(body)


if __name__ == "__main__":
    main()
