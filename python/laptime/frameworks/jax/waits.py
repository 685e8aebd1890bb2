"""Waits of the program for arrays: what reads their values, and what waits for them.

Imports jax.
"""

from __future__ import annotations

import functools
from typing import Any

import jax
from jax._src import array

from laptime._native import Around, jax_calls
from laptime.collect.patches import Patches

_METHODS = {
    "__float__": "float",
    "__int__": "int",
    "__bool__": "bool",
    "__index__": "int",
    "__complex__": "complex",
    "__array__": "numpy",
    "item": "item",
    "tolist": "tolist",
    "block_until_ready": "block_until_ready",
}
_FUNCTIONS = ("block_until_ready", "device_get")


def watch_waits(patches: Patches) -> None:
    kind = array.ArrayImpl
    for method, name in _METHODS.items():
        if method in kind.__dict__:
            patches.replace(kind, method, functools.partial(_waiting, name))
    # What reads a value in another way: printing, formatting, pickling.
    patches.replace(kind, "_value", lambda original: property(_waiting("value", original.fget)))
    for name in _FUNCTIONS:
        patches.replace(jax, name, functools.partial(_waiting, name))
    jax_calls.see_buffers(kind, "numpy")
    patches.add_undo(lambda: jax_calls.leave_buffers(kind))


def _waiting(name: str, original: Any) -> Around:
    wait = jax_calls.Wait(name)
    return Around(original, wait.began, wait.ended)
