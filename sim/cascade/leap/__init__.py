"""The leap engine: synchronous time steps, in numba, PyTorch and Warp."""
