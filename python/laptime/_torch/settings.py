"""How the program set torch up, told once as properties of the process: each loader with its first iteration, each kind of
optimizer and the process-wide switches with the first step, autocast when it is first entered.

Nothing is done in later steps. What goes wrong here is one named loss, and the program goes on.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils.data import DataLoader

from laptime._engine import library_paths
from laptime._native import recording
from laptime._signal_handlers import raised_by_handler
from laptime._torch import setting_facts
from laptime._torch.instances import instances
from laptime._torch.patches import Patches

_PACKAGES = ("/site-packages/", "/dist-packages/")
_NAMED = 8  # modules


class Settings:
    def __init__(self) -> None:
        self._libraries = tuple(library_paths())
        self._made_at: dict[int, tuple[Any, str, int]] = {}  # by id of the loader
        self._loaders = 0
        self._optimizers = 0
        self._autocasts: set[tuple[str, str]] = set()
        self._switches_told = False

    def install(self, patches: Patches) -> None:
        patches.around(DataLoader, "__init__", after=self._loader_made)
        patches.around(DataLoader, "__iter__", before=self._loader_used)
        patches.around(torch.amp.autocast_mode.autocast, "__enter__", before=self._autocast_entered)

    def optimizer_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """The first step of an optimizer of its class."""
        _carefully(self._tell_optimizer, optimizer)

    def close(self, shares: setting_facts.Facts) -> None:
        """What is known only at the end."""
        _carefully(self._tell_switches)
        _carefully(_tell, "torch ", shares)
        _carefully(lambda: _tell("", setting_facts.cuda_memory_facts()))

    def _loader_made(self, loader: Any, *_: object) -> None:
        _carefully(self._note_loader, loader, sys._getframe(1))

    def _note_loader(self, loader: Any, frame: FrameType | None) -> None:
        place = self._line_of_program(frame)
        key = id(loader)
        if place and key not in self._made_at:
            self._made_at[key] = weakref.ref(loader, lambda _: self._made_at.pop(key, None)), *place

    def _loader_used(self, loader: Any) -> None:
        _carefully(self._tell_loader, loader)

    def _tell_loader(self, loader: Any) -> None:
        known = self._made_at.pop(id(loader), None)
        if known is None:  # told before, or not the program's own
            return
        self._loaders += 1
        _, file, line = known
        _tell(f"loader {self._loaders} ", {"file": file, "line": str(line), **setting_facts.loader_facts(loader)})

    def _tell_optimizer(self, optimizer: torch.optim.Optimizer) -> None:
        self._optimizers += 1
        facts = setting_facts.optimizer_facts(optimizer)
        _tell(f"optimizer {self._optimizers} ", facts)
        self._tell_switches()
        if self._optimizers == 1 and facts["device"] == "cuda":  # elsewhere a bias costs next to nothing
            names = setting_facts.convolutions_with_idle_bias(instances(torch.nn.Module))
            _tell("torch ", {"idle_biases": str(len(names)), "idle_bias_names": ", ".join(names[:_NAMED])})

    def _tell_switches(self) -> None:
        if not self._switches_told:
            self._switches_told = True
            _tell("", setting_facts.switch_facts())

    def _autocast_entered(self, autocast: Any) -> None:
        _carefully(self._note_autocast, autocast)

    def _note_autocast(self, autocast: Any) -> None:
        kind = autocast.device, str(autocast.fast_dtype).removeprefix("torch.")
        if autocast._enabled and kind not in self._autocasts:
            self._autocasts.add(kind)
            _tell("torch ", {"autocast": ", ".join(sorted(" ".join(k) for k in self._autocasts))})

    def _line_of_program(self, frame: FrameType | None) -> tuple[str, int] | None:
        while frame is not None:
            file = frame.f_code.co_filename
            if not file.startswith((*self._libraries, "<")) and not any(package in file for package in _PACKAGES):
                return file, frame.f_lineno
            frame = frame.f_back
        return None


def _tell(prefix: str, facts: setting_facts.Facts) -> None:
    for key, value in facts.items():
        recording.set_property(prefix + key, value)


def _carefully(tell: Callable[..., None], *arguments: Any) -> None:
    try:
        tell(*arguments)
    except Exception as error:
        if raised_by_handler(error):
            raise
        recording.lose("torch_settings", f"a setting of torch's is not known: {_one_line(error)}")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
