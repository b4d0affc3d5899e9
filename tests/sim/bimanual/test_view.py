"""Watching an expert: the video shows every frame, the page in the browser shows every body where it is."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import urllib.request

import mujoco
import numpy as np
import pytest

from sim.bimanual import view as viewing
from sim.bimanual.rollout import expert_rollout
from sim.bimanual.viewer import body_meshes, require_port
from tests.sim.bimanual.scenes import ROBOT, cube, simulation, thing
from twinloom.errors import TwinloomError
from twinloom.machine import REPOSITORY
from twinloom.seeding import episode_seed


def test_a_film_has_every_frame_of_the_episode(tmp_path, monkeypatch, capsys):
    av = pytest.importorskip("av")
    monkeypatch.setattr(viewing, "VIDEO_SIZE", (160, 120))
    path = tmp_path / "bell.mp4"
    rollout = expert_rollout("click_bell", ROBOT, episode_seed(3, "click_bell", 0))
    rollout.qpos = rollout.qpos[::4]
    asked = []
    monkeypatch.setattr(viewing, "expert_rollout", lambda *request: asked.append(request) or rollout)
    viewing.view("click_bell", robot=ROBOT, seed=3, video=path)
    (request,) = asked
    assert request[:2] == ("click_bell", ROBOT)
    assert request[2].entropy == episode_seed(3, "click_bell", 0).entropy
    with av.open(str(path)) as video:
        assert video.streams.video[0].average_rate == 25
        frames = [f.to_ndarray(format="rgb24").astype(int) for f in video.decode(video=0)]
    assert len(frames) == rollout.length
    drawn = [image["third"].astype(int) for image in rollout.render(["third"], (160, 120), "best")]
    assert max(np.abs(a - b).mean() for a, b in zip(frames, drawn, strict=True)) < 6  # compression
    text = capsys.readouterr().out
    assert "success" in text
    assert f'"{rollout.instruction}"' in text


def test_a_film_needs_a_name_that_says_so(tmp_path):
    with pytest.raises(TwinloomError, match=r"must end in \.mp4, for example click_bell\.mp4"):
        viewing.view("click_bell", robot=ROBOT, video=tmp_path / "bell.avi")


def test_a_port_in_use_is_refused():
    with socket.socket() as other:
        other.bind(("", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(TwinloomError, match=f"port {port} cannot be used .*choose another with --port"):
            require_port(port)
    require_port(port)
    with pytest.raises(TwinloomError, match="port 99999 cannot be used"):
        require_port(99999)


def test_meshes_lie_where_mujoco_sees_the_bodies():
    pytest.importorskip("trimesh")
    sim = simulation(
        cube("block", 0.1, 0.1, half=(0.02, 0.03, 0.04), rgba=(0.9, 0.1, 0.1, 1.0)),
        cube("ball", 0.3, 0.1, half=(0.03, 0.03, 0.03), ball=True),
        thing("mug", "mug", -0.1, 0.1),
        thing("cabinet", "cabinet", -0.3, 0.2, mode="fixed"),
        visuals="mesh",
    )
    meshes = body_meshes(sim.model)
    extents = {sim.model.body(b).name: mesh.extents for b, mesh in meshes.items()}  # type: ignore[attr-defined]
    np.testing.assert_allclose(extents["block"], [0.04, 0.06, 0.08], atol=1e-6)
    np.testing.assert_allclose(extents["ball"], 0.06, atol=1e-3)
    np.testing.assert_allclose(extents["mug"], sim.actors["mug"].asset.extents, atol=4e-3)
    assert {"table", "cabinet", "cabinet/drawer", "left_hand", "right_link3", "world"} <= extents.keys()
    assert extents["world"][2] < 1.0  # no walls
    for body, mesh in meshes.items():
        if body:
            seen = (sim.model.geom_bodyid == body) & (sim.model.geom_group < 3)
            centers = sim.data.geom_xpos[seen] - sim.data.xpos[body]
            local = centers @ sim.data.xmat[body].reshape(3, 3)
            low, high = mesh.bounds  # type: ignore[attr-defined]
            assert (local > low - 1e-6).all()
            assert (local < high + 1e-6).all()
    red = np.unique(meshes[sim.model.body("block").id].visual.vertex_colors[:, :3], axis=0)  # type: ignore[attr-defined]
    np.testing.assert_array_equal(red, [[229, 25, 25]])


def test_the_page_is_served_until_interrupted():
    pytest.importorskip("viser")
    with socket.socket() as probe:
        probe.bind(("", 0))
        port = probe.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "sim", "view", "click_bell", "--port", str(port)],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        cwd=REPOSITORY,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
        env=os.environ,
    )
    assert process.stdout is not None
    try:
        first = [process.stdout.readline() for _ in range(3)]
        assert first[2] == f"viewer  http://localhost:{port}   (Ctrl-C ends it)\n", first
        with urllib.request.urlopen(f"http://localhost:{port}", timeout=30) as answer:
            assert b"<html" in answer.read().lower()
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=60)[0] == "interrupted\n"
        assert process.returncode == 130
    finally:
        process.kill()


def test_shapes_of_every_kind_can_be_shown():
    pytest.importorskip("trimesh")
    kinds = ["box", "sphere", "cylinder", "capsule", "ellipsoid"]
    geoms = "".join(f'<body name="{k}"><geom type="{k}" size=".1 .2 .3"/></body>' for k in kinds)
    model = mujoco.MjModel.from_xml_string(
        f"<mujoco><worldbody><geom type='plane' size='1 1 1'/>{geoms}</worldbody></mujoco>"
    )
    extents = {model.body(b).name: mesh.extents for b, mesh in body_meshes(model).items()}  # type: ignore[attr-defined]
    np.testing.assert_allclose(extents["box"], [0.2, 0.4, 0.6])
    np.testing.assert_allclose(extents["sphere"], 0.2, atol=5e-3)
    np.testing.assert_allclose(extents["cylinder"], [0.2, 0.2, 0.4], atol=5e-3)
    np.testing.assert_allclose(extents["capsule"], [0.2, 0.2, 0.6], atol=5e-3)
    np.testing.assert_allclose(extents["ellipsoid"], [0.2, 0.4, 0.6], atol=2e-2)
