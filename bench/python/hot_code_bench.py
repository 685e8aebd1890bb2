"""What the default budget adds to hot code on a busy machine, and to pools of spawned processes.

Each start is a pair: the program bare, and under `laptime run`. The first figures are of the
program's CPU time, while neighbours use every processor. Their bar is 1.25 x in every start. The
pool's figures are of wall time, from its start to its last result. Their bar is 1.15 x.

Usage: python hot_code_bench.py [--json FILE] [--starts N]. Exit code 1 if a figure is over its bar.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys

from run_pairs import ratios, show

LOOP = """
import time

def work(n):
    total = 0
    for i in range(n):
        x = i * 3
        y = x ^ i
        total += y & 7
        if total > 1000:
            total -= 1000
    return total

begin = time.process_time()
for _ in range(150):
    work(100_000)
print(time.process_time() - begin)
"""

CALLS = """
import time

def value(x):
    x = x * 3 + 1
    y = x ^ 5
    z = (x * y + 11) % 1009
    return (y + z) & 0xFFFF

def work(n):
    total = 0
    for i in range(n):
        total += value(i)
        if total > 1000:
            total -= 1000
    return total

begin = time.process_time()
for _ in range(100):
    work(50_000)
print(time.process_time() - begin)
"""

POOL = """
import multiprocessing
import time

def work(n):
    total = 0
    for i in range(n):
        x = i * 3
        y = x ^ i
        total += y & 7
        if total > 1000:
            total -= 1000
    return total

if __name__ == "__main__":
    begin = time.perf_counter()
    with multiprocessing.get_context("{method}").Pool(2) as pool:
        pool.map(work, [200_000] * 200, chunksize=1)
        print(time.perf_counter() - begin)
"""

BURN = "while True: pass"


@contextlib.contextmanager
def busy_neighbours():
    burning = [
        subprocess.Popen([sys.executable, "-S", "-c", BURN])
        for _ in range(2 * len(os.sched_getaffinity(0)))
    ]
    try:
        yield
    finally:
        for process in burning:
            process.kill()
            process.wait()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--starts", type=int, default=10)
    options = parser.parse_args()
    figures = []
    with busy_neighbours():
        figures.append(
            show(
                "hot loop, neighbours on all processors, x bare",
                ratios(LOOP, options.starts),
                1.25,
                max,
            )
        )
        figures.append(
            show("hot small function, the same, x bare", ratios(CALLS, options.starts), 1.25, max)
        )
    for method in ("spawn", "fork"):
        values = ratios(POOL.replace("{method}", method), max(3, options.starts // 2))
        figures.append(show(f"pool of 2 processes, {method}, x bare", values, 1.15))
    if options.json:
        with open(options.json, "w") as file:
            json.dump({"python": sys.version.split()[0], "figures": figures}, file, indent=1)
    return any(figure["over"] for figure in figures)


if __name__ == "__main__":
    sys.exit(main())
