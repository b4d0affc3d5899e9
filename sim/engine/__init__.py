"""The engines under the simulators. Importing this package chooses MuJoCo's OpenGL backend and loads no engine."""

from sim.engine.gl import select_backend

select_backend()
