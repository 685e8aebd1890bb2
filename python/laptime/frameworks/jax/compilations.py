"""Compilations by JAX: tracing, lowering and XLA's compilation, of which function, and why a
function was traced again. Imports jax.

JAX's own monitoring reports the begin and the end of each. The reason of a repetition is what
differs from the inputs of the last trace.
"""

from __future__ import annotations

import contextlib
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterable
from typing import Any, NamedTuple

from jax._src import dispatch, monitoring, pjit

from laptime._native import jax_calls, recording
from laptime.collect.patches import Patches
from laptime.frameworks.jax.functions import Functions, plain_name

_NAMES = {
    dispatch.JAXPR_TRACE_EVENT: "JAX trace",
    dispatch.JAXPR_TO_MLIR_MODULE_EVENT: "JAX lower",
    dispatch.BACKEND_COMPILE_EVENT: "XLA compile",
}
_LONGEST = 400
_LONGEST_VALUE = 60
_MOST_FUNCTIONS = 512
_MOST_REASONS = 3


class Inputs(NamedTuple):
    """What a function is traced for."""

    arguments: dict[str, str]  # the types of arrays, by argument
    static: dict[str, str]


class Compilations:
    def __init__(self, calls: jax_calls.CallHooks, functions: Functions) -> None:
        self._calls = calls
        self._functions = functions
        self._begun = threading.local()
        self._inputs: OrderedDict[object, Inputs] = OrderedDict()  # of each function's last trace
        self._reasons: dict[str, str] = {}  # of compilations that have not ended, by function

    def install(self, patches: Patches) -> None:
        monitoring.register_scalar_listener(self._began)
        monitoring.register_event_duration_secs_listener(self._ended)
        patches.add_undo(self._stop_listening)
        patches.around(
            pjit,
            "_trace_for_jit",
            before=self._tracing,
            after=lambda *_: self._calls.tracing_ended(),
        )

    def _stop_listening(self) -> None:
        with contextlib.suppress(AssertionError):  # the program removed all listeners
            monitoring.unregister_scalar_listener(self._began)
        with contextlib.suppress(AssertionError):
            monitoring.unregister_event_duration_listener(self._ended)

    def _began(self, event: str, _: float, **__: Any) -> None:
        if event in _NAMES:
            begun = self._begun.__dict__.setdefault(event, [])
            begun.append(recording.now())

    def _ended(self, event: str, _: float, fun_name: str = "", **__: Any) -> None:
        begun = self._begun.__dict__.get(event)
        if event not in _NAMES or not begun:
            return
        name = plain_name(fun_name)
        strings = {"function": name} if name else {}
        if reason := self._reasons.get(name):
            strings["reason"] = reason
        if event == dispatch.BACKEND_COMPILE_EVENT:
            self._reasons.pop(name, None)
        jax_calls.put_compilation(_NAMES[event], begun.pop(), strings)

    def _tracing(self, function: Any) -> None:
        """A function is about to be traced. The caller's variables are the call's arguments."""
        found = self._functions.identify(str(pjit.fun_name(function)), function)
        self._calls.tracing_began(*(found or ("", None)))
        if found is None:
            return
        inputs = _inputs_of(sys._getframe(1).f_locals)
        if inputs is None:
            return
        before = self._inputs.pop(found, None)
        self._inputs[found] = inputs
        if len(self._inputs) > _MOST_FUNCTIONS:
            self._inputs.popitem(last=False)
        if before is not None:
            self._reasons[found[0]] = explain(before, inputs)


def _inputs_of(variables: dict[str, Any]) -> Inputs | None:
    """From the variables of JAX's own function. None if this JAX has others."""
    try:
        info, settings = variables["dbg_fn"](), variables["ji"]
        arguments = dict(zip(info.arg_names or (), map(_type_text, variables["avals"])))
        static = _static_values(settings, variables["args"], variables["kwargs"])
    except Exception:
        return None
    return Inputs(arguments, static)


def _type_text(aval: Any) -> str:
    return str(aval.str_short()) + (" (weak type)" if getattr(aval, "weak_type", False) else "")


def _static_values(settings: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, str]:
    names = list(settings.fun_signature.parameters) if settings.fun_signature else []
    static = {
        names[number] if number < len(names) else f"args[{number}]": args[number]
        for number in settings.static_argnums
        if number < len(args)
    }
    static.update((name, kwargs[name]) for name in settings.static_argnames if name in kwargs)
    return {name: repr(value)[:_LONGEST_VALUE] for name, value in static.items()}


def explain(before: Inputs, now: Inputs) -> str:
    """Why a function was traced again, in one line."""
    differences = [
        *_differences(before.arguments, now.arguments, "argument"),
        *_differences(before.static, now.static, "static argument"),
    ]
    if not differences:
        return "the same arguments: another function object, or another setting of JAX"
    more = len(differences) - _MOST_REASONS
    text = "; ".join(differences[:_MOST_REASONS]) + (f"; and {more} more" if more > 0 else "")
    return text[:_LONGEST]


def _differences(before: dict[str, str], now: dict[str, str], what: str) -> Iterable[str]:
    for name in {**now, **before}:
        if name not in before:
            yield f"{what} '{name}' is new: {now[name]}"
        elif name not in now:
            yield f"{what} '{name}' is missing"
        elif before[name] != now[name]:
            yield f"{what} '{name}' was {before[name]}, is {now[name]}"
