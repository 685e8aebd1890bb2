"""Everything that is measured of TensorFlow in this process, from start to stop. Imports
tensorflow, so only processes that have imported it may import this.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import tensorflow as tf

from laptime._native import recording, tensorflow_steps, torch_ops
from laptime.collect import marks, sources
from laptime.collect.call_sites import configure_call_sites
from laptime.collect.gc_spans import GcSpans
from laptime.collect.imports import when_imported
from laptime.collect.patches import Patches
from laptime.collect.profiled_cost import profiled_cost
from laptime.collect.source import Source
from laptime.collect.step_session import StepSession
from laptime.collect.stepping import Stepping
from laptime.frameworks.tensorflow import marked_steps, tracing
from laptime.frameworks.tensorflow.hooks import (
    Datasets,
    Functions,
    install_hooks,
    install_optimizer_hooks,
)
from laptime.frameworks.tensorflow.settings import Settings

if TYPE_CHECKING:
    from laptime.frameworks.tensorflow import Options

NAME = "tensorflow"
_cost = partial(profiled_cost, event_ns=2300.0, hooks_ns=5000.0)


class Session(StepSession):
    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options["budget"], options["steps"])
        self._options = options
        self._patches = Patches()
        self._gc = GcSpans()
        self._functions = tracing.TracedFunctions()
        self._steps = Stepping(NAME, self._new_schedule, self._load_sources, _cost)
        self._hooks = tensorflow_steps.StepHooks(
            begin=self._steps.begin,
            mark=self._steps.mark,
            add_loader=Datasets(lambda address: self._hooks.iterator_dropped(address)).add,
            name_of=Functions(lambda address: self._hooks.function_dropped(address)).name_of,
            call_site=torch_ops.call_site_function(),
            thread=_main_thread(),
        )
        self._steps.hooks = self._hooks
        self._stop_watching: Callable[[], None] = lambda: None

    def start(self) -> None:
        recording.set_property(NAME, tf.__version__)
        configure_call_sites(self._options["include"], self._options["exclude"])
        if problem := tensorflow_steps.install_input_hook():
            recording.warn(
                "tensorflow_input", f"waits for input inside tf.functions not recorded: {problem}"
            )
        install_hooks(self._hooks, self._patches, input_hooked=not problem)
        tracing.install(self._patches, self._functions)
        marked_steps.install(self._steps, self._patches)
        Settings().install(self._patches)
        self._gc.install()
        self._take_marks()
        marks.when_another_begins(NAME, lambda: setattr(self._hooks, "by_another", True))
        self._stop_watching = when_imported("keras.src.optimizers.base_optimizer", self._hook_keras)

    def stop(self) -> None:
        with contextlib.ExitStack() as closing:
            closing.callback(self._steps.close)
            closing.callback(self._write_cost)
            closing.callback(self._steps.finish)
            closing.callback(self._patches.remove)
            closing.callback(self._gc.remove)
            self._stop_watching()
            self._leave_marks()

    def requests_of_call(self) -> list[int]:
        return self._hooks.requests_of_call()

    def after_fork(self) -> None:
        """TensorFlow does not work in a forked child, so nothing more is recorded of it there."""
        self._steps.after_fork()
        self._hooks.start_over(_main_thread())

    def _hook_keras(self) -> None:
        from keras.src.optimizers.base_optimizer import BaseOptimizer

        install_optimizer_hooks(BaseOptimizer, self._hooks, self._patches)

    def _load_sources(self) -> sources.Sources:
        wanted: dict[str, Callable[[], Source]] = {}
        if self._options["ops"]:
            wanted["ops"] = lambda: _load_ops(self._functions)
        return sources.load_sources(NAME, wanted)


def _load_ops(functions: tracing.TracedFunctions) -> Source:
    from laptime.frameworks.tensorflow import ops

    return ops.load(functions)


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
