"""The profile of one range of batches in one ``fit``.

Contract: nothing raises into the training. A failure is one line, and the training goes on.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from laptime._messages import say
from laptime.collect.signal_handlers import raised_by_handler
from laptime.compat.keras.batch_range import BatchRange
from laptime.compat.keras.layer_spans import LayerSpans
from laptime.compat.keras.sessions import Session, session_of

_STEP = "train"


class BatchProfile:
    def __init__(self, batches: BatchRange, backend: str, log_dir: str) -> None:
        self._batches = batches
        self._backend = backend
        self._log_dir = log_dir
        self._batch = 0  # the newest one, from 1
        self._session: Session | None = None
        self._mark: Any = None
        self._layers: LayerSpans | None = None
        self._has_begun = False

    @property
    def runs(self) -> bool:
        return self._session is not None

    def begin_batch(self) -> bool:
        """Returns whether the profile began with this batch."""
        self._batch += 1
        began = self._batch == self._batches.first and self._start()
        if self._session is not None:
            self._mark = self._try(lambda session: session.begin(_STEP, self._batch))
        return began

    def end_batch(self) -> bool:
        """Returns whether the profile ended with this batch."""
        self._end_mark()
        return self.runs and self._batch >= self._batches.last and self.end()

    def end(self) -> bool:
        """Writes what was recorded so far. Returns whether there was a profile."""
        if self._session is None:
            return False
        self._end_mark()
        if self._layers is not None:
            self._layers.remove()
        self._try(lambda session: session.stop())
        self._session = None
        return True

    def report(self) -> None:
        """Says so if the training ended before the profile began."""
        if not self._has_begun and self._batches.first > self._batch > 0:
            say(
                f"TensorBoard: profile_batch={tuple(self._batches)} is past the end of the training"
                f" ({self._batch} batches): no profile is written"
            )

    def _start(self) -> bool:
        self._has_begun = True
        session = session_of(self._backend)
        try:
            session.start(self._log_dir)
        except Exception as error:
            self._say_off(error)
            return False
        self._session = session
        if self._backend == "torch":  # whose ops the session does not see
            self._layers = LayerSpans(session)
        return True

    def _end_mark(self) -> None:
        mark, self._mark = self._mark, None
        if mark is not None:
            self._try(lambda session: session.end(mark))

    def _try(self, action: Callable[[Session], Any]) -> Any:
        """After a failure there is no session: the next calls do nothing."""
        if self._session is None:
            return None
        try:
            return action(self._session)
        except Exception as error:
            if raised_by_handler(error):
                raise
            self._session = None
            self._say_off(error)
            return None

    def _say_off(self, error: Exception) -> None:
        reason = " ".join(str(error).split()) or type(error).__name__
        say(f"TensorBoard: profile_batch={tuple(self._batches)} is not profiled: {reason}")
