"""Leap engine in Warp, on the CPU or on a CUDA device; see `sim.cascade.leap.warp_kernels`."""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cascade.leap import warp_kernels as kernels
from sim.cascade.leap.device import DeviceLeap
from sim.cascade.leap.warp_kernels import wp
from twinloom.errors import TwinloomError


class LeapWarp(DeviceLeap):
    """See `DeviceLeap`; ``device`` is "cpu", "cuda", "cuda:1", …"""

    def _open(self, device: str) -> None:
        try:
            self._warp = wp.get_device(device)
        except (RuntimeError, ValueError) as error:
            raise TwinloomError(f'warp has no device "{device}" here; use "cpu"') from error
        self._process = kernels.Process()
        for record in (self.net, self.rules):
            for name, value in record._asdict().items():
                if hasattr(self._process, name):
                    setattr(self._process, name, self._upload(value) if isinstance(value, np.ndarray) else value)
        shape = self.batch.cell.shape
        self._plan = kernels.Plan()
        for name, dtype in (("into", np.int8), ("start", np.int32), ("due", np.int32)):
            setattr(self._plan, name, wp.zeros(shape, dtype=wp.dtype_from_numpy(dtype), device=self._warp))

    def _upload(self, array: np.ndarray) -> Any:
        return wp.array(np.ascontiguousarray(array), device=self._warp, copy=not self._warp.is_cpu)

    def _copy(self, source: Any, target: Any, up: bool) -> None:
        if up:
            target.assign(source)
        else:
            target[...] = source.numpy()

    def _take_steps(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        state, frame = kernels.State(), kernels.Frame()
        for name, array in self.device._asdict().items():
            if hasattr(state, name):
                setattr(state, name, array)
        host = {"clocks": clocks, "spans": spans, "steps": self._steps, **self.levers._asdict()}
        for name, array in host.items():
            setattr(frame, name, self._upload(array))
        shape = self.batch.cell.shape
        for t in range(len(spans)):
            wp.launch(kernels.decide, shape, [self._process, frame, state, t, self._plan], device=self._warp)
            wp.launch(kernels.carry_out, shape, [self._process, state, self._plan], device=self._warp)
