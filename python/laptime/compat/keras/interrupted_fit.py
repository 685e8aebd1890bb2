"""Ends profiles whose ``fit`` was left by an exception, such as Ctrl-C. Keras calls no callback
then.
"""

from __future__ import annotations

import weakref
from typing import Any

import keras

from laptime._native import Around
from laptime.compat.keras.batch_profile import BatchProfile

_profiles: weakref.WeakKeyDictionary[Any, BatchProfile] = weakref.WeakKeyDictionary()  # by model
_is_watched = False


def end_when_left(model: Any, profile: BatchProfile) -> None:
    """Ends ``profile`` if the model's ``fit`` raises."""
    _profiles[model] = profile


def watch() -> None:
    """Must run before the ``fit``. ``Around`` adds no frame to tracebacks."""
    global _is_watched
    if _is_watched:
        return
    _is_watched = True
    trainer = next(base for base in keras.Model.__mro__ if "fit" in vars(base))
    trainer.fit = Around(vars(trainer)["fit"], None, _left)


def _left(model: Any, _result: Any, raised: type[BaseException] | None) -> None:
    profile = _profiles.pop(model, None)
    if profile is not None and raised is not None:
        profile.end()
