"""The base class of all sources of ops."""

from __future__ import annotations

from laptime._native import recording
from laptime._native import torch_ops as _native
from laptime.collect.source import Source

PROPERTY = "torch_ops"  # of the run: where its ops came from


class OpSource(Source):
    """Contract, in addition to a source's: while off, it costs nothing.

    ``kind`` is "compiled", "prebuilt", "torch.profiler" or "off: reason". Each recording with ops
    gets it as a property, once.
    """

    kind = ""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._written_epoch = 0
        self.write_kind()

    @property
    def request(self) -> _native.Request | None:
        """Switches the source on any thread, without Python. None: that is impossible."""
        return None

    def write_kind(self) -> None:
        """Writes the property, unless this recording has it."""
        if recording.on() and self._written_epoch != _native.epoch():
            self._written_epoch = _native.epoch()
            recording.set_property(PROPERTY, self.kind)
