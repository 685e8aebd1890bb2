"""Only one tool at a time can use CUPTI: a program that starts JAX's profiler gets it, and laptime
takes it again when that stops.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from laptime._messages import say
from laptime._native import recording
from laptime.collect import cuda


def make_way() -> None:
    """Contract: the profiler's functions work as before, whatever happens here."""
    import jax

    gpu = _SharedGpu()
    # A server starts the profiler on request.
    for start, stop in (("start_trace", "stop_trace"), ("start_server", "stop_server")):
        take, release = functools.partial(gpu.take, start), functools.partial(gpu.release, start)
        release_if_new = functools.partial(gpu.release_if_new, start)
        _replace(jax.profiler, start, before=take, failed=release_if_new)
        _replace(jax.profiler, stop, after=release, failed=release)


class _SharedGpu:
    """The GPU belongs to laptime unless the program has taken it."""

    def __init__(self) -> None:
        self._takers: set[str] = set()
        self._newest = ""  # the taker that the last call added; empty if it had the GPU already
        self._left = False

    def take(self, taker: str) -> None:
        self._newest = "" if taker in self._takers else taker
        self._takers.add(taker)
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

    def release(self, taker: str) -> None:
        self._takers.discard(taker)
        if self._left and not self._takers:
            self._left = False
            cuda.resume()

    def release_if_new(self, taker: str) -> None:
        """The start failed: the profiler does not run, unless it ran before."""
        if self._newest == taker:
            self.release(taker)


def _load_cuda() -> None:
    """Does what the profiler does when it starts. If this is the program's first use of JAX, the
    driver loads the collector now.
    """
    import jax

    jax.local_devices()


def _use_the_gpu() -> None:
    import jax

    jax.device_put(0.0, jax.local_devices(backend="gpu")[0]).block_until_ready()


def _nothing() -> None: ...


def _replace(
    module: Any,
    name: str,
    before: Callable[[], None] = _nothing,
    after: Callable[[], None] = _nothing,
    failed: Callable[[], None] = _nothing,
) -> None:
    original = getattr(module, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def replaced(*arguments: Any, **named: Any) -> Any:
        _try(before)
        try:
            result = original(*arguments, **named)
        except BaseException:
            _try(failed)
            raise
        _try(after)
        return result

    setattr(module, name, replaced)
    where_defined = getattr(original, "__globals__", {})
    if where_defined.get(name) is original:  # jax.profiler.trace finds it there
        where_defined[name] = replaced


def _try(action: Callable[[], None]) -> None:
    try:
        action()
    except Exception as error:
        say(f"jax.profiler: {error}")
