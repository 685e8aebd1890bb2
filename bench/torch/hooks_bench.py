#!/usr/bin/env python3
"""What the hooks cost in a step with nothing in it: a loader's batch and an optimizer's step, with
and without them.

The loop does what every training loop does and nothing else. The difference is the hooks, the
marked step and its spans. Bar: 3 us a step.
"""

import argparse
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import laptime
import torch
from torch.utils.data.dataloader import _BaseDataLoaderIter

STEPS = 20_000
ROUNDS = 7
BAR_US = 3.0


class Batches(_BaseDataLoaderIter):
    """A loader's iterator that has its batch ready."""

    def __init__(self, count):
        self._sampler_iter = self._index_sampler = self
        self._profile_name, self._dataset_kind, self._num_yielded = "batches", 0, 0
        self._left, self._batch = count, [torch.zeros(8, 2)]

    def _next_data(self):
        if not self._left:
            raise StopIteration
        self._left -= 1
        return self._batch


class Nothing(torch.optim.Optimizer):
    def __init__(self):
        super().__init__([torch.nn.Parameter(torch.zeros(1))], {})

    def step(self):
        pass


def us_a_step():
    optimizer, batches = Nothing(), Batches(STEPS)
    begin = time.thread_time()
    for _ in batches:
        optimizer.step()
    return (time.thread_time() - begin) / STEPS * 1e6


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    bare, hooked = [], []
    us_a_step()
    with tempfile.TemporaryDirectory() as folder:
        for number in range(ROUNDS):
            bare.append(us_a_step())
            with laptime.profile(Path(folder) / f"{number}.lap", lines=False, ops=False):
                hooked.append(us_a_step())
    cost = statistics.median(h - b for h, b in zip(hooked, bare))
    print(
        f"hooks: {cost:.2f} us a step (a step of nothing: {statistics.median(bare):.2f} us)  (bar"
        f" {BAR_US})"
    )
    if options.json:
        options.json.write_text(json.dumps({"hooks_us_a_step": cost}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
