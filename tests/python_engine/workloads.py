"""Programs whose truth is known: how long each line takes, how often it runs."""

import asyncio
import contextlib
import threading
import time


def busy(seconds):
    """Runs for this long by the clock that it reads itself."""
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def recursive(n):
    time.sleep(0.02)
    if n:
        recursive(n - 1)
    time.sleep(0.01)


def numbers(k):
    for i in range(k):
        time.sleep(0.01)
        yield i
    time.sleep(0.01)


def use_generator():
    for _ in numbers(4):
        time.sleep(0.02)


async def pause_between():
    time.sleep(0.02)
    await asyncio.sleep(0.05)
    time.sleep(0.02)


async def gather():
    await asyncio.gather(pause_between(), pause_between(), pause_between())


def run_async():
    asyncio.run(gather())


async def ticker(k):
    for i in range(k):
        time.sleep(0.01)
        yield i


async def use_ticker():
    async for _ in ticker(3):
        time.sleep(0.02)


def raise_deep(n):
    if n == 0:
        raise ValueError
    raise_deep(n - 1)


def catch():
    for _ in range(10):
        try:
            raise_deep(5)
        except ValueError:
            time.sleep(0.002)
    time.sleep(0.02)


@contextlib.contextmanager
def managed():
    time.sleep(0.01)
    yield
    time.sleep(0.02)


def use_manager():
    with managed():
        time.sleep(0.03)


def three(a, b, c):
    time.sleep(0.01)
    return a


def long_statement():
    for _ in range(3):
        x = three(
            time.sleep(0.01),
            time.sleep(0.02),
            time.sleep(0.005),
        )
    return x


def long_comprehension():
    for _ in range(3):
        x = [
            i
            for i in range(4)
        ]
    return x


def lambdas():
    wait = lambda s: time.sleep(s)  # noqa: E731
    for _ in range(3):
        wait(0.01)


def sleeper(seconds):
    time.sleep(seconds)


def worker(seconds, rounds):
    for _ in range(rounds):
        time.sleep(seconds)


def eight_threads():
    threads = [threading.Thread(target=worker, args=(0.005 * (i + 1), 4), name=f"w{i}") for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def hot_loop(n):
    total = 0
    for i in range(n):
        total += i
        total ^= i
    return total


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


def endless_loop_around_a_long_statement(n):
    left = n
    while True:
        left = max(
            left - 1,
            -1,
        )
        if left == 0:
            break


def loop_with_nothing_else(values):
    take = iter(values).__next__
    try:
        while True:
            value = abs(
                take()
            )
    except StopIteration:
        return value


def chained_calls(values):
    take = iter(values).__next__
    try:
        while True:
            (str(take())
             .strip()
             .upper())
    except StopIteration:
        return


def one_line_for(n):
    for _ in range(n): max(
        1,
        2,
    )


def one_line_while(values):
    while values: values.pop(
        -1
    )


def comprehension_on_the_first_line():
    for _ in range(3):
        x = [i for i in
             range(4)]
    return x


def endless_comprehension(values):
    take = iter(values).__next__
    try:
        while True:
            x = [
                i
                for i in range(take())
            ]
    except StopIteration:
        return x


def line_of(function, text):
    """The line number of the first line of the function that holds the text."""
    import inspect

    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)
