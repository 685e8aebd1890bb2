"""What recording torch's ops costs: a tight loop of tiny ops against an empty callback, whole steps
against bare ones.

Modes take turns in one process. Each figure is the minimum of its rounds. Only ratios of one run
are compared.
"""

import argparse
import ctypes
import gc
import json
import sys
import tempfile
import time
from pathlib import Path

import torch
from laptime._native import recording
from laptime.frameworks.torch import ops, shim_build

HERE = Path(__file__).resolve().parent
OPS_A_ROUND = 5000


class EmptyCallback:
    """A callback that does nothing, as the floor."""

    def __init__(self, folder):
        path = f"{folder}/empty_callback.so"
        shim_build.compile_against(torch, [HERE / "empty_callback.cpp"], path)
        library = ctypes.CDLL(path)
        self.on, self.off = library.empty_callback_on, library.empty_callback_off


class Bare:
    def on(self): ...
    def off(self): ...


class TorchProfiler:
    def on(self):
        self._profiler = torch.autograd.profiler.profile()
        self._profiler.__enter__()

    def off(self):
        self._profiler.__exit__(None, None, None)


def loop():
    x, y = torch.zeros(2), torch.zeros(2)
    with torch.no_grad():
        for _ in range(OPS_A_ROUND):
            x.add_(y)


def cnn_step():
    net = torch.nn.Sequential(
        torch.nn.Conv2d(1, 16, 3),
        torch.nn.BatchNorm2d(16),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Conv2d(16, 32, 3),
        torch.nn.BatchNorm2d(32),
        torch.nn.ReLU(),
        torch.nn.MaxPool2d(2),
        torch.nn.Flatten(),
        torch.nn.Linear(32 * 25, 64),
        torch.nn.ReLU(),
        torch.nn.Linear(64, 10),
    )
    return step_of(net, torch.randn(16, 1, 28, 28), torch.randint(0, 10, (16,)))


def transformer_step():
    block = torch.nn.TransformerEncoderLayer(128, 4, 256, batch_first=True, dropout=0.0)
    net = torch.nn.Sequential(block, torch.nn.Flatten(), torch.nn.Linear(32 * 128, 10))
    return step_of(net, torch.randn(16, 32, 128), torch.randint(0, 10, (16,)))


def step_of(net, images, labels):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01)

    def step():
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(net(images), labels)
        loss.backward()
        optimizer.step()

    return step


def minimum_times(function, modes, rounds, repeats):
    """{mode: least seconds of one call}; the modes take turns."""
    least = dict.fromkeys(modes, float("inf"))
    for _ in range(rounds):
        for name, mode in modes.items():
            mode.on()
            function()
            for _ in range(repeats):
                begin = time.perf_counter()
                function()
                least[name] = min(least[name], time.perf_counter() - begin)
            mode.off()
    return least


class Figures:
    def __init__(self):
        self.rows = []

    def add(self, name, value, unit, bar=None):
        self.rows.append({"name": name, "value": value, "unit": unit, "bar": bar})
        verdict = (
            "" if bar is None else f"   bar ≤ {bar} {unit}   {'ok' if value <= bar else 'OVER'}"
        )
        print(f"  {name:58} {value:9.3f} {unit}{verdict}", flush=True)


def added_ns(least):
    return {name: (seconds - least["bare"]) / OPS_A_ROUND * 1e9 for name, seconds in least.items()}


def bench_loop(figures, modes, rounds):
    added = added_ns(minimum_times(loop, modes, rounds, 2))
    # Few rounds, because it processes its events for seconds afterwards.
    added |= added_ns(
        minimum_times(
            loop, {"bare": Bare(), "torch.profiler": TorchProfiler()}, 1 + rounds // 10, 2
        )
    )
    figures.add("an empty callback, added to an op", added["empty"], "ns")
    figures.add("ops + lines, added to an op", added["ops"], "ns")
    figures.add("torch.profiler, added to an op", added["torch.profiler"], "ns")
    figures.add("ops + lines against an empty callback", added["ops"] / added["empty"], "×", 1.25)
    figures.add(
        "ops + lines against torch.profiler", added["ops"] / added["torch.profiler"], "×", 0.4
    )


def bench_step(figures, name, step, modes, rounds):
    least = minimum_times(step, modes, rounds, 8)
    figures.add(f"{name}, bare", least["bare"] * 1e3, "ms")
    figures.add(f"{name}, an empty callback", least["empty"] / least["bare"], "×")
    figures.add(f"{name}, ops + lines", least["ops"] / least["bare"], "×", 1.08)
    figures.add(f"{name}, ops + lines + shapes", least["shapes"] / least["bare"], "×", 1.13)


def check(source, step):
    """Checks that recording sees what torch's profiler sees."""
    with torch.autograd.profiler.profile() as profiler:
        step()
    expected = sum(event.scope() in (0, 1, 7) for event in profiler.kineto_results.events())
    before = source.events
    source.on()
    step()
    source.off()
    print(f"  a step has {expected} records")
    return source.events - before == expected


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=60)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(0)
    gc.disable()
    figures = Figures()
    with tempfile.TemporaryDirectory() as folder:
        assert recording.start(f"{folder}/bench.lap") == ""
        plain, shapes, empty = ops.load(), ops.load(shapes=True), EmptyCallback(folder)
        if plain.kind != "compiled":
            print(f"ops: {plain.kind}, not measured")
            return 1
        print(f"torch {torch.__version__}, ops by the {plain.kind} recorder")
        steps = {"a small CNN's step": cnn_step(), "a transformer block's step": transformer_step()}
        good = True
        for step in steps.values():
            good = check(plain, step) and good
        bench_loop(figures, {"bare": Bare(), "empty": empty, "ops": plain}, options.rounds)
        for name, step in steps.items():
            bench_step(
                figures,
                name,
                step,
                {"bare": Bare(), "empty": empty, "ops": plain, "shapes": shapes},
                options.rounds,
            )
        recording.stop()
    if options.json:
        options.json.write_text(json.dumps(figures.rows, indent=1))
    if not good:
        print("FAILED: the recorded ops are not torch's")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
