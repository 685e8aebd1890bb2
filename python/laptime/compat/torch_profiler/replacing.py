"""Replaces torch's profiler by laptime's in torch's modules.

So programs need no change.
"""

from __future__ import annotations

from typing import Any

import torch.autograd.profiler
import torch.profiler
import torch.profiler.profiler

from laptime.compat.torch_profiler import autograd, front

_PLACES: list[tuple[Any, str, Any]] = [
    (torch.profiler, "profile", front.profile),
    (torch.profiler.profiler, "profile", front.profile),
    (torch.profiler, "_KinetoProfile", front._KinetoProfile),
    (torch.profiler.profiler, "_KinetoProfile", front._KinetoProfile),
    (torch.autograd.profiler, "profile", autograd.profile),
]
_originals: list[tuple[Any, str, Any]] = []


def install() -> None:
    """Affects imports such as ``from torch.profiler import profile`` that come after it. Names that
    were imported before stay torch's.
    """
    if _originals:
        return
    for module, name, ours in _PLACES:
        _originals.append((module, name, getattr(module, name)))
        setattr(module, name, ours)


def uninstall() -> None:
    while _originals:
        module, name, original = _originals.pop()
        setattr(module, name, original)
