"""Puts laptime's profiler where programs look for torch's.

So none of their lines need change.
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
    """For ``from torch.profiler import profile`` and the like that come after it; names taken
    before stay torch's.
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
