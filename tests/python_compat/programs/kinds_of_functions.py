"""One of each: what a line profiler meets. No statement takes more than a line."""

import asyncio
import functools


@profile
def plain(n):
    total = 0
    for i in range(n):
        total += i
    return total


@profile
def recursive(n):
    if n == 0:
        return 0
    rest = recursive(n - 1)
    return n + rest


@profile
def raises(flag):
    try:
        if flag:
            raise ValueError("on purpose")
        return 1
    except ValueError:
        return 0
    finally:
        flag = None


class Thing:
    def __init__(self):
        self._value = 3

    @profile
    def method(self, x):
        y = x + 1
        return y

    @property
    @profile
    def value(self):
        return self._value

    @classmethod
    @profile
    def make(cls):
        thing = cls()
        return thing

    @staticmethod
    @profile
    def fixed():
        return 7


def outer():
    @profile
    def nested(x):
        return x * 2

    return [nested(i) for i in range(3)]


@profile
async def waits():
    await asyncio.sleep(0)
    return 5


@profile
def never_called():
    pass


@profile
def with_context():
    with open(__file__) as file:
        first = file.readline()
    return first


plain(10)
recursive(4)
raises(True)
raises(False)
Thing.make().method(1)
Thing().value
Thing.fixed()
outer()
asyncio.run(waits())
with_context()
functools.partial(plain, 3)()
