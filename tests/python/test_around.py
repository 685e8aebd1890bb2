"""Around: a function with something done before and after it, which its callers cannot tell from
the function itself.
"""

import functools
import inspect
import signal
import traceback

import pytest
from laptime._native import Around


class Counter:
    def __init__(self):
        self.calls = []

    def before(self, first):
        self.calls.append(("before", first))

    def after(self, first, result, raised):
        self.calls.append(("after", first, result, raised))


@pytest.fixture
def counter():
    return Counter()


def test_arguments_and_result_are_passed_on(counter):
    def add(a, b=2, *more, c=0, **rest):
        return a, b, more, c, rest

    around = Around(add, counter.before, counter.after)
    assert around(1) == (1, 2, (), 0, {})
    assert around(1, 3, 4, c=5, d=6) == (1, 3, (4,), 5, {"d": 6})
    assert counter.calls[:2] == [("before", 1), ("after", 1, (1, 2, (), 0, {}), None)]
    assert Around(lambda: 7)() == 7


def test_as_a_method_and_as_next(counter):
    class Numbers:
        def __init__(self):
            self.left = 3

        def __iter__(self):
            return self

        def __next__(self):
            if not self.left:
                raise StopIteration
            self.left -= 1
            return self.left

    class Derived(Numbers):
        def __next__(self):
            return -super().__next__()

    Numbers.__next__ = Around(Numbers.__next__, counter.before, counter.after)
    assert list(Numbers()) == [2, 1, 0] and list(Derived()) == [-2, -1, 0]
    assert [call[3] for call in counter.calls if call[0] == "after"] == [
        None,
        None,
        None,
        StopIteration,
    ] * 2
    numbers = Numbers()
    assert numbers.__next__() == 2 and Numbers.__next__(numbers) == 1


def test_it_looks_like_the_function():
    def original(a: int, *, b: str = "x") -> None:
        """What it does."""

    around = Around(original)
    assert (
        around.__name__ == "original"
        and around.__doc__ == "What it does."
        and around.__wrapped__ is original
    )
    assert inspect.signature(around) == inspect.signature(original)


def test_exceptions_pass_with_no_frame_of_ours(counter):
    def fails():
        raise KeyError("mine")

    def names_of(function):
        try:
            function()
        except KeyError as error:
            assert error.args == ("mine",)
            return [frame.name for frame in traceback.extract_tb(error.__traceback__)]

    assert names_of(Around(fails, counter.before, counter.after)) == names_of(fails)
    assert counter.calls[-1] == ("after", None, None, KeyError)


def test_own_failures_are_one_line_and_never_again(capfd):
    calls = []

    def broken(*_):
        calls.append(1)
        raise RuntimeError("of ours")

    for around in (Around(lambda x: x + 1, broken), Around(lambda x: x + 1, None, broken)):
        assert [around(1), around(2)] == [2, 3]
    lines = capfd.readouterr().err.splitlines()
    assert (
        len(calls) == 2
        and len(lines) == 2
        and all(line.startswith("laptime: ") and "of ours" in line for line in lines)
    )


def test_own_failure_does_not_replace_the_functions(capfd):
    def broken(*_):
        raise RuntimeError("of ours")

    def fails():
        raise KeyError("mine")

    with pytest.raises(KeyError):
        Around(fails, None, broken)()


@pytest.mark.parametrize("where", ["before", "after"])
def test_interrupts_go_through(where):
    def interrupt(*_):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Around(lambda: 1, **{where: interrupt})()


class Preempted(Exception):
    pass


def preempt(number, frame):
    raise Preempted


class Preempts:
    def handle(self, number, frame):
        raise Preempted

    def __call__(self, number, frame):
        raise Preempted


@pytest.mark.parametrize(
    "handler",
    [preempt, Preempts().handle, Preempts(), functools.partial(preempt)],
    ids=["function", "method", "object", "partial"],
)
@pytest.mark.parametrize("when", ["before", "after"])
def test_what_a_handler_of_the_program_raises_is_the_programs(handler, when, capfd):
    def signalled(*_):
        signal.raise_signal(signal.SIGUSR1)

    was = signal.signal(signal.SIGUSR1, handler)
    try:
        around = Around(len, **{when: signalled})
        for argument in ([1], [2], 7):  # also where the function raises something itself
            with pytest.raises(Preempted):
                around(argument)
    finally:
        signal.signal(signal.SIGUSR1, was)
    assert capfd.readouterr().err == ""
