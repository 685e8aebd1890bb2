"""Replaces ``keras.callbacks.TensorBoard``, so that programs need no change."""

from __future__ import annotations

import sys

from keras.callbacks import TensorBoard as Original

from laptime.compat.keras.tensorboard import TensorBoard

_PUBLIC = ("keras.callbacks", "keras.src.callbacks", "keras._tf_keras.keras.callbacks")


def install() -> None:
    """Affects imports that come after it. Names that were imported before stay Keras's."""
    _put(TensorBoard)


def uninstall() -> None:
    _put(Original)


def _put(replacement: type) -> None:
    for module in map(sys.modules.get, _PUBLIC):
        if hasattr(module, "TensorBoard"):
            module.TensorBoard = replacement  # type: ignore[union-attr]
