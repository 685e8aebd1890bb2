"""Calls of every kind, without imports: what is already imported differs between two profilers' processes."""


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return False if n == 0 else even(n - 1)


class Shape:
    def __init__(self, *sides):
        self.sides = list(sides)

    @property
    def size(self):
        return sum(self.sides)

    @classmethod
    def square(cls, side):
        return cls(side, side)

    @staticmethod
    def corners():
        return 4

    def __len__(self):
        return len(self.sides)

    def __eq__(self, other):
        return isinstance(other, Shape) and self.sides == other.sides

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


def numbers(n):
    for i in range(n):
        yield i * i


def raises(deep):
    if deep:
        raises(deep - 1)
    raise ValueError("on purpose")


def outer(n):
    def inner(x):
        return x + n

    return [inner(i) for i in range(n)]


def many_arguments(a, b=2, *rest, key=None, **more):
    return max(a, b, *rest), key, sorted(more)


def main():
    print(fib(12), even(20))
    shapes = [Shape.square(i) for i in range(5)]
    print(sum(shape.size for shape in shapes), len(shapes[0]), shapes[0] == shapes[1], Shape.corners())
    print(list(numbers(5)), sum(numbers(6)), dict(enumerate("abc")), "a,b".split(","), "x".join(map(str, range(4))))
    try:
        raises(3)
    except ValueError as error:
        print(repr(error))
    print(outer(4), sorted([3, 1, 2], key=lambda x: -x), list(filter(None, [0, 1])), many_arguments(1, 2, 3, key=4, z=5))
    with Shape(1) as shape:
        shape.sides.append(2)
    print(eval("fib(3)"), getattr(shape, "size"), hasattr(shape, "nothing"), {**{"a": 1}}.get("a"), "%s" % shape.size)


main()
