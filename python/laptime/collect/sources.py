"""The sources that are recorded in some steps only: ops, memory, the GPU.

The schedule switches each source on and off with the steps. ``laptime.collect.source.Source`` has
the contract between this file and the sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from laptime._messages import say
from laptime._native import recording
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.source import Source


class Sources:
    def __init__(self, framework: str, sources: Mapping[str, Source] | None = None) -> None:
        """``framework``: its name in messages and warnings."""
        self._framework = framework
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

    @property
    def record(self) -> bool:
        """Whether all sources are on, and none is kept from recording."""
        return self.are_on and all(source.records for source in self.loaded.values())

    def rest_in_child(self) -> None:
        """Switches off what was on when the process forked, whoever had switched it on."""
        self.are_on = False
        self._each(lambda source: source.off())

    def at_step(self) -> None:
        if self.are_on:
            self._each(lambda source: source.at_step())

    def after_step(self) -> None:
        if self.are_on:
            self._each(lambda source: source.after_step())

    def take_work(self) -> int:
        """Ticks that switching took since the last call, of sources where that is much."""
        return sum(source.take_work() for source in self.loaded.values())

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
                report_off(self._framework, name, error)
        if of_program is not None:
            raise of_program


def load_sources(framework: str, wanted: Mapping[str, Callable[[], Source]]) -> Sources:
    """The sources that ``wanted`` loads, switched off. Those that cannot record are left out."""
    sources = Sources(framework)
    try:
        for name, load in wanted.items():
            if (source := _load(framework, name, load)) is not None:
                sources.loaded[name] = source
    except BaseException:
        sources.close()
        raise
    return sources


def _load(framework: str, name: str, load: Callable[[], Source]) -> Source | None:
    try:
        source = load()
    except Exception as error:
        if raised_by_handler(error):
            raise
        report_off(framework, name, error)
        return None
    if source.kind.startswith("off"):
        _warn(framework, name, source.kind.removeprefix("off: "))
        return None
    return source


def report_off(framework: str, name: str, error: object) -> None:
    reason = " ".join(str(error).split()) or type(error).__name__
    say(f"{framework} {name} off: {reason}")
    _warn(framework, name, reason)


def _warn(framework: str, name: str, reason: str) -> None:
    recording.warn(f"{framework}_{name}", f"{framework} {name} not recorded: {reason}")
