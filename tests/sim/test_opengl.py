"""Off-screen OpenGL: the backend is chosen in time, and a machine that cannot render gets one clear line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from sim.engine.gl import INSTALL_LINE, RENDER_MODES, render_mode
from sim.engine.probe import probe
from twinloom.errors import TwinloomError

NO_VENDOR = {"__EGL_VENDOR_LIBRARY_DIRS": "/nonexistent"}  # libEGL is there, no driver behind it
NO_DRIVER = {"LIBGL_DRIVERS_PATH": "/nonexistent"}  # Mesa is there, its software rasteriser is not
NO_LIBRARY = """
import ctypes
class Hidden(ctypes.CDLL):
    def __init__(self, name, *a, **k):
        if "libEGL" in str(name): raise OSError(f"{name}: cannot open shared object file")
        super().__init__(name, *a, **k)
ctypes.CDLL = Hidden
"""


def python(program, **environment):
    env = {k: v for k, v in os.environ.items() if k != "MUJOCO_GL"} | environment
    command = [sys.executable, "-c", program]
    return subprocess.run(command, capture_output=True, text=True, env=env, timeout=120, check=False)


def draw(setup="", **environment):
    return python(
        setup + "\nimport sys; sys.argv = ['probe']\nfrom sim.engine.probe import main; main()", **environment
    )


def test_this_machine_renders():
    found = probe()
    assert found.error == ""
    assert found.renderer
    assert found.frame_ms > 0


@pytest.mark.parametrize("environment", [NO_VENDOR, NO_DRIVER], ids=["no vendor", "no driver"])
def test_broken_egl_is_one_line_with_the_packages(environment):
    if "llvmpipe" not in probe().renderer:
        pytest.skip("hiding Mesa only breaks machines that render with Mesa")
    done = draw(**environment)
    assert done.returncode == 2
    errors = [line for line in done.stderr.splitlines() if not line.startswith("libEGL warning") and line]
    assert len(errors) == 1
    assert errors[0].startswith("error: no OpenGL for off-screen rendering")
    assert errors[0].endswith(INSTALL_LINE)


@pytest.mark.parametrize("variable", ["MUJOCO_GL=glfw", "PYOPENGL_PLATFORM=glx"])
def test_a_platform_without_display_set_by_hand_is_one_line(variable):
    name, _, value = variable.partition("=")
    environment = {"MUJOCO_GL": "egl", name: value, "DISPLAY": "", "WAYLAND_DISPLAY": ""}
    done = draw(**environment)
    assert done.returncode == 2
    assert done.stderr.startswith("error: no OpenGL for off-screen rendering")
    assert done.stderr.count("\n") == 1
    assert f"{variable} was set by hand; unset it" in done.stderr


def test_without_libegl_physics_works_and_rendering_says_why():
    physics = "import sim.engine, mujoco; m = mujoco.MjModel.from_xml_string('<mujoco/>'); print(m.opt.timestep)"
    done = python(NO_LIBRARY + physics)
    assert (done.returncode, done.stdout) == (0, "0.002\n"), done.stderr
    done = draw(NO_LIBRARY)
    assert done.returncode == 2
    assert "libEGL.so.1 is missing" in done.stderr
    assert INSTALL_LINE in done.stderr


@pytest.mark.parametrize("value", ["glfw", "bogus"])
def test_a_backend_set_by_hand_that_does_not_work_is_named(value):
    if value == "glfw" and os.environ.get("DISPLAY"):
        pytest.skip("glfw works where there is a display")
    done = draw(MUJOCO_GL=value)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith(f"MUJOCO_GL={value} was set by hand; unset it or set MUJOCO_GL=egl")


def test_a_program_that_imports_mujoco_first_still_renders():
    done = python("import mujoco\nfrom sim.engine.gl import renderer_name\nprint(renderer_name())")
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == probe().renderer


def test_auto_is_fast_in_software_and_best_on_a_gpu():
    assert render_mode("auto", "llvmpipe (LLVM 15.0.6, 256 bits)").name == "fast"
    assert render_mode("auto", "NVIDIA H100/PCIe/SSE2").name == "best"
    assert [render_mode(name) for name in RENDER_MODES] == list(RENDER_MODES.values())
    assert RENDER_MODES["fast"].shadowsize == 0 < RENDER_MODES["nice"].shadowsize < RENDER_MODES["best"].shadowsize
    with pytest.raises(TwinloomError, match="auto, fast, nice, best"):
        render_mode("pretty")


def test_drawing_after_a_fork_is_refused_instead_of_waiting_for_ever():
    done = python("""
import os
from sim.engine.gl import ForkedError, load_mujoco, open_renderer
model = load_mujoco().MjModel.from_xml_string("<mujoco/>")
open_renderer(model, 8, 8).close()
if os.fork() == 0:
    try:
        open_renderer(model, 8, 8)
    except ForkedError as error:
        print(error, flush=True)
    os._exit(0)
os.wait()
""")
    assert 'context": "spawn"' in done.stdout
