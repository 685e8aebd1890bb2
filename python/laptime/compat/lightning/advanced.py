"""The half of AdvancedProfiler that differs from Lightning's.

Lightning keeps a cProfile for each action. Starting one stops all others for good. So an action
loses everything after the first action inside it. Here each action is a layer of laptime's function
engine and sees all calls that begin in it.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from laptime.collect import engine
from laptime.compat import cprofile, function_stats
from laptime.compat.function_stats import Function

_DISABLE: Function = ("~", 0, "<method 'disable' of '_lsprof.Profiler' objects>")


class ActionProfile(cprofile.Profile):
    """The profile of an action. It sees the thread that enables it. ``enable`` may nest."""

    def __init__(self) -> None:
        super().__init__()
        self._layer = engine.FunctionLayer()
        self._depth = 0
        self._stops = 0
        self._engine_starts = 0

    def open(self) -> None:
        """Assumption: the engine runs."""
        self._depth += 1
        self._layer.open()

    def enable(self, subcalls: bool = True, builtins: bool = True) -> None:
        self._engine_starts += 1
        engine.start(functions=True, builtins=True)
        self.open()

    def disable(self) -> None:
        if self._depth == 0:
            return
        self._depth -= 1
        self._stops += 1
        if self._depth == 0:
            self._layer.close()
        if self._engine_starts:
            self._engine_starts -= 1
            engine.stop(functions=True)

    def clear(self) -> None:
        self._layer.close()
        self._layer = engine.FunctionLayer()
        self._stops = 0
        if self._depth:
            self._layer.open()

    def create_stats(self) -> None:
        """A running action continues."""
        self.snapshot_stats()

    def snapshot_stats(self) -> None:
        """Contains one call of cProfile's disable for each stop, as cProfile's tables do.

        So the tables are never empty.
        """
        counted = self._layer.stats()
        self.stats = function_stats.without(counted, lambda function: function[0] in _OWN_FILES)
        self.stats[_DISABLE] = (self._stops, self._stops, 0.0, 0.0, {})


class AdvancedProfiler:
    """Lightning's AdvancedProfiler with actions that may nest."""

    profiled_actions: dict[str, ActionProfile]
    _runs = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.profiled_actions = defaultdict(ActionProfile)

    def start(self, action_name: str) -> None:
        if not self._runs:
            self._runs = True
            engine.start(functions=True, builtins=True)
        self.profiled_actions[action_name].open()

    def stop(self, action_name: str) -> None:
        profile = self.profiled_actions.get(action_name)
        if profile is None:
            raise ValueError(
                f"Attempting to stop recording an action ({action_name}) which was never started."
            )
        profile.disable()

    def teardown(self, stage: str | None) -> None:
        if self._runs:
            self._runs = False
            engine.stop(functions=True)
        super().teardown(stage=stage)  # type: ignore[misc]


_OWN_FILES = {__file__, cprofile.__file__, engine.__file__}
