"""How the program set torch up, told once as properties of the process: each loader with its first
iteration, each kind of optimizer and the process-wide switches with the first step, autocast when
it is first entered.

Nothing is done in later steps. What goes wrong here is one named warning, and the program goes on.
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
from laptime.collect.signal_handlers import raised_by_handler
from laptime.frameworks.torch import setting_facts
from laptime.frameworks.torch.instances import instances
from laptime.frameworks.torch.patches import Patches

_PACKAGES = ("/site-packages/", "/dist-packages/")
_COPYING = (
    "torch",
    "accelerate",
    "lightning",
    "pytorch_lightning",
    "lightning_fabric",
)  # they make loaders like those that the program hands to them
_NAMED = 8  # modules


class Settings:
    def __init__(self) -> None:
        self._libraries = tuple(library_paths())
        self._made_at: dict[
            int, tuple[Any, setting_facts.Facts]
        ] = {}  # by id of a loader or an optimizer
        self._loaders = 0
        self._optimizers = 0
        self._autocasts: set[tuple[str, str]] = set()
        self._switches_told = False

    def install(self, patches: Patches) -> None:
        patches.around(DataLoader, "__init__", after=self._made)
        patches.around(torch.optim.Optimizer, "__init__", after=self._made)
        patches.around(DataLoader, "__iter__", before=self._loader_used)
        patches.around(torch.amp.autocast_mode.autocast, "__enter__", before=self._autocast_entered)

    def optimizer_stepped(self, optimizer: torch.optim.Optimizer) -> None:
        """The first step of an optimizer of its class."""
        _carefully(self._tell_optimizer, optimizer, sys._getframe(1))

    def close(self, shares: setting_facts.Facts) -> None:
        """What is known only at the end."""
        _carefully(self._tell_switches)
        _carefully(_tell, "torch ", shares)
        _carefully(lambda: _tell("", setting_facts.cuda_memory_facts()))

    def _made(self, made: Any, *_: object) -> None:
        _carefully(self._note, made, sys._getframe(1))

    def _note(self, made: Any, frame: FrameType | None) -> None:
        facts = self._line_of_program(frame)
        key = id(made)
        if facts and key not in self._made_at:
            self._made_at[key] = weakref.ref(made, lambda _: self._made_at.pop(key, None)), facts

    def _loader_used(self, loader: Any) -> None:
        _carefully(self._tell_loader, loader)

    def _tell_loader(self, loader: Any) -> None:
        known = self._made_at.pop(id(loader), None)
        if known is None:  # told before, or not the program's own
            return
        self._loaders += 1
        _tell(f"loader {self._loaders} ", {**known[1], **setting_facts.loader_facts(loader)})

    def _tell_optimizer(self, optimizer: torch.optim.Optimizer, frame: FrameType | None) -> None:
        self._optimizers += 1
        facts = setting_facts.optimizer_facts(optimizer)
        known = self._made_at.pop(id(optimizer), None)
        line = (
            known[1] if known else self._line_of_program(frame)
        )  # made before the recording: where it steps
        _tell(f"optimizer {self._optimizers} ", {**(line or {}), **facts})
        self._tell_switches()
        if (
            self._optimizers == 1 and facts["device"] == "cuda"
        ):  # elsewhere a bias costs next to nothing
            names = setting_facts.convolutions_with_idle_bias(instances(torch.nn.Module))
            _tell(
                "torch ",
                {"idle_biases": len(names), "idle_bias_names": ", ".join(names[:_NAMED])},
            )

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

    def _line_of_program(self, frame: FrameType | None) -> setting_facts.Facts | None:
        """The innermost line of the program's own, and the package that it called, if that made the
        thing of its own accord.
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


def _tell(prefix: str, facts: setting_facts.Facts) -> None:
    for key, value in facts.items():
        recording.set_property(prefix + key, value)


def _carefully(tell: Callable[..., None], *arguments: Any) -> None:
    try:
        tell(*arguments)
    except Exception as error:
        if raised_by_handler(error):
            raise
        recording.warn("torch_settings", f"a setting of torch's is not known: {_one_line(error)}")


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split()) or type(error).__name__
