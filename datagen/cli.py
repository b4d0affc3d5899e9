"""``datagen``: record expert episodes; verify, merge, report, replay. Parses, calls one function, prints."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import Annotated, Literal

import tyro

from datagen.mixture.commands import mixture
from twinloom.application import Application
from twinloom.errors import TwinloomError

app = Application("datagen", "Datasets: record experts, verify, merge, edit, import, export.")
FLAG = tyro.conf.FlagCreatePairsOff
NAME, NAMES, FOLDER, FOLDERS, SIZE = (
    tyro.conf.arg(metavar=text) for text in ("NAME", "NAME ...", "FOLDER", "FOLDER FOLDER ...", "WIDTHxHEIGHT")
)
REPORT = tyro.conf.arg(metavar="FOLDER", help_behavior_hint="(default: the dataset's own folder)")
OUT = tyro.conf.arg(metavar="FOLDER", help_behavior_hint="(default: data/demo; data/demo_clean if no axis is drawn)")
AXES = tyro.conf.arg(metavar="NAME ...", help_behavior_hint="(default: as --config says)")
FORMAT = tyro.conf.arg(metavar="NAME", help_behavior_hint="(default: auto)")
WORKERS = tyro.conf.arg(metavar="INT", help_behavior_hint="(default: one a core, fewer where memory is short)")
OWN = tyro.conf.arg(metavar="NAME", help_behavior_hint="(default: the family's first)")
CAMERAS = tyro.conf.arg(metavar="NAME ...", help_behavior_hint="(default: those the family records)")


@app.default
def collect(
    tasks: Annotated[tuple[str, ...], NAMES] = ("all",),
    randomize: Annotated[tuple[str, ...], AXES] = (),
    robot: Annotated[str, OWN] = "",
    episodes: int = 1,
    cameras: Annotated[tuple[str, ...], CAMERAS] = (),
    size: Annotated[str, SIZE] = "320x240",
    fps: int = 25,
    seed: int = 0,
    workers: Annotated[int | None, WORKERS] = None,
    out: Annotated[Path | None, OUT] = None,
    config: Annotated[str, OWN] = "",
    attempts: int = 10,
    codec: Literal["h264", "av1"] = "h264",
    render: Literal["auto", "fast", "nice", "best"] = "auto",
) -> int:
    """Let the scripted experts do tasks and record them as one LeRobot v3.0 dataset.

    Without options: one clean episode of each task, in data/demo_clean.
    Interrupt it whenever you like: the same command continues. Exit code 1 if episodes are missing in the end.
    Further commands, each with --help: datagen verify, datagen merge, datagen edit, datagen stats, datagen import,
    datagen export, datagen mixture, datagen report, datagen replay. Plug-ins: --plugins DIR on every command
    (docs/extend.md).

    Args:
        tasks: names of tasks of one family, all, or a count n for the first n (sim list tasks).
        randomize: axes (sim list axes), all or none; overrides --config.
        robot: robot name (sim list robots).
        episodes: episodes per task.
        cameras: camera names (sim list cameras), or none.
        size: image size in pixels.
        fps: frames and actions per second; dual-arm tasks take divisors of 250.
        seed: run seed; episode k of a task depends on this, the task and k alone.
        workers: processes; 0 works in this process, for debuggers.
        out: folder of the dataset, new or begun with the same settings.
        config: a name for some axes; demo_clean and demo_randomized are RoboTwin's for none and for its five.
        attempts: how often an episode is tried before it counts as failed.
        codec: video codec.
        render: image quality; auto is fast on a software renderer and best on a GPU.
    """
    from datagen.collect import Run, check
    from datagen.collect import collect as run_collection
    from datagen.pool import default_workers
    from datagen.settings import CollectConfig, parse_size
    from datagen.summary import heading, table, totals
    from sim.families import DEFAULT, select_tasks
    from twinloom.select import select_one

    family, names = select_tasks(tasks)
    source = family.get("source")()
    config = select_one("config", config or next(iter(family.presets)), list(family.presets), "datagen --help")
    axes = family.select("axes", randomize or family.presets[config] or ("none",), optional=True)
    out = out or Path("data") / (("demo" if axes else "demo_clean") if family.name == DEFAULT else family.name)
    settings = CollectConfig(
        tasks=tuple(sorted(names)),
        robot=family.pick("robots", robot or None),
        seed=seed,
        cameras=tuple(family.select("cameras", cameras or family.cameras_used or ("none",), optional=True)),
        size=parse_size(size),
        fps=fps,
        randomize=tuple(sorted(axes)),
        attempts=attempts,
        codec=codec,
        render=render,
        source=source.name,
        engine=source.engine(),
    )
    pixels = settings.size[0] * settings.size[1] * len(settings.cameras)
    run = check(
        Run(settings, episodes, default_workers(pixels) if workers is None else workers, out, family.source or "")
    )
    print(heading(run.settings, episodes, run.workers, out), flush=True)
    outcome = run_collection(run)
    if outcome.signal:
        kept = f"{outcome.account.made:,} of {outcome.account.asked:,} episodes kept in {out}"
        print(f"interrupted: {kept}; continue with: {shlex.join(['datagen', *sys.argv[1:]])}")
        return 128 + outcome.signal
    if episodes > 1 or not sys.stderr.isatty():  # else the terminal shows each task's line already
        print(table(outcome.account))
    print(totals(outcome.account, out))
    if outcome.account.made:
        from datagen.report import write_report

        print(f"report  {write_report(out)}        check  datagen verify {shlex.quote(str(out))}")
    return 0 if outcome.account.made >= outcome.account.asked else 1


@app.command
def verify(
    dataset: Annotated[Path, tyro.conf.Positional, FOLDER],
    quick: Annotated[bool, FLAG] = False,
    repair: Annotated[Path | None, tyro.conf.arg(metavar="FOLDER")] = None,
) -> int:
    """Check a LeRobot v3.0 dataset and name everything that is wrong. Exit code 1 if something is.

    Args:
        dataset: folder of the dataset, ours or anybody's.
        quick: neither decode the videos nor compute checksums.
        repair: new folder for the episodes whose files are sound.
    """
    from datagen.lerobot.verify import verify as check
    from datagen.summary import plural

    terminal = sys.stderr.isatty()
    verdict = check(
        dataset,
        quick=quick,
        step=lambda what: print(f"\r\x1b[Kchecking {what}", end="", file=sys.stderr, flush=True) if terminal else None,
    )
    if terminal:
        print("\r\x1b[K", end="", file=sys.stderr)
    for problem in verdict.problems:
        print(problem)
    for note in verdict.notes:
        print(f"note: {note}")
    found = len(verdict.problems)
    state = f"{plural(found, 'problem') if found else 'no problem'} found"
    print(f"{dataset}: {plural(verdict.episodes, 'episode')}, {plural(verdict.frames, 'frame')}: {state}")
    if repair is not None:
        from datagen.repair import repair as save

        result = save(dataset, repair)
        lost = f"; lost: {', '.join(map(str, result.lost))}" if result.lost else ""
        print(f"{repair}: {plural(result.saved, 'episode')} saved{lost}")
    return 1 if found else 0


@app.command
def merge(datasets: Annotated[tuple[Path, ...], tyro.conf.Positional, FOLDERS], out: Annotated[Path, FOLDER]) -> int:
    """Join datasets of the same robot, rate and features into a new one, without encoding videos again.

    Args:
        datasets: folders of the datasets, in the order their episodes shall have.
        out: new folder.
    """
    from datagen.lerobot.merge import merge as join
    from datagen.lerobot.read import Dataset
    from twinloom.progress import Progress

    total = sum(len(Dataset(dataset)) for dataset in datasets)
    with Progress(total, "episode") as progress:
        episodes, frames = join(datasets, out, step=lambda done, _: progress.advance(done - progress.done))
    print(f"{out}: {episodes:,} episodes, {frames:,} frames        check  datagen verify {shlex.quote(str(out))}")
    return 0


@app.command
def edit(
    dataset: Annotated[Path, tyro.conf.Positional, FOLDER],
    out: Annotated[Path, FOLDER],
    delete: Annotated[tuple[str, ...], tyro.conf.arg(metavar="N|N-N ...")] = (),
    keep: Annotated[tuple[str, ...], tyro.conf.arg(metavar="N|N-N ...")] = (),
    tasks: Annotated[tuple[str, ...], NAMES] = (),
    success: Annotated[bool, FLAG] = False,
    length: Annotated[str, tyro.conf.arg(metavar="MIN-MAX")] = "",
    cameras: Annotated[tuple[str, ...], NAMES] = (),
    rename: Annotated[tuple[str, ...], tyro.conf.arg(metavar="OLD=NEW ...")] = (),
    retask: Annotated[tuple[str, ...], tyro.conf.arg(metavar="OLD=NEW ...")] = (),
    split: Annotated[tuple[str, ...], tyro.conf.arg(metavar="NAME=SHARE ...")] = (),
    seed: int = 0,
) -> int:
    """Make a new dataset of a part of another, or several with --split, without encoding videos again.

    Args:
        dataset: folder of the dataset; it is left as it is.
        out: new folder; with --split, the folder of the new ones.
        delete: episodes to leave out, for example 3 or 5-9.
        keep: episodes to take; the others are left out.
        tasks: take episodes of these tasks, by name or by sentence.
        success: take successful episodes only.
        length: take episodes of so many frames, for example 50-400 or 50-.
        cameras: take these cameras only, or none.
        rename: new names of features or cameras, for example head=top.
        retask: new sentences, for example "Stack the bowls=Stack all bowls".
        split: shares of the episodes, for example train=0.9 val=0.1, drawn by --seed.
        seed: of the split.
    """
    from datagen.edit import EditConfig, numbers
    from datagen.edit import edit as apply

    bounds = length.split("-") if length else ["", ""]
    if len(bounds) != 2 or not all(part == "" or part.isdecimal() for part in bounds):
        raise TwinloomError(f'--length "{length}" is not of the form MIN-MAX, for example 50-400')
    config = EditConfig(
        delete=numbers(delete),
        keep=numbers(keep) if keep else None,
        tasks=tasks,
        success=success,
        shortest=int(bounds[0] or 1),
        longest=int(bounds[1]) if bounds[1] else None,
        cameras=cameras or None,
        rename=_pairs("--rename", rename),
        retask=_pairs("--retask", retask),
        split={name: float(share) for name, share in _pairs("--split", split).items()},
        seed=seed,
    )
    for path, episodes in apply(dataset, out, config).items():
        print(f"{path}: {episodes:,} episodes        check  datagen verify {shlex.quote(str(path))}")
    return 0


def _pairs(option: str, words: tuple[str, ...]) -> dict[str, str]:
    """ "OLD=NEW" words as a dictionary."""
    pairs = [word.partition("=") for word in words]
    wrong = [word for word, (old, equals, new) in zip(words, pairs, strict=True) if not (old and equals and new)]
    if wrong:
        raise TwinloomError(f'{option} "{wrong[0]}" is not of the form OLD=NEW')
    return {old: new for old, _, new in pairs}


@app.command(name="import")
def import_(
    path: Annotated[Path, tyro.conf.Positional, tyro.conf.arg(metavar="PATH")],
    out: Annotated[Path, FOLDER],
    format: Annotated[str, FORMAT] = "auto",
    fps: int = 0,
    task: Annotated[str, NAME] = "",
    robot: Annotated[str, NAME] = "",
) -> int:
    """Make a LeRobot v3.0 dataset of a file or folder in another format. It appears complete or not at all.

    Formats: lerobot30, lerobot21, robotwin, robomimic, diffusion_policy, and those of plug-ins.

    Args:
        path: file or folder.
        out: new folder.
        format: name of the format; auto looks at the path.
        fps: frames per second, where the file does not say them.
        task: task and sentence, where the file does not say them.
        robot: name of the robot, where the file does not say it.
    """
    from datagen import formats
    from datagen.dataset import DatasetWriter, copy
    from datagen.summary import plural
    from twinloom.atomic import atomic_folder
    from twinloom.progress import Progress

    name = formats.detect(path) if format == "auto" else format
    _refuse_existing(out)
    source = formats.load(name).reader(path, formats.ReadConfig(fps, task, robot))
    with (
        Progress(len(source), "episode") as progress,
        atomic_folder(out) as folder,
        DatasetWriter(folder, source.spec) as target,
    ):
        done = copy(source, target, lambda _: progress.advance())
    print(f"{out}: {plural(done, 'episode')} of {name}        check  datagen verify {shlex.quote(str(out))}")
    return 0


@app.command
def export(
    dataset: Annotated[Path, tyro.conf.Positional, FOLDER],
    out: Annotated[Path, tyro.conf.arg(metavar="PATH")],
    format: Annotated[str, tyro.conf.arg(metavar="NAME")],
) -> int:
    """Write a LeRobot v3.0 dataset in another format.

    Formats: lerobot21, robotwin, robomimic, diffusion_policy, and those of plug-ins.

    Args:
        dataset: folder of the dataset.
        out: new file (robomimic; diffusion_policy where its name ends in .zip) or folder.
        format: name of the format.
    """
    from datagen import formats
    from datagen.dataset import copy
    from datagen.lerobot.read import Dataset
    from datagen.summary import plural
    from twinloom.progress import Progress

    _refuse_existing(out)
    out.parent.mkdir(parents=True, exist_ok=True)
    with (
        Dataset(dataset) as source,
        Progress(len(source), "episode") as progress,
        formats.load(format).writer(out, source.spec) as target,
    ):
        done = copy(source, target, lambda _: progress.advance())
    print(f"{out}: {plural(done, 'episode')} as {format}")
    return 0


def _refuse_existing(out: Path) -> None:
    if out.exists():
        raise TwinloomError(f"{out} exists already; name a new path")


@app.command
def stats(dataset: Annotated[Path, tyro.conf.Positional, FOLDER], images: Annotated[bool, FLAG] = False) -> int:
    """Compute the statistics of a dataset again from its frames, for example where quantiles were averages.

    Args:
        dataset: folder of the dataset, ours or anybody's.
        images: also decode all videos again.
    """
    from datagen.lerobot.read import Dataset
    from datagen.lerobot.recompute_stats import recompute
    from twinloom.progress import Progress

    with Progress(len(Dataset(dataset)), "episode") as progress:
        recompute(dataset, images=images, step=lambda done, _: progress.advance(done - progress.done))
    print(f"{dataset}: statistics written        check  datagen verify {shlex.quote(str(dataset))}")
    return 0


@app.command
def report(dataset: Annotated[Path, tyro.conf.Positional, FOLDER], out: Annotated[Path | None, REPORT] = None) -> int:
    """Write one self-contained HTML page about a dataset, and print its path.

    Args:
        dataset: folder of the dataset.
        out: folder of the page and its contact sheet.
    """
    from datagen.report import write_report

    print(write_report(dataset, out))
    return 0


@app.command
def replay(dataset: Annotated[Path, tyro.conf.Positional, FOLDER], episode: int = 0, images: bool = True) -> int:
    """Rebuild an episode from its record, step its actions, compare everything. Exit code 1 if anything differs.

    Args:
        dataset: folder of the dataset.
        episode: index in the dataset.
        images: also render and compare the images.
    """
    from datagen.replay import replay as again
    from datagen.summary import plural

    result = again(dataset, episode, images=images)
    success = "succeeded" if result.success else "did not succeed"
    print(f"{dataset}, episode {episode}: {result.task}, {plural(result.frames, 'frame')}, {success}")
    for comparison in result.comparisons:
        print(f"  {comparison}")
    return 0 if result.equal else 1


app.command(mixture)
main = app.main

if __name__ == "__main__":
    main()
