"""How the program set torch up, written once as properties of the process.

- Each loader is written with its first iteration.
- Each kind of optimizer, and the process-wide switches, are written with the first step.
- Autocast is written when it is first entered.

Later steps cost nothing. An error here is one named warning, and the program continues.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable
from types import FrameType
from typing import Any

import torch
from torch.utils.data import DataLoader

from laptime._native import recording
from laptime.collect.engine import library_paths
from laptime.collect.patches import Patches
from laptime.collect.signal_handlers import raised_by_handler
from laptime.frameworks.torch import setting_facts
from laptime.frameworks.torch.instances import instances

_PACKAGES = ("/site-packages/", "/dist-packages/")
# They copy loaders that the program passes to them.
_COPYING = (
    "torch",
    "accelerate",
    "lightning",
    "pytorch_lightning",
    "lightning_fabric",
)
_NAMED = 8  # modules


class Settings:
    def __init__(self) -> None:
        self._libraries = tuple(library_paths())
        # By id of a loader or an optimizer.
        self._made_at: dict[int, tuple[Any, setting_facts.Facts]] = {}
        self._loaders = 0
        self._optimizers = 0
        self._autocasts: set[tuple[str, str]] = set()
        self._switches_written = False

    def install(self, patches: Patches) -> None:
        patches.around(DataLoader, "__init__", after=self._made)
        patches.around(torch.optim.Optimizer, "__init__", after=self._made)
        patches.around(DataLoader, "__iter__", before=self._loader_used)
        patches.around(torch.amp.autocast_mode.autocast, "__enter__", before=self._autocast_entered)

    def optimizer_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """The first step of an optimizer of its class."""
        _carefully(self._write_optimizer, optimizer, sys._getframe(1))

    def close(self, shares: setting_facts.Facts) -> None:
        """Writes what is known only at the end."""
        _carefully(self._write_switches)
        _carefully(_write, "torch ", shares)
        _carefully(lambda: _write("", setting_facts.cuda_memory_facts()))

    def _made(self, made: Any, *_: object) -> None:
        _carefully(self._note, made, sys._getframe(1))

    def _note(self, made: Any, frame: FrameType | None) -> None:
        facts = self._line_of_program(frame)
        key = id(made)
        if facts and key not in self._made_at:
            self._made_at[key] = weakref.ref(made, lambda _: self._made_at.pop(key, None)), facts

    def _loader_used(self, loader: Any) -> None:
        _carefully(self._write_loader, loader)

    def _write_loader(self, loader: Any) -> None:
        known = self._made_at.pop(id(loader), None)
        if known is None:  # written before, or not made by the program
            return
        self._loaders += 1
        _write(f"loader {self._loaders} ", {**known[1], **setting_facts.loader_facts(loader)})

    def _write_optimizer(self, optimizer: torch.optim.Optimizer, frame: FrameType | None) -> None:
        self._optimizers += 1
        facts = setting_facts.optimizer_facts(optimizer)
        known = self._made_at.pop(id(optimizer), None)
        # An optimizer that is older than the recording gets the line where it steps.
        line = known[1] if known else self._line_of_program(frame)
        _write(f"optimizer {self._optimizers} ", {**(line or {}), **facts})
        self._write_switches()
        # On a CPU such a bias costs next to nothing.
        if self._optimizers == 1 and facts["device"] == "cuda":
            names = setting_facts.convolutions_with_idle_bias(instances(torch.nn.Module))
            _write(
                "torch ",
                {"idle_biases": len(names), "idle_bias_names": ", ".join(names[:_NAMED])},
            )

    def _write_switches(self) -> None:
        if not self._switches_written:
            self._switches_written = True
            _write("", setting_facts.switch_facts())

    def _autocast_entered(self, autocast: Any) -> None:
        _carefully(self._note_autocast, autocast)

    def _note_autocast(self, autocast: Any) -> None:
        kind = autocast.device, str(autocast.fast_dtype).removeprefix("torch.")
        if autocast._enabled and kind not in self._autocasts:
            self._autocasts.add(kind)
            _write("torch ", {"autocast": ", ".join(sorted(" ".join(k) for k in self._autocasts))})

    def _line_of_program(self, frame: FrameType | None) -> setting_facts.Facts | None:
        """The program's innermost line. Also the package that the line called, if the package made
        the object of its own accord.
        """
        facts: setting_facts.Facts = {}
        while frame is not None:
            file = frame.f_code.co_filename
            if any(package in file for package in _PACKAGES):
                module = str(frame.f_globals.get("__name__", "")).partition(".")[0]
                if module not in _COPYING:
                    facts["made_by"] = module
            elif not file.startswith((*self._libraries, "<")):
                return {"file": file, "line": frame.f_lineno, **facts}
            frame = frame.f_back
        return None


def _write(prefix: str, facts: setting_facts.Facts) -> None:
    for key, value in facts.items():
        recording.set_property(prefix + key, value)


def _carefully(write: Callable[..., None], *arguments: Any) -> None:
    try:
        write(*arguments)
    except Exception as error:
        if raised_by_handler(error):
            raise
        recording.warn(
            "torch_settings", f"one of torch's settings cannot be read: {_one_line(error)}"
        )


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
