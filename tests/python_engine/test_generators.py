"""throw() and close() through ``yield from``: whose time it is that the inner generator takes."""

import contextlib
import time

import pytest
from conftest import Lines

LATE = 0.05


def inner():
    while True:
        try:
            yield
        except KeyError:
            time.sleep(0.02)
        finally:
            time.sleep(0.01)


def outer():
    yield from inner()


def outermost():
    yield from outer()


async def waits():
    await Suspends()


class Suspends:
    def __await__(self):
        try:
            yield
        finally:
            time.sleep(0.02)


def throw(generator):
    next(generator)
    generator.throw(KeyError)
    generator.throw(KeyError)
    next(generator)


def throw_out(generator):
    next(generator)
    with contextlib.suppress(ValueError):
        generator.throw(ValueError)


def close(generator):
    next(generator)
    generator.close()


def measured(engine, use, generator):
    engine.start(lines=True)
    use(generator)
    engine.stop()
    assert engine.own_cost().realignments == 0
    return Lines(engine.snapshot_lines())


def test_what_is_thrown_takes_time_of_every_generator_on_the_way(engine):
    lines = measured(engine, throw, outermost())
    assert lines.at(inner, "sleep(0.02)")[0] == 2
    for function, text in (
        (outer, "yield from inner"),
        (outermost, "yield from outer"),
        (throw, "generator.throw"),
    ):
        _, inclusive, exclusive = lines.at(function, text)
        assert 0.03 <= inclusive < 0.2 and exclusive < LATE, function.__name__
    # Two throws and one `next` more, each with 10 ms at the end; the second `next` is the caller's
    # last line.
    assert lines.at(outer, "yield from inner")[1] >= 0.07


def test_an_exception_that_nobody_catches_leaves_them_all(engine):
    lines = measured(engine, throw_out, outermost())
    for function, text in (
        (inner, "sleep(0.01)"),
        (outer, "yield from"),
        (outermost, "yield from"),
        (throw_out, "throw("),
    ):
        assert 0.01 <= lines.at(function, text)[1] < 0.1, function.__name__
    assert lines.at(throw_out, "throw(")[2] < LATE


def test_close_takes_time_of_every_generator_on_the_way(engine):
    lines = measured(engine, close, outermost())
    for function, text in (
        (inner, "sleep(0.01)"),
        (outer, "yield from"),
        (outermost, "yield from"),
        (close, "close()"),
    ):
        assert 0.01 <= lines.at(function, text)[1] < 0.1, function.__name__
    assert lines.at(outer, "yield from")[2] < 0.008 and lines.at(outermost, "yield from")[2] < 0.008


def test_generators_that_have_nothing_to_do_with_each_other_are_closed_apart(engine):
    def both():
        first, second = inner(), inner()
        next(first), next(second)
        first.close()
        second.close()

    engine.start(lines=True)
    both()
    engine.stop()
    assert Lines(engine.snapshot_lines()).at(inner, "yield")[1] < 0.008


def test_a_coroutine_that_is_closed(engine):
    def run():
        coroutine = waits()
        coroutine.send(None)
        coroutine.close()

    engine.start(lines=True)
    run()
    engine.stop()
    lines = Lines(engine.snapshot_lines())
    assert 0.02 <= lines.at(waits, "await Suspends")[1] < 0.2
    assert 0.02 <= lines.at(run, "coroutine.close")[1] < 0.2


@pytest.mark.parametrize("use", [throw, throw_out, close])
def test_time_is_charged_once(engine, use):
    engine.start(lines=True)
    begin = time.perf_counter()
    use(outermost())
    engine.stop()
    wall = time.perf_counter() - begin  # of all lines that were counted, those here too
    rows = [row for rows in engine.snapshot_lines().values() for row in rows]
    assert (
        sum(row[3] for row in rows) / 1e9 <= wall * 1.01 + 0.005
    )  # one charged twice is 0.02 more
    assert all(0 <= row[3] <= row[2] for row in rows)
