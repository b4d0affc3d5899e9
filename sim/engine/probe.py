"""Tries off-screen rendering in a child process, which may crash without harm.

``python -m sim.engine.probe`` renders, prints what drew the frame, and exits with 2 and one line when it cannot.
"""

from __future__ import annotations

import functools
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass

from sim.engine.gl import current_renderer, load_mujoco, open_renderer
from twinloom.command import run_command

SCENE = """<mujoco><visual><quality offsamples="0"/></visual>
<worldbody><light pos="0 0 3"/><geom type="plane" size="1 1 1"/><geom size=".1" pos="0 0 .1"/></worldbody></mujoco>"""


@dataclass(frozen=True)
class Probe:
    """What `probe` found.

    Attributes:
        renderer: the driver's own name, for example "llvmpipe (LLVM 15.0.6, 256 bits)"; empty if rendering fails.
        frame_ms: CPU milliseconds of one 320x240 frame of a ball on a plane, without shadows, after the first.
        error: why rendering fails and what to do, one line; empty if it works.
    """

    renderer: str
    frame_ms: float = 0.0
    error: str = ""


@functools.cache
def probe() -> Probe:
    """Render in a child process and report what was found; never raises for a machine that cannot render."""
    command = [sys.executable, "-m", "sim.engine.probe", "--json"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    except subprocess.TimeoutExpired:
        return Probe("", error="the rendering probe did not answer within 120 s")
    if done.returncode == 0:
        return Probe(**json.loads(done.stdout.splitlines()[-1]))
    lines = done.stderr.strip().splitlines() or [f"the rendering probe ended with exit code {done.returncode}"]
    return Probe("", error=lines[-1].removeprefix("error: "))


def draw(frames: int = 10) -> Probe:
    """Render ``frames`` frames in this process. Raises NoOpenGLError."""
    mujoco = load_mujoco()
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with open_renderer(model, 240, 320) as renderer:
        seconds = []
        for _ in range(frames + 1):  # the first one compiles shaders
            start = time.process_time()
            renderer.update_scene(data)
            renderer.scene.flags[mujoco.mjtRndFlag.mjRND_SHADOW] = 0
            renderer.render()
            seconds.append(time.process_time() - start)
        return Probe(current_renderer(), round(1000 * sum(seconds[1:]) / frames, 2))


def main() -> None:
    """Body of ``python -m sim.engine.probe [--json]``."""

    def body() -> None:
        found = draw()
        print(json.dumps(asdict(found)) if "--json" in sys.argv else f"{found.renderer}, {found.frame_ms} ms a frame")

    run_command(body)


if __name__ == "__main__":
    main()
