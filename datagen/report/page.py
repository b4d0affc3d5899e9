"""``datagen report``: one self-contained HTML page from a finished dataset, and the contact sheet as a PNG."""

from __future__ import annotations

import shlex
from collections import Counter
from html import escape
from pathlib import Path

from datagen.lerobot.read import Dataset
from datagen.report import html, images
from datagen.report.facts import Facts, TaskFacts, gather
from datagen.report.ranges import ranges
from datagen.report.style import CSS, SORT_SCRIPT
from twinloom.atomic import write_text
from twinloom.errors import TwinloomError

PAGE = Path("report.html")
SHEET = Path("contact_sheet.png")
PICTURE_BUDGET = 3_400_000  # bytes of base64, so that the page stays below 4 MB
MOST_STRIPS = 60
NUMERIC = {"made", "attempts", "frames", "seconds", "cost, s"}


def write_report(dataset: Path | str, out: Path | str | None = None) -> Path:
    """Write ``report.html`` and ``contact_sheet.png`` into ``out`` (the dataset's folder) and return the page's path.

    Raises:
        TwinloomError: the folder holds no readable dataset, or is not writable.
    """
    root = Path(dataset)
    folder = Path(out or dataset)
    with Dataset(root) as data:
        if not len(data):
            raise TwinloomError(f"{root} has no episodes yet, so there is nothing to report")
        facts = gather(data)
        strips, sheet = _images(data, facts)
        images.contact_sheet(sheet, folder / SHEET)
        write_text(folder / PAGE, page(data, facts, strips, sheet))
    return folder / PAGE


def _images(data: Dataset, facts: Facts):
    """Video strips and first frames by task, both empty for a dataset without video."""
    camera = images.head_camera(data.cameras)
    if camera is None:
        return {}, {}
    shown = [task for task in facts.tasks.values() if task.made][:MOST_STRIPS]
    strips = {task.name: images.frame_strip(data, task.episodes[0], camera) for task in shown}
    return strips, {task.name: images.draws(data, task, camera) for task in shown}


def page(data: Dataset, facts: Facts, strips: dict, sheet: dict) -> str:
    """The whole page."""
    urls = images.data_urls(
        {f"strip {name}": image for name, image in strips.items()}
        | {f"draw {name} {i}": image for name, row in sheet.items() for i, image in enumerate(row)},
        PICTURE_BUDGET,
    )
    sections = [
        ("tasks", "Tasks", _tasks(data, facts)),
        ("time", "Where the time went", _time(data, facts)),
        ("views", "What the head camera sees", _views(facts)),
        ("strips", "One episode of each task", _strips(facts, urls)),
        ("sheet", "Tasks × draws: first frames", _sheet(facts, sheet, urls)),
        ("ranges", "What was randomised", _ranges(facts)),
        ("words", "Instructions", _words(facts)),
        ("facts", "Dataset", _dataset(data, facts)),
    ]
    sections = [section for section in sections if section[2]]
    links = "".join(f'<a href="#{key}">{escape(title)}</a>' for key, title, _ in sections)
    body = "".join(f'<h2 id="{key}">{escape(title)}</h2>{content}' for key, title, content in sections)
    name = escape(facts.root.resolve().name)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{name} · twinloom</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{CSS}</style></head><body>'
        f'<h1>{name}</h1><p class="dim">{escape(_subtitle(data, facts))}</p>{html.cards(_figures(data, facts))}'
        f"<nav>{links}</nav>{body}<script>{SORT_SCRIPT}</script></body></html>\n"
    )


def _subtitle(data: Dataset, facts: Facts) -> str:
    parts = [f"robot {data.robot_type}" if data.robot_type else "", *_sources(data), f"{data.fps} Hz"]
    parts.append(", ".join(camera.removeprefix("observation.images.") for camera in data.cameras))
    parts += [f"{key} {facts.account[key]}" for key in ("machine", "renderer", "commit") if facts.account.get(key)]
    return " · ".join(part for part in parts if part)


