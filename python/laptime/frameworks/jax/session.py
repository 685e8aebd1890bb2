"""Everything that is measured of JAX in this process, from start to stop. Imports jax, so only
processes that have imported it may import this.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import jax

from laptime._native import recording
from laptime.collect import sources
from laptime.collect.call_sites import configure_call_sites
from laptime.collect.gc_spans import GcSpans
from laptime.collect.profiled_cost import profiled_cost
from laptime.collect.source import Source
from laptime.collect.step_session import StepSession
from laptime.collect.stepping import Stepping
from laptime.frameworks.jax.hooks import Hooks

if TYPE_CHECKING:
    from laptime.frameworks.jax import Options

NAME = "jax"
_cost = partial(profiled_cost, event_ns=3000.0, hooks_ns=1500.0)


class Session(StepSession):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options["budget"], options["steps"])
        self._options = options
        self._gc = GcSpans()
        self._steps = Stepping(NAME, self._new_schedule, self._load_sources, _cost)
        self._hooks = Hooks(self._steps.begin, self._steps.mark)
        self._steps.hooks = self._hooks.calls

    def start(self) -> None:
        recording.set_property(NAME, jax.__version__)
        configure_call_sites(self._options["include"], self._options["exclude"])
        self._hooks.install()
        self._gc.install()
        self._take_marks()

    def stop(self) -> None:
        with contextlib.ExitStack() as closing:
            closing.callback(self._steps.close)
            closing.callback(self._write_cost)
            closing.callback(self._hooks.remove)
            closing.callback(self._steps.finish)
            closing.callback(self._gc.remove)
            self._leave_marks()

    def after_fork(self) -> None:
        """JAX does not work in a forked child, so nothing more is recorded of it there."""
        self._steps.after_fork()
        self._hooks.after_fork()

    def _load_sources(self) -> sources.Sources:
        wanted: dict[str, Callable[[], Source]] = {}
        # On a GPU, CUPTI records the kernels, and JAX's profiler would take it.
        if self._options["ops"] and jax.default_backend() == "cpu":
            wanted["ops"] = partial(_load_ops, self._options["gpu"])
        return sources.load_sources(NAME, wanted)


def _load_ops(gpu: bool) -> Source:
    from laptime.frameworks.jax import ops

    return ops.load(gpu)
