"""The run property that says where ops came from."""

from __future__ import annotations

from laptime._native import recording
from laptime._native import torch_ops as _native

NAME = "torch_ops"


class Told:
    """A source that says its kind in each recording, once."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self._told_epoch = 0
        self.tell()

    def tell(self) -> None:
        if recording.on() and self._told_epoch != _native.epoch():
            self._told_epoch = _native.epoch()
            recording.set_property(NAME, self.kind)