def _sources(data: Dataset) -> list[str]:
    if "source" not in data.episodes.column_names:
        return []
    return sorted({str(value) for value in data.episodes["source"].to_pylist() if value})


def _figures(data: Dataset, facts: Facts) -> list[tuple[str, str]]:
    attempts = sum(task.attempts for task in facts.tasks.values())
    asked = f" of {facts.asked:,} asked" if facts.asked is not None else ""
    figures = [
        (f"{len(data):,}", f"episodes{asked}"),
        (f"{sum(1 for task in facts.tasks.values() if task.made):,}", "tasks"),
        (f"{attempts:,}", f"attempts, {len(data) / attempts:.0%} kept" if attempts else "attempts"),
        (f"{data.frames:,}", f"frames × {len(data.cameras)} cameras"),
        (_duration(data.frames / data.fps), "of recorded time"),
        (f"{facts.bytes / 1e6:,.1f} MB", "on disk"),
    ]
    if facts.timing:
        rate = 3600 * len(data) / sum(facts.timing.values())
        figures.append((f"{rate:,.0f}", "episodes an hour and core"))
    last = facts.account.get("last_run", {})
    if last.get("made"):
        figures.append((_duration(last["wall_s"]), f"last run, {last['made']:,} episodes"))
    return figures


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.1f} s"
    return f"{seconds / 60:.1f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _tasks(data: Dataset, facts: Facts) -> str:
    rows = [_task_row(task, data.fps) for task in facts.tasks.values()]
    headings = ["task", "made", "attempts", "frames", "seconds", "cost, s", "why attempts failed", "instruction"]
    note = "Frames and seconds are means"
    if facts.account:
        note += "; cost is worker time an episode, its failed attempts included"
    else:  # merged, or recorded by somebody else: nobody kept the account
        headings, rows = headings[:5] + headings[7:], [row[:5] + row[7:] for row in rows]
    numeric = {i for i, heading in enumerate(headings) if heading in NUMERIC}
    return f'<p class="dim">{note}.</p>{html.table(headings, rows, numeric, sortable=True)}'


def _task_row(task: TaskFacts, fps: int) -> list[object]:
    asked = "" if task.asked is None else f"/{task.asked:,}"
    state = "" if task.asked is None else ("full" if task.made >= task.asked else "short")
    frames = sum(task.lengths) / task.made if task.made else None
    reasons = ", ".join(f"{name} {count}" for name, count in sorted(task.reasons.items(), key=lambda i: (-i[1], i[0])))
    return [
        task.name,
        html.TableCell(f'<span class="{state}">{task.made:,}{asked}</span>', task.made),
        task.attempts,
        "–" if frames is None else frames,
        "–" if frames is None else frames / fps,
        sum(task.seconds) / len(task.seconds) if task.seconds else "–",
        reasons,
        task.sentences[0] if task.sentences else "",
    ]


def _time(data: Dataset, facts: Facts) -> str:
    if not facts.timing:
        return ""
    total = sum(facts.timing.values())
    rows: list[tuple[object, ...]] = [
        (stage, seconds / len(data), html.TableCell(f"{seconds / total:.1%}", seconds))
        for stage, seconds in facts.timing.items()
    ]
    rows.append(("together", total / len(data), "100%"))
    note = "Worker time over all attempts, failed ones included, divided by the episodes kept."
    columns = html.table(("stage", "seconds an episode", "share"), rows, {1, 2})
    return f'{html.split_bar(facts.timing)}<p class="dim">{note}</p>{columns}'


def _views(facts: Facts) -> str:
    rows = [
        [task.name, *(html.TableCell(f"{value:.1%}", value) for value in _view_figures(task))]
        for task in facts.tasks.values()
        if task.views
    ]
    if not rows:
        return ""
    note = (
        "Episodes that begin with the middle of every task object in the image; share of the image that the robot "
        "covers, mean over the frames, and what 95 % of the frames of an episode stay below, at most."
    )
    columns = ("task", "all objects in view", "robot, mean", "robot, 95 %")
    return f'<p class="dim">{note}</p>{html.table(columns, rows, {1, 2, 3}, sortable=True)}'


