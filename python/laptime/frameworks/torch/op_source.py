"""What all sources of ops have in common."""

from __future__ import annotations

from laptime._native import recording
from laptime._native import torch_ops as _native
from laptime.collect.source import Source

PROPERTY = "torch_ops"  # of the run: where its ops came from


class OpSource(Source):
    """Contract, besides a source's: off, it costs nothing.

    ``kind`` is "compiled", "prebuilt", "torch.profiler" or "off: reason". Each recording that ops
    go into gets it as a property, once.
    """

    kind = ""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._told_epoch = 0
        self.tell()

    @property
    def request(self) -> _native.Request | None:
        """Switches it on any thread, without Python. None: that is impossible."""
        return None

    def tell(self) -> None:
        """Writes the property, unless this recording has it."""
        if recording.on() and self._told_epoch != _native.epoch():
            self._told_epoch = _native.epoch()
            recording.set_property(PROPERTY, self.kind)
