"""The sources that are recorded in some steps only: ops, memory, the GPU.

The schedule switches each source on and off with the steps. ``laptime.collect.source.Source`` has
the contract between this file and the sources.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any

from laptime._messages import say
from laptime._native import recording
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.source import Source

if TYPE_CHECKING:
    from laptime.frameworks.torch import Options


class Sources:
    def __init__(self, sources: Mapping[str, Source] | None = None) -> None:
        self.loaded = dict(sources or {})  # by name; without those that failed
        self.are_on = False
        self.switching = 0  # ticks that the last switching on and off took

    def __bool__(self) -> bool:
        return bool(self.loaded)

    def switch(self, on: bool) -> None:
        if on == self.are_on:
            return
        self.are_on = on
        began = recording.now()
        self._each(lambda source: source.on() if on else source.off())
        self.switching = recording.now() - began + (0 if on else self.switching)

    def rest_in_child(self) -> None:
        """Switches off what was on when the process forked, whoever had switched it on."""
        self.are_on = False
        self._each(lambda source: source.off())

    def at_step(self) -> None:
        if self.are_on:
            self._each(lambda source: source.at_step())

    def events(self) -> int:
        return sum(source.events for source in self.loaded.values())

    def close(self) -> None:
        self.switch(False)
        try:
            self._each(lambda source: source.close())
        finally:
            self.loaded.clear()

    def _each(self, action: Callable[[Source], object]) -> None:
        of_program: Exception | None = None
        for name, source in tuple(self.loaded.items()):
            try:
                action(source)
            except Exception as error:
                if raised_by_handler(error):
                    of_program = error
                    continue
                del self.loaded[name]
                report_off(name, error)
        if of_program is not None:
            raise of_program


def load_sources(options: Options) -> Sources:
    """The sources that the options request, switched off."""
    wanted: dict[str, dict[str, Any]] = {}
    if options["ops"]:
        wanted["ops"] = {
            "shapes": options["shapes"],
            "include": options["include"],
            "exclude": options["exclude"],
        }
    if options["memory"]:
        wanted["memory"] = {}
    if options["gpu"] and sys.modules["torch"].version.cuda is not None:
        wanted["gpu"] = {"include": options["include"], "exclude": options["exclude"]}
    sources = Sources()
    try:
        for name, arguments in wanted.items():
            if (source := _load(name, arguments)) is not None:
                sources.loaded[name] = source
    except BaseException:
        sources.close()
        raise
    return sources


def _load(name: str, arguments: dict[str, Any]) -> Source | None:
    try:
        source: Source = import_module(f"laptime.frameworks.torch.{name}").load(**arguments)
    except Exception as error:
        if raised_by_handler(error):
            raise
        report_off(name, error)
        return None
    if source.kind.startswith("off"):
        _warn(name, source.kind.removeprefix("off: "))
        return None
    return source


def report_off(name: str, error: object) -> None:
    reason = " ".join(str(error).split()) or type(error).__name__
    say(f"torch {name} off: {reason}")
    _warn(name, reason)


def _warn(name: str, reason: str) -> None:
    recording.warn(f"torch_{name}", f"torch {name} not recorded: {reason}")
