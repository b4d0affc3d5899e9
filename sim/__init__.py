"""What happens: the simulators and the engines under them."""

from twinloom.lazy import attach

__getattr__, __dir__ = attach(__name__, {"make": "sim.envs:make", "make_vec": "sim.vector:make_vec"})
