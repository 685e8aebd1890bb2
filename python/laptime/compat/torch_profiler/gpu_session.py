"""The GPU's part of a profile session.

All work that was launched in the session is recorded when it ends.
"""

from __future__ import annotations

import time

import torch

from laptime.collect import cuda
from laptime.compat.torch_profiler import sources

_LONGEST_WAIT_S = 3


class GpuSession:
    """Made before the session, because the first one takes milliseconds.

    Contract: ``begin``, then ``wait`` after the last launch, then ``end``. Only CUDA's own errors
    are raised.
    """

    def __init__(self) -> None:
        torch.cuda.init()
        self._source = sources.gpu()
        self._source.on()

    def begin(self) -> None:
        """Waits, because CUPTI may still be leaving the process after the previous session."""
        limit = time.monotonic() + _LONGEST_WAIT_S
        settled = (cuda.State.CAPTURING, cuda.State.FAILED)
        while self._source.state not in settled and time.monotonic() < limit:
            torch.cuda.synchronize()
            time.sleep(0.01)
            self._source.on()
        if self._source.state != cuda.State.CAPTURING:
            sources.say_once("torch.profiler: the GPU is not recorded: CUPTI is not available")

    def wait(self) -> None:
        torch.cuda.synchronize()

    def end(self) -> None:
        """Ends the session. A recording around it continues."""
        self._source.flush()
        self._source.off()
