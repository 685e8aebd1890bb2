"""Replaces the annotations in ``jax.profiler``. The other names are JAX's own in both.

So programs need no change.
"""

from __future__ import annotations

import jax.profiler

from laptime.compat.jax_profiler import annotations as ours


def install() -> None:
    """Affects imports that come after it. Names that were imported before stay JAX's."""
    for name in ours.ORIGINALS:
        setattr(jax.profiler, name, getattr(ours, name))


def uninstall() -> None:
    for name, original in ours.ORIGINALS.items():
        setattr(jax.profiler, name, original)
