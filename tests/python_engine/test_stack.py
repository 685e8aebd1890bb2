"""Generators, exceptions, throw and close in every mixture: the shadow stack must end in step with
the frames.

Each case calls ``check`` at its turns; it compares the engine's stack with the interpreter's own.
"""

import asyncio
import contextlib
import gc
import random
import sys

import pytest
from laptime._native import engine as native


def check():
    assert native.in_step()


def guarded(n):
    try:
        for i in range(n):
            check()
            yield i
            check()
    finally:
        check()


def plain(n):
    yield from range(n)


def delegating(n):
    # What is thrown at it goes straight to the inner generator: this frame is then shown as a
    # caller but does not run.
    check()
    result = yield from quiet(n)
    check()
    return result


def quiet(n):
    try:
        for i in range(n):  # noqa: UP028  with `yield from` its frame would not run for each value
            yield i
    finally:
        n = 0


@contextlib.contextmanager
def manager(reraise):
    try:
        yield
    except KeyError:
        check()
        if reraise:
            raise


def failing(n):
    check()
    if n == 0:
        raise KeyError
    try:
        failing(n - 1)
    finally:
        check()


def endless(n):
    return endless(n + 1)


async def async_numbers(n):
    for i in range(n):
        await asyncio.sleep(0)
        check()
        yield i


async def consume(n):
    async for i in async_numbers(n):
        check()
        if i == 3:
            break
    with contextlib.suppress(asyncio.TimeoutError):
        await asyncio.wait_for(asyncio.sleep(5), 0.001)
    check()


class Awkward:
    def __iter__(self):
        return self

    def __next__(self):
        check()
        raise StopIteration

    def __getattr__(self, name):
        raise AttributeError(name)

    def __del__(self):
        check()


def throw_before_start():
    for make in (guarded, plain):
        with contextlib.suppress(KeyError):
            make(3).throw(KeyError)
        check()


def throw_inside():
    for make in (guarded, plain, delegating):
        generator = make(3)
        next(generator)
        with contextlib.suppress(ValueError):
            generator.throw(ValueError)
        check()


def close_anywhere():
    for make in (guarded, plain, delegating):
        generator = make(3)
        generator.close()
        generator = make(3)
        next(generator)
        generator.close()
        check()


def collect_suspended():
    generator = guarded(3)
    next(generator)
    del generator
    gc.collect()
    check()


def manage():
    for reraise in (False, True):
        with contextlib.suppress(KeyError):
            with manager(reraise):
                raise KeyError
        check()


def fail_deep():
    with contextlib.suppress(KeyError):
        failing(6)
    check()


def overflow():
    with contextlib.suppress(RecursionError):
        endless(0)
    check()


def asynchronous():
    asyncio.run(consume(6))
    check()


def awkward():
    for _ in Awkward():
        pass
    hasattr(Awkward(), "missing")
    sorted([3, 1, 2], key=lambda v: -v)
    check()


def unpack():
    _a, _b, _c = guarded(3)
    list(zip(guarded(2), delegating(3), plain(2)))
    any(x == 2 for x in plain(5))
    check()


def generator_that_fails():
    def fails():
        yield 1
        raise KeyError

    for use in (list, lambda g: [next(g), next(g)], lambda g: sum(1 for _ in g)):
        with contextlib.suppress(KeyError):
            use(fails())
        check()


def executed_text():
    exec("a = 1\nb = 2\n")
    check()


def system_exit():
    with contextlib.suppress(SystemExit):
        sys.exit(2)
    check()


CASES = [
    throw_before_start,
    throw_inside,
    close_anywhere,
    collect_suspended,
    manage,
    fail_deep,
    overflow,
    asynchronous,
    awkward,
    unpack,
    generator_that_fails,
    executed_text,
    system_exit,
]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.__name__)
def test_case(engine, case):
    engine.start(lines=True)
    case()
    check()
    engine.stop()
    assert engine.own_cost().realignments == 0


def test_random_mixture(engine):
    chosen = random.Random(7).choices([c for c in CASES if c is not asynchronous], k=60)
    engine.start(lines=True)
    for case in chosen:
        case()
        check()
    engine.stop()
    assert engine.own_cost().realignments == 0


def test_generators_that_were_started_before(engine):
    early = quiet(3)
    next(early)
    engine.start(lines=True)
    next(early)
    early.close()
    check()
    engine.stop()
    assert engine.own_cost().realignments == 0


def test_start_inside_a_generator_and_stop_outside(engine):
    def generator():
        engine.start(lines=True)
        yield 1
        check()
        yield 2

    running = generator()
    next(running)
    check()
    next(running)
    check()
    engine.stop()
    running.close()