def _view_figures(task: TaskFacts) -> tuple[float, float, float]:
    """Episodes with all objects in view, mean share of the robot, and its highest 95 % quantile."""
    count = len(task.views)
    whole = sum(views["objects"] == 1.0 for views in task.views) / count
    return whole, sum(views["robot"] for views in task.views) / count, max(views["robot_95"] for views in task.views)


def _strips(facts: Facts, urls: dict[str, str]) -> str:
    parts = []
    for task in facts.tasks.values():
        if url := urls.get(f"strip {task.name}"):
            caption = f"episode {task.episodes[0]} · {task.lengths[0]} frames · {task.sentences[0]}"
            parts.append(
                f'<div class="strip"><h3>{escape(task.name)}</h3><p class="dim">{escape(caption)}</p>'
                f'<img loading="lazy" alt="{escape(task.name)}" src="{url}"></div>'
            )
    return "".join(parts)


def _sheet(facts: Facts, sheet: dict, urls: dict[str, str]) -> str:
    parts = []
    for name in facts.tasks:
        count = len(sheet.get(name, []))
        tiles = "".join(f'<img loading="lazy" alt="" src="{urls[f"draw {name} {i}"]}">' for i in range(count))
        if tiles:
            parts.append(f"<figure><figcaption>{escape(name)}</figcaption><div>{tiles}</div></figure>")
    return f'<div class="sheet">{"".join(parts)}</div>' if parts else ""


def _ranges(facts: Facts) -> str:
    spread, variety = ranges(facts.records)
    rows: list[list[object]] = [
        [r.axis, r.name, r.lowest, r.mean, r.highest, html.TableCell(html.histogram(r.histogram))] for r in spread
    ]
    varied = [[v.axis, v.name, v.count, ", ".join(v.examples)] for v in variety if v.count > 1]
    parts = []
    if rows:
        parts.append(html.table(("axis", "quantity", "lowest", "mean", "highest", "spread"), rows, {2, 3, 4}))
    if varied:
        parts.append(html.table(("axis", "kind", "different ones", "most frequent"), varied, {2}))
    return "<br>".join(parts)


def _words(facts: Facts) -> str:
    used = Counter(sentence for task in facts.tasks.values() for sentence in task.sentences)
    parts = [f'<p class="dim">{len(used):,} different sentences in {sum(used.values()):,} episodes.</p>']
    for task in facts.tasks.values():
        if not task.sentences:
            continue
        seen = list(dict.fromkeys([*task.sentences, *task.seen]))[:6]
        unseen = list(dict.fromkeys(task.unseen))[:3]
        more = f'<p class="dim">held out for evaluation</p>{html.bullets(unseen)}' if unseen else ""
        parts.append(f"<details><summary>{escape(task.name)}</summary>{html.bullets(seen)}{more}</details>")
    return "".join(parts)


def _dataset(data: Dataset, facts: Facts) -> str:
    rows = [
        [name, feature.dtype, "×".join(map(str, feature.shape)), feature.unit, ", ".join(feature.names)]
        for name, feature in data.features.items()
    ]
    features = html.table(("feature", "type", "shape", "unit", "names"), rows, set())
    root = escape(shlex.quote(str(facts.root)))
    load = (
        f"datagen verify {root}                # every inconsistency, named\n"
        f"datagen replay {root} --episode 0    # rebuild an episode from its record and compare\n\n"
        f"from lerobot.datasets.lerobot_dataset import LeRobotDataset\n"
        f'LeRobotDataset("local/{escape(facts.root.resolve().name)}", root={escape(repr(str(facts.root)))})'
    )
    chosen = "".join(f"{escape(key)}: {escape(_setting(value))}\n" for key, value in facts.settings.items())
    version = escape(str(data.info.get("codebase_version")))
    return f"<p>LeRobot {version}</p>{features}<pre>{load}</pre>" + (f"<pre>{chosen}</pre>" if chosen else "")


def _setting(value: object) -> str:
    """A setting as it is written on the command line."""
    return " ".join(map(str, value)) if isinstance(value, list) else str(value)
