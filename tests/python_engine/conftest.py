import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from laptime.collect import engine as the_engine


@pytest.fixture
def engine():
    the_engine.clear()
    yield the_engine
    while any(the_engine.running()):
        the_engine.stop()
    the_engine.clear()


class Lines:
    """A snapshot, asked by function."""

    def __init__(self, snapshot):
        self.by_function = {}
        for (_, _, name), rows in snapshot.items():
            for line, hits, inclusive, exclusive in rows:
                self.by_function.setdefault(name.rsplit(".", 1)[-1], {})[line] = (
                    hits,
                    inclusive / 1e9,
                    exclusive / 1e9,
                )

    def at(self, function, text):
        import workloads

        return self.by_function[function.__name__][workloads.line_of(function, text)]


@pytest.fixture
def measure(engine):
    def run(call, *args):
        engine.start(lines=True)
        call(*args)
        engine.stop()
        return Lines(engine.snapshot_lines())

    return run
