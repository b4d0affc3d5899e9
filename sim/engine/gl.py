"""Off-screen OpenGL: which backend MuJoCo gets, how finely to render on what it finds, what to do when there is none.

MuJoCo reads ``MUJOCO_GL`` when it is first imported and has no usable default on a machine without a display, so
importing ``sim.engine`` calls `select_backend`. Nothing here imports MuJoCo before it is asked to render.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import sys
import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING

from twinloom.errors import TwinloomError

if TYPE_CHECKING:
    import mujoco

PACKAGES = "libegl1 libegl-mesa0 libgl1 libopengl0 libgles2 libgl1-mesa-dri"
INSTALL_LINE = f"apt-get install -y --no-install-recommends {PACKAGES}"
SOFTWARE_RENDERERS = ("llvmpipe", "softpipe", "swrast", "swiftshader")


class NoOpenGLError(TwinloomError):
    """This machine cannot render off screen as it is set up; physics still works."""

    def __init__(self, cause: str) -> None:
        backend, platform = os.environ.get("MUJOCO_GL", ""), os.environ.get("PYOPENGL_PLATFORM", "")
        sentence = " ".join(cause.split()).split(". ")[0].rstrip(".")
        if "MUJOCO_EGL_DEVICE_ID" in cause:
            fix = "unset MUJOCO_EGL_DEVICE_ID or correct it"
        elif backend not in ("", "egl", "disable"):
            fix = f"MUJOCO_GL={backend} was set by hand; unset it or set MUJOCO_GL=egl"
        elif backend == "egl" and platform not in ("", "egl"):
            fix = f"PYOPENGL_PLATFORM={platform} was set by hand; unset it"
        else:
            fix = f"on Debian or Ubuntu run as root: {INSTALL_LINE}"
        super().__init__(f"no OpenGL for off-screen rendering ({sentence}); {fix}")


class ForkedError(TwinloomError):
    """Drawing in a child of a process that has drawn, where OpenGL would wait for threads that were not forked."""


_drawing_process: list[int] = []  # id of the first process that opened a renderer; a fork inherits it


def _remember_process() -> None:
    if not _drawing_process:
        _drawing_process.append(os.getpid())
    elif _drawing_process[0] != os.getpid():
        raise ForkedError(
            "this process was forked from one that had drawn images, which OpenGL does not survive; start processes "
            'with the method "spawn", in Gymnasium with vector_kwargs={"context": "spawn"}'
        )


@dataclass(frozen=True)
class RenderMode:
    """How finely images are drawn.

    Attributes:
        name: "fast", "nice" or "best".
        offsamples: multisampling of the off-screen buffer (``visual.quality.offsamples``), 0 is none.
        shadowsize: side of the shadow map in texels (``visual.quality.shadowsize``), 0 switches shadows off.
    """

    name: str
    offsamples: int
    shadowsize: int


RENDER_MODES = {
    mode.name: mode for mode in (RenderMode("fast", 0, 0), RenderMode("nice", 0, 512), RenderMode("best", 4, 2048))
}


def select_backend() -> None:
    """Choose MuJoCo's OpenGL backend unless ``MUJOCO_GL`` has done so: EGL on Linux, none where libEGL is missing.

    Works after ``import mujoco`` too. Without libEGL physics must still work, and importing MuJoCo with
    ``MUJOCO_GL=egl`` would crash there.
    """
    if not sys.platform.startswith("linux") or os.environ.get("MUJOCO_GL"):
        return
    try:
        ctypes.CDLL("libEGL.so.1")
        os.environ["MUJOCO_GL"] = "egl"
    except OSError:
        os.environ["MUJOCO_GL"] = "disable"
    loaded = sys.modules.get("mujoco")
    context = sys.modules.get("mujoco.rendering.classic.gl_context")
    if loaded is not None and context is not None:  # imported before us, so it has settled on a window system
        setattr(loaded, "GLContext", getattr(importlib.reload(context), "GLContext", None))  # noqa: B010 (no stub knows it)


def load_mujoco() -> ModuleType:
    """Import MuJoCo, or say why ``MUJOCO_GL`` keeps it from loading.

    Raises:
        NoOpenGLError: ``MUJOCO_GL`` names a backend that is unknown or not on this machine.
    """
    select_backend()
    warnings.filterwarnings("ignore", module="glfw")  # that there is no display is said by NoOpenGLError, once
    try:
        import mujoco
    except (AttributeError, RuntimeError) as error:  # MUJOCO_GL was set by hand: egl without libEGL, or a typo
        raise NoOpenGLError(f"MuJoCo does not load with MUJOCO_GL={os.environ.get('MUJOCO_GL')}: {error}") from error
    return mujoco


def open_renderer(model: mujoco.MjModel, height: int, width: int, max_geom: int = 10_000) -> mujoco.Renderer:
    """Create ``mujoco.Renderer``, or say what this machine lacks.

    Args:
        model: must allow the size: ``model.vis.global_.offwidth`` and ``offheight``.
        height, width: image size in pixels.
        max_geom: the most geoms, visual decoration included, that one image can show.

    Raises:
        NoOpenGLError: EGL or its driver is missing.
        ForkedError: the process was forked from one that had opened a renderer.
        ValueError: the model's off-screen buffer is smaller than the image.
    """
    mujoco = load_mujoco()
    _remember_process()
    if os.environ.get("MUJOCO_GL") == "disable":
        raise NoOpenGLError("MUJOCO_GL=disable, which is chosen where libEGL.so.1 is missing")
    try:
        return mujoco.Renderer(model, height, width, max_geom)
    except (ImportError, RuntimeError, mujoco.FatalError) as error:  # no EGL device; no driver; no display
        raise NoOpenGLError(str(error)) from error


def current_renderer() -> str:
    """Name of the renderer behind the OpenGL context that is current in this process, which a `open_renderer` made."""
    from OpenGL import GL

    name = GL.glGetString(GL.GL_RENDERER)
    return name.decode() if isinstance(name, bytes) else str(name)


@functools.cache
def renderer_name() -> str:
    """Name of this machine's OpenGL renderer, for example "llvmpipe (LLVM 15.0.6, 256 bits)".

    Opens an OpenGL context in this process: do not fork afterwards. `sim.engine.probe.probe` asks a child process.

    Raises:
        NoOpenGLError: EGL or its driver is missing.
    """
    model = load_mujoco().MjModel.from_xml_string("<mujoco/>")
    with open_renderer(model, 8, 8):
        return current_renderer()


def render_mode(name: str = "auto", renderer: str | None = None) -> RenderMode:
    """Look a mode up; "auto" is "fast" on a software renderer and "best" on a GPU.

    Args:
        name: "auto", "fast", "nice" or "best".
        renderer: name of the OpenGL renderer; asked of the machine when None and needed.

    Raises:
        TwinloomError: no such mode.
    """
    if name == "auto":
        found = (renderer_name() if renderer is None else renderer).lower()
        return RENDER_MODES["fast" if any(s in found for s in SOFTWARE_RENDERERS) else "best"]
    if name not in RENDER_MODES:
        raise TwinloomError(f'unknown render mode "{name}"; choose auto, {", ".join(RENDER_MODES)}')
    return RENDER_MODES[name]
