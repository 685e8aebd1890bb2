"""The light hooks on JAX, which are on in every step: calls of jitted functions, waits for arrays,
compilations, and steps that the program annotates. Imports jax.

What runs in every step is native (``CallHooks``). Wrapped functions get no Python frame
(``Around``).
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from jax._src import array, core, pjit, tree_util
from jax._src.interpreters import ad, pxla

from laptime._native import jax_calls, recording
from laptime.collect.patches import Patches
from laptime.frameworks.jax.annotations import watch_annotations
from laptime.frameworks.jax.compilations import Compilations
from laptime.frameworks.jax.functions import Functions
from laptime.frameworks.jax.waits import watch_waits


class Hooks:
    def __init__(self, begin: Callable[[], None], mark: Callable[[str, int, int], None]) -> None:
        """``mark(phase, samples, ticks)``: a step ended at that time; 0: now. ``begin``: the first
        step of all begins.
        """
        self._patches = Patches()
        self._functions = Functions()
        self.calls = jax_calls.CallHooks(
            begin=begin,
            mark=mark,
            trace=core.trace_state_strong_ref,
            evaluates=core.eval_trace,
            array=array.ArrayImpl,
            identify=self._functions.identify,
            thread=_main_thread(),
        )

    def install(self) -> None:
        watch_waits(self._patches)
        Compilations(self.calls, self._functions).install(self._patches)
        watch_annotations(self.calls, self._patches)
        self._patches.around(ad, "linearize", before=self.calls.differentiating)
        if problem := self._watch_calls():
            recording.warn(
                "jax_calls",
                f"calls of jitted functions are not recorded with this jaxlib: {problem}",
            )

    def remove(self) -> None:
        self.calls.remove()
        self._patches.remove()

    def after_fork(self) -> None:
        self.calls.start_over(_main_thread())

    def _watch_calls(self) -> str:
        """The reason why calls cannot be seen, or ""."""
        try:
            if not self.calls.learn(_probe(pjit._jax.pjit), _probe(pjit._jax.pjit)):
                return "the functions have another form"
            if core.trace_state_strong_ref.value is not core.eval_trace:
                return "what is traced cannot be seen"
            self._watch_traces()
            self.calls.install()
            if not self._sees(_probe(self.calls.seeing(pjit._jax.pjit))):
                self.calls.remove()
                return "a call was not seen"
            self._patches.replace(pjit._jax, "pjit", lambda original: self.calls.seeing(original))
        except Exception as error:
            self.calls.remove()
            return str(error)
        return ""

    def _watch_traces(self) -> None:
        """All of JAX's transformations enter this context while they trace."""
        context = core.set_current_trace
        self._patches.around(context, "__enter__", before=self.calls.context_began)
        self._patches.around(context, "__exit__", after=self.calls.context_ended)

    def _sees(self, function: Callable[[], object]) -> bool:
        before = self.calls.calls
        self.calls.set_busy(True)
        try:
            function()
        except _SelfTestError:
            return self.calls.calls == before + 1
        finally:
            self.calls.set_busy(False)
        return False


class _SelfTestError(Exception):
    """Raised instead of a compilation."""


def _probe(make: Callable[..., Any]) -> Any:
    """A jitted function that computes nothing: its first call raises."""

    def laptime(*_: object, **__: object) -> None:
        raise _SelfTestError

    return make(
        laptime.__name__,
        laptime,
        laptime,
        [],
        [],
        pxla.JitGlobalCppCacheKeys(),
        tree_util.dispatch_registry,
        pxla.cc_shard_arg,
    )


def _main_thread() -> int:
    ident = threading.main_thread().ident
    assert ident is not None
    return ident
