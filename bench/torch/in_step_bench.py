#!/usr/bin/env python3
"""What each part of laptime adds to a step of 1.4 ms, in one process that trains with and without
it in turns.

A loop of nothing but hooks or ops has all of them in the cache. A training does not: there they
cost several times as much. event_cost.py is calibrated with these figures. The output is the median
over rounds of the difference of a round's median steps, and its quartiles.
"""

import argparse
import gc
import json
import statistics
import sys
import tempfile
import time
from pathlib import Path

import laptime
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, TensorDataset

STEPS = 60
WARMUP = 10
BATCH = 16
PARTS = {
    "hooks": {"lines": False, "ops": False, "budget": None},
    "hooks and lines": {"ops": False, "budget": None},
    "hooks, ops resting": {"lines": False, "budget": 1e-4},
    "hooks and ops": {"lines": False, "budget": None},
    "all": {"budget": None},
}


class Training:
    def __init__(self):
        torch.set_num_threads(1)
        torch.manual_seed(0)
        self.data = TensorDataset(
            torch.randn(STEPS * BATCH, 1, 14, 14), torch.randint(10, (STEPS * BATCH,))
        )
        self.model = nn.Sequential(
            nn.Conv2d(1, 16, 3),
            nn.ReLU(),
            nn.MaxPool2d(2),
            nn.Conv2d(16, 32, 3),
            nn.ReLU(),
            nn.Flatten(),
            nn.Linear(512, 10),
        )
        self.optimizer = torch.optim.Adam(self.model.parameters())

    def us_a_step(self):
        gc.collect()
        moments = []
        for images, labels in DataLoader(self.data, BATCH):
            self.optimizer.zero_grad()
            F.cross_entropy(self.model(images), labels).backward()
            self.optimizer.step()
            moments.append(time.perf_counter_ns())
        return (
            statistics.median(b - a for a, b in zip(moments[WARMUP:], moments[WARMUP + 1 :])) / 1e3
        )


def measure(rounds):
    training = Training()
    bare, added = [], {part: [] for part in PARTS}
    with tempfile.TemporaryDirectory() as folder:
        for number in range(rounds + 1):
            base = training.us_a_step()
            profiled = {}
            for part, options in PARTS.items():
                with laptime.profile(Path(folder) / f"{number} {part}.lap", **options):
                    profiled[part] = training.us_a_step()
            if number:  # the first round loads the shim and fills the cache
                bare.append(base)
                for part, us in profiled.items():
                    added[part].append(us - base)
    return statistics.median(bare), added


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    bare, added = measure(options.rounds)
    print(
        f"a step of {bare:.0f} us; what is added to it, median and quartiles of {options.rounds}"
        " rounds:"
    )
    results = {"bare_us": bare}
    for part, values in added.items():
        low, middle, high = statistics.quantiles(values, n=4)
        results[part] = {"us": middle, "quartiles": [low, high], "ratio": 1 + middle / bare}
        print(
            f"  {part:<20} {middle:+7.1f} us  ({low:+.1f} to {high:+.1f}),"
            f" {1 + middle / bare:.3f} x"
        )
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
