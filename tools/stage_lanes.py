"""Runs stages in two lanes, so that all cores are busy: one builds what the stages need, the other
tests what is built.

A build uses every core, but at a lower priority than tests, most of which use one core. When
nothing is left to build, both lanes test.
"""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from stage_outcome import say


@dataclass
class Stage:
    name: str
    build: Callable | None = (
        None  # each is called with the stage's Outcome; `test` only if `build` succeeded
    )
    test: Callable | None = None
    after: str | None = None  # another stage, whose build this test uses


class Lanes:
    def __init__(self, stages, outcomes, ended):
        """Runs all stages. `outcomes`: by the stages' names. `ended(stage)` is called with each
        stage that has ended.
        """
        self._outcomes = outcomes
        self._ended = ended
        self._builds = [stage for stage in stages if stage.build]
        self._tests = list(stages)
        self._building = {stage.name for stage in self._builds}
        self._changed = threading.Condition()

    def run(self):
        lanes = [
            threading.Thread(target=lane, daemon=True)
            for lane in (self._build_then_test, self._test)
        ]
        for lane in lanes:
            lane.start()
        for lane in lanes:
            lane.join()

    def _build_then_test(self):
        for stage in self._builds:
            self._do(stage, stage.build, stands_back=True)
            with self._changed:
                self._building.discard(stage.name)
                self._changed.notify_all()
        self._test()

    def _test(self):
        while stage := self._next_test():
            if stage.test and self._outcomes[stage.name].ok:
                self._do(stage, stage.test, stands_back=False)
            self._ended(stage)

    def _next_test(self):
        """Waits for the first stage that has what it needs. None when none is left."""
        with self._changed:
            while self._tests:
                for stage in self._tests:
                    if not {stage.name, stage.after} & self._building:
                        self._tests.remove(stage)
                        return stage
                self._changed.wait()
        return None

    def _do(self, stage, part, stands_back):
        outcome = self._outcomes[stage.name]
        outcome.stands_back = stands_back
        begin = time.monotonic()
        try:
            part(outcome)
        except Exception as error:  # without this, the other stages would not be reported
            outcome.ok = False
            say(stage.name, f"{type(error).__name__}: {error}")
        outcome.seconds += time.monotonic() - begin
