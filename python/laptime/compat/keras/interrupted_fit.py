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


def end_when_left(model: Any, profile: BatchProfile) -> None:
    """Ends ``profile`` if the model's ``fit`` raises."""
    _profiles[model] = profile


def _watch() -> None:
    """Must run before the program takes ``model.fit``, which may be before it makes the callback.
    ``Around`` adds no frame to tracebacks.
    """
    trainer = next(base for base in keras.Model.__mro__ if "fit" in vars(base))
    trainer.fit = Around(vars(trainer)["fit"], None, _left)


def _left(model: Any, _result: Any, raised: type[BaseException] | None) -> None:
    profile = _profiles.pop(model, None)
    if profile is not None and raised is not None:
        profile.end()


_watch()
