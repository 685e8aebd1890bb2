"""In `laptime run`, ``Trainer(profiler="simple")`` and the other names mean laptime's classes."""

from __future__ import annotations

import contextlib
import functools
import sys

from laptime._native import recording
from laptime.collect.imports import when_imported
from laptime.collect.signal_handlers import raised_by_handler
from laptime.compat.lightning.making import HALVES, OWNERS, make


def replace_names() -> None:
    """Replaces the names of each Lightning once the program imports it. Its public names stay
    unchanged.
    """
    for namespace in OWNERS:
        when_imported(f"{namespace}.trainer.setup", functools.partial(_replace, namespace))


def _replace(namespace: str) -> None:
    """After a failure the names mean Lightning's classes."""
    try:
        trainers = sys.modules[f"{namespace}.trainer.setup"]  # where Trainer looks the names up
        made = {name: make(name, namespace) for name in HALVES if hasattr(trainers, name)}
        for name, ours in made.items():
            setattr(trainers, name, ours)
    except Exception as error:
        if raised_by_handler(error):
            raise
        _warn(namespace, " ".join(str(error).split()) or type(error).__name__)


def _warn(namespace: str, reason: str) -> None:
    text = f"{namespace}: Trainer(profiler='…') uses Lightning's own profilers: {reason}"
    recording.warn("lightning_profilers", text)
    with contextlib.suppress(Exception):  # the program may have closed it
        print(f"laptime: {text}", file=sys.stderr)
