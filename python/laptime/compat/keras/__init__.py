"""Keras's TensorBoard callback with a profile that TensorBoard can use, on all backends.

Change the import line, or run under ``laptime run --replace-profilers``. ``TensorBoard`` is a
subclass of the installed Keras's callback, which writes everything but the profile. Keras's own
profile has no steps in TensorBoard's profile tab, is refused on torch, and is left out on JAX below
Python 3.12.
"""

from __future__ import annotations

from laptime.compat.keras.replacing import install, uninstall
from laptime.compat.keras.tensorboard import TensorBoard

__all__ = ["TensorBoard", "install", "uninstall"]
