"""``TensorBoard``: Keras's callback, whose profile is laptime's."""

from __future__ import annotations

import inspect
import os
from importlib.util import find_spec
from typing import Any

import keras
from keras.callbacks import TensorBoard as Original

from laptime._messages import say
from laptime.compat.keras import interrupted_fit
from laptime.compat.keras.batch_profile import BatchProfile
from laptime.compat.keras.batch_range import batch_range
from laptime.compat.keras.no_summaries import NoSummaries


class TensorBoard(Original):
    """keras.callbacks.TensorBoard. ``profile_batch`` works on TensorFlow, torch and JAX, and
    TensorBoard's profile tab shows its batches as steps. A step has the number that
    ``profile_batch`` counts.
    """

    __signature__ = inspect.signature(Original)

    def __init__(
        self,
        log_dir: Any = "logs",
        histogram_freq: int = 0,
        write_graph: bool = True,
        write_images: bool = False,
        write_steps_per_second: bool = False,
        update_freq: Any = "epoch",
        profile_batch: Any = 0,
        embeddings_freq: int = 0,
        embeddings_metadata: Any = None,
    ) -> None:
        is_complete = _has_summaries()
        super().__init__(
            log_dir,
            histogram_freq,
            write_graph and is_complete,
            write_images,
            write_steps_per_second,
            update_freq,
            0,  # nothing is profiled there
            embeddings_freq if is_complete else 0,
            embeddings_metadata,
        )
        self._batches = batch_range(profile_batch)
        self._profile: BatchProfile | None = None
        if not is_complete:
            self._summary_module = NoSummaries()
            say(
                "TensorBoard: writes the profile only; scalars and graphs need the packages"
                " 'tensorflow' and 'tensorboard'"
            )

    def on_train_begin(self, logs: Any = None) -> None:
        super().on_train_begin(logs)
        if self._batches.first > 0:
            folder = os.path.join(self.log_dir, "train")
            self._profile = BatchProfile(self._batches, keras.backend.backend(), folder)
            interrupted_fit.end_when_left(self.model, self._profile)

    def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
        super().on_train_batch_begin(batch, logs)
        if self._profile is not None and self._profile.begin_batch():
            self.summary.trace_on(graph=True, profiler=False)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._profile is not None and self._profile.end_batch():
            self._export_graph()
        super().on_train_batch_end(batch, logs)

    def on_train_end(self, logs: Any = None) -> None:
        profile, self._profile = self._profile, None
        if profile is not None:
            if profile.end():
                self._export_graph()
            profile.report()
        super().on_train_end(logs)

    def _export_graph(self) -> None:
        """As Keras does after its profile."""
        last = self._batches.last
        with self._train_writer.as_default():
            self.summary.trace_export(name=f"batch_{last}", step=last)


def _has_summaries() -> bool:
    return all(find_spec(name) is not None for name in ("tensorflow", "tensorboard"))
