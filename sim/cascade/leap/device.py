"""State of the leap engine on a device, with a copy in host memory that is brought up to date when somebody looks.

Seeding, moving and statistics run on the host. On the CPU the device shares the host's memory and nothing is copied.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sim.cascade.leap.engine import Leap
from sim.cascade.leap.state import Batch


class DeviceLeap(Leap):
    """See `Leap`. A backend says how arrays come and go; its kernels change `device` in place.

    Args:
        device: name of the device, as the backend spells it.
    """

    narrow = False
    trees = False

    def __init__(self, *arguments: Any, device: str = "cpu", **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._open(device)
        self._shared = device == "cpu"
        self.device = Batch(*(self._upload(array) for array in self.batch))
        self._old: set[str] = set()  # fields whose host copy is out of date
        self._device_is_old = False

    def _open(self, device: str) -> None:
        """Take hold of the device. Raises TwinloomError if there is none of that name."""
        raise NotImplementedError

    def _upload(self, array: np.ndarray) -> Any:
        """The array on the device; the same memory on the CPU."""
        raise NotImplementedError

    def _copy(self, source: Any, target: Any, up: bool) -> None:
        """Copy between an array on the host and one on the device: ``up`` to the device, or down."""
        raise NotImplementedError

    def _take_steps(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        """As `_run`, on a device that is up to date."""
        raise NotImplementedError

    def _run(self, clocks: np.ndarray, spans: np.ndarray) -> None:
        if self._device_is_old:
            for host, device in zip(self.batch, self.device, strict=True):
                self._copy(host, device, up=True)
            self._device_is_old = False
        self._take_steps(clocks, spans)
        if not self._shared:
            self._old.update(Batch._fields)

    def _look(self, *names: str) -> Batch:
        for name in self._old.intersection(names):
            self._copy(getattr(self.device, name), getattr(self.batch, name), up=False)
        self._old.difference_update(names)
        return self.batch

    def _change(self) -> Batch:
        self._device_is_old = not self._shared
        return self._look(*Batch._fields)

    def _peaks(self) -> np.ndarray:
        from sim.cascade.leap.kernels import peak_rates

        peaks = np.zeros(len(self._steps))
        peak_rates(self._look("cell", "exposure", "key"), self.rules, self.net, self.levers, peaks)
        return peaks
