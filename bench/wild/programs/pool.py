"""A pool of processes that each start anew."""

from multiprocessing import get_context


def work(count: int) -> int:
    total = 0
    for number in range(count):
        total += number * number % 7
    return total


if __name__ == "__main__":
    with get_context("spawn").Pool(2) as pool:
        print(sum(pool.map(work, [400_000] * 60)))
