"""A program that starts JAX's own profiler gets what only one tool at a time can use: CUPTI, and
JAX's profiler session. Laptime takes them again when that profiler stops.
"""

from __future__ import annotations

from laptime._messages import say
from laptime._native import recording
from laptime.collect import cuda
from laptime.collect.program_profilers import Shared, SharedSession, share

_NAME = "jax.profiler"
# A server starts the profiler on request.
_PAIRS = (("start_trace", "stop_trace"), ("start_server", "stop_server"))


def make_way(*, gpu: bool = True) -> None:
    """Contract: the profiler's functions work as before, whatever happens here.

    ``gpu``: laptime may record the GPU.
    """
    import jax

    shared: list[Shared] = [SharedSession(_NAME)]
    if gpu:
        shared.append(_SharedGpu())
    for start, stop in _PAIRS:
        share(_NAME, [jax.profiler], start, stop, shared)


class _SharedGpu(Shared):
    def __init__(self) -> None:
        super().__init__()
        self._left = False

    def leave(self) -> None:
        _load_cuda()
        if self._left or not cuda.is_capturing():
            return
        self._left = True
        say(
            "jax.profiler takes the GPU; laptime records no GPU work until it stops"
            if cuda.leave(_use_the_gpu)
            else "CUPTI was not released in time; jax.profiler may get no GPU work"
        )
        recording.warn(
            "gpu_left",
            "the GPU was left to the program's own jax.profiler; its work in that time is not"
            " recorded",
        )

    def resume(self) -> None:
        if self._left:
            self._left = False
            cuda.resume()


def _load_cuda() -> None:
    """Does what the profiler does when it starts. If this is the program's first use of JAX, the
    driver loads the collector now.
    """
    import jax

    jax.local_devices()


def _use_the_gpu() -> None:
    import jax

    jax.device_put(0.0, jax.local_devices(backend="gpu")[0]).block_until_ready()
