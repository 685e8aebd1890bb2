"""The GPU's part of A profile session.

All that was launched in the session is recorded when it ends.
"""

from __future__ import annotations

import time

import torch

from laptime.collect import cuda
from laptime.compat.torch_profiler import sources

_LONGEST_WAIT_S = 3


class GpuSession:
    """Made before the session, where there is time: the first time takes milliseconds. Contract:
    ``begin``, ``wait`` when the last work was launched, ``end``. Nothing here raises but what CUDA
    itself does.
    """

    def __init__(self) -> None:
        torch.cuda.init()
        self._source = sources.gpu()
        self._source.on()

    def begin(self) -> None:
        """CUPTI may still be on its way out after the session before."""
        limit = time.monotonic() + _LONGEST_WAIT_S
        settled = (cuda.State.CAPTURING, cuda.State.FAILED)
        while self._source.state not in settled and time.monotonic() < limit:
            torch.cuda.synchronize()
            time.sleep(0.01)
            self._source.on()
        if self._source.state != cuda.State.CAPTURING:
            sources.say_once("torch.profiler: the GPU is not recorded: CUPTI could not be had")

    def wait(self) -> None:
        torch.cuda.synchronize()

    def end(self) -> None:
        """A recording around this one goes on."""
        self._source.flush()
        self._source.off()
