"""The sources of ops, memory and kernels, and whether they are available here."""

from __future__ import annotations

import functools
import sys
from collections.abc import Collection
from typing import Any

from laptime._messages import say

# Without the third source of ops.py: torch's profiler must not record through itself.
_OWN_SOURCES = ("compiled", "prebuilt")
_reported: set[str] = set()


def say_once(message: str) -> None:
    if message not in _reported:
        _reported.add(message)
        say(message)


def problem(
    activities: Collection[str], use_device: str | None, *, details: bool = False
) -> str | None:
    """The reason why laptime cannot record this profile, or None.

    ``activities``: names of torch's ProfilerActivity. ``details``: with shapes, FLOPs or memory.
    """
    if "CPU" not in activities:
        return "a profile without CPU activity"
    if use_device not in (None, "cuda"):
        return f"device activity ({use_device})"
    if use_device == "cuda" and gpu().kind != "cupti":
        return f"the GPU ({gpu().kind})"
    kind = ops(shapes=False, frames=False).kind
    if kind == "prebuilt" and details:
        return "shapes, FLOPs and memory without a C++ compiler"
    return None if kind in _OWN_SOURCES else f"ops ({kind})"


def fall_back(why: str) -> None:
    say_once(f"torch.profiler: laptime cannot record {why}; PyTorch's own profiler does")


@functools.cache
def ops(*, shapes: bool, frames: bool) -> Any:
    """The source of ops. ``shapes`` includes types and FLOPs."""
    from laptime.frameworks.torch import ops

    return ops.load(shapes=shapes, frames=frames)


@functools.cache
def details() -> Any:
    """The source of details. None without a compiler, because only the shim sees them."""
    from laptime._native import torch_ops
    from laptime.frameworks.torch import shim_build

    try:
        with shim_build.library(sys.modules["torch"]) as path:
            return torch_ops.open_details(path)
    except (shim_build.BuildError, RuntimeError):
        return None


@functools.cache
def gpu() -> Any:
    from laptime.collect import cuda

    return cuda.load(lines=False, who=cuda.Requester.PROFILER)


@functools.cache
def memory() -> Any:
    try:
        from laptime.frameworks.torch import memory

        return memory.load()
    except Exception as error:
        say_once(f"torch.profiler: memory is not recorded: {error}")
        return None
