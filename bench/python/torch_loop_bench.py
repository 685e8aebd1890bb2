"""What timing the user's own lines adds to a small PyTorch training loop on the CPU. Bar: 1.02 x.

Bare and timed intervals of one training take turns. The figure is the median of the ratios of
neighbours. It is one training, because two trainings differ by some percent for their whole life,
by the positions of their memory. It must end with the weights of a training that is never timed,
bit for bit. Only the line engine runs. No ops are recorded.

Usage: python torch_loop_bench.py [--json FILE] [--pairs N]. Exit code 1 if over the bar, 2 without
PyTorch.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time

from laptime.collect import engine

try:
    import torch
    from torch import nn
except ImportError:
    print(
        "torch_loop_bench: no PyTorch here (tools/pip_sync .venv requirements-torch.lock)",
        file=sys.stderr,
    )
    sys.exit(2)

BAR = 1.02
STEPS_A_INTERVAL = 20  # short, so that nothing else on the machine disturbs some of them


def make_training():
    torch.manual_seed(0)
    layers = [
        nn.Conv2d(1, 8, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(8 * 13 * 13, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    ]
    model = nn.Sequential(*layers)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.05, momentum=0.9)
    images, labels = torch.randn(1024, 1, 28, 28), torch.randint(0, 10, (1024,))
    return model, optimizer, images, labels


def batch_of(images, labels, step):
    begin = step * 64 % 1024
    return images[begin : begin + 64], labels[begin : begin + 64]


def train(training, steps):
    model, optimizer, images, labels = training
    total = 0.0
    for step in range(steps):
        x, y = batch_of(images, labels, step)
        optimizer.zero_grad()
        scores = model(x)
        loss = nn.functional.cross_entropy(scores, y)
        loss.backward()
        optimizer.step()
        total += loss.item()
    return total / steps


def interval(training):
    begin = time.perf_counter_ns()
    train(training, STEPS_A_INTERVAL)
    return time.perf_counter_ns() - begin


def timed_interval(training):
    engine.start(lines=True, budget=0.05)
    try:
        return interval(training)
    finally:
        engine.stop()


def same_as_never_timed(training, intervals):
    other = make_training()
    for _ in range(intervals):
        train(other, STEPS_A_INTERVAL)
    return all(torch.equal(a, b) for a, b in zip(training[0].parameters(), other[0].parameters()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--pairs", type=int, default=150)
    options = parser.parse_args()
    torch.set_num_threads(1)
    training = make_training()
    interval(training), timed_interval(training)
    ratios = []
    for pair in range(options.pairs):
        if pair % 2:
            bare, timed = interval(training), timed_interval(training)
        else:
            timed, bare = timed_interval(training), interval(training)
        ratios.append(timed / bare)
    same = same_as_never_timed(training, 2 * (options.pairs + 1))
    low, value, high = statistics.quantiles(ratios, n=4)
    verdict = "ok" if value <= BAR else "OVER"
    print(
        f"torch {torch.__version__}, Python {sys.version.split()[0]}, {options.pairs} pairs of"
        f" {STEPS_A_INTERVAL} steps"
    )
    print(
        f"{'small torch CPU loop, user code by line, x bare':52} {value:9.4f}  (bar {BAR:.3f})"
        f" {verdict}; half of the pairs {low:.4f}-{high:.4f}"
    )
    print(
        f"the same weights bit for bit: {'yes' if same else 'NO'}; line events:"
        f" {engine.own_cost().line_events}"
    )
    if options.json:
        with open(options.json, "w") as file:
            json.dump(
                {
                    "python": sys.version.split()[0],
                    "torch": torch.__version__,
                    "same_weights": same,
                    "figures": [
                        {
                            "figure": "torch loop",
                            "value": value,
                            "bar": BAR,
                            "quartiles": [low, high],
                        }
                    ],
                },
                file,
                indent=1,
            )
    return value > BAR or not same


if __name__ == "__main__":
    sys.exit(main())
