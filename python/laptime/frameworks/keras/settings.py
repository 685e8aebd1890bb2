"""How the program set Keras up, as properties of the process: each compiled model with its first
``fit``, and the dtype policy with the first optimizer.

An error here is one named warning, and the program continues.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import keras
from keras.src import backend
from keras.src.optimizers.base_optimizer import BaseOptimizer
from keras.src.trainers.trainer import Trainer

from laptime._native import Around, recording
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.user_line import UserLine, user_line

_MOST = 16  # models that are written


class Settings:
    def __init__(self) -> None:
        self._compiled_at: weakref.WeakKeyDictionary[Any, UserLine] = weakref.WeakKeyDictionary()
        self._models = 0
        self._has_policy = False

    def install(self) -> None:
        """Stays for the rest of the process."""
        Trainer.compile = Around(Trainer.compile, None, self._compiled)
        BaseOptimizer.__init__ = Around(BaseOptimizer.__init__, None, self._optimizer_made)

    def fit_began(self, model: Any) -> None:
        _carefully(self._write_model, model)

    def _compiled(self, model: Any, _: object, raised: type[BaseException] | None) -> None:
        if raised is None:
            _carefully(self._note_line, model)

    def _note_line(self, model: Any) -> None:
        self._compiled_at[model] = user_line()

    def _write_model(self, model: Any) -> None:
        where = self._compiled_at.pop(model, None)
        if where is None or self._models == _MOST:
            return  # written before
        self._models += 1
        _write(
            f"model {self._models} ",
            {
                "file": where.file,
                "line": where.line,
                "backend": str(backend.backend()),
                "policy": str(model.dtype_policy.name),
                "run_eagerly": int(bool(model.run_eagerly)),
                "jit_compile": int(bool(model.jit_compile)),
                "steps_per_execution": int(model.steps_per_execution),
            },
        )

    def _optimizer_made(self, *_: object) -> None:
        if not self._has_policy:
            self._has_policy = True
            _carefully(_write_policy)


def _write_policy() -> None:
    _write("keras ", {"policy": str(keras.config.dtype_policy().name)})


def _write(prefix: str, facts: dict[str, str | int]) -> None:
    for key, value in facts.items():
        recording.set_property(prefix + key, value)


def _carefully(write: Callable[..., None], *arguments: Any) -> None:
    try:
        write(*arguments)
    except Exception as error:
        if raised_by_handler(error):
            raise
        text = " ".join(str(error).split()) or type(error).__name__
        recording.warn("keras_settings", f"one of Keras's settings cannot be read: {text}")
