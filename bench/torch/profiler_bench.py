"""laptime's torch.profiler and Lightning profilers beside the originals: the cost of a step, an
event and a call.

Every figure is a ratio within one run. Both sides must count the same events and calls. Only a
failed check makes the exit code 1.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
import warnings
from pathlib import Path

import torch
from laptime.compat.torch_profiler import profile
from torch.profiler import ProfilerActivity
from torch.profiler import profile as original

sys.path.insert(0, str(Path(__file__).resolve().parent.parent.parent / "tests" / "torch_compat"))
from training import Training


def seconds(function, *arguments):
    begin = time.perf_counter()
    result = function(*arguments)
    return time.perf_counter() - begin, result


def profiled(profiler, training, steps, **options):
    with profiler(activities=[ProfilerActivity.CPU], **options) as p:
        took, _ = seconds(lambda: [training.step() for _ in range(steps)])
    return took, p


def average_figures(steps):
    """From the end of the profile to a table of averages, per event."""
    per_event, counts = {}, {}
    for name, profiler in (("torch", original), ("laptime", profile)):
        _, p = profiled(profiler, Training(), steps)
        took, averages = seconds(p.key_averages)
        again, _ = seconds(p.key_averages)
        counts[name] = {a.key: a.count for a in averages}
        events = sum(counts[name].values())
        per_event[name] = (took / events * 1e9, again / events * 1e9)
    assert counts["torch"] == counts["laptime"]
    return [
        (f"events in {steps} steps", sum(counts["torch"].values()), None),
        ("first key_averages, ns an event: torch", per_event["torch"][0], None),
        (
            "first key_averages, ns an event: laptime (reads the file)",
            per_event["laptime"][0],
            None,
        ),
        (
            "first key_averages, of torch's",
            per_event["laptime"][0] / per_event["torch"][0],
            1 / 100,
        ),
        ("key_averages again, ns an event: laptime", per_event["laptime"][1], None),
        (
            "key_averages again, of torch's first",
            per_event["laptime"][1] / per_event["torch"][0],
            1 / 500,
        ),
    ]


def step_figures(rounds, steps):
    """What profiling adds to a step, in turns."""
    training = Training(batch=64)
    stacks = {"with_stack": True}
    ways = {
        "torch.profiler": (original, {}),
        "laptime": (profile, {}),
        "torch.profiler, stacks": (original, stacks),
        "laptime, stacks": (profile, stacks),
    }
    best = dict.fromkeys(["bare", *ways], float("inf"))
    for _ in range(rounds):
        best["bare"] = min(
            best["bare"], seconds(lambda: [training.step() for _ in range(steps)])[0]
        )
        for way, (profiler, options) in ways.items():
            best[way] = min(best[way], profiled(profiler, training, steps, **options)[0])
    of_bare = {way: best[way] / best["bare"] for way in ways}
    return [
        (
            f"step, x bare: {way}",
            ratio,
            (
                of_bare[way.replace("laptime", "torch.profiler")]
                if way.startswith("laptime")
                else None
            ),
        )
        for way, ratio in of_bare.items()
    ]


def calls(n):
    for _ in range(n):
        abs(len("ab"))
        _nothing()


def _nothing():
    pass


def advanced_figures(rounds):
    """AdvancedProfiler's calls and actions, one action within another."""
    from laptime.compat.lightning import AdvancedProfiler
    from lightning.pytorch.profilers import AdvancedProfiler as Original

    n, actions = 20_000, 200
    best = {}

    def measure(name, profiler):
        def act():
            for number in range(actions):
                with profiler.profile(f"action {number % 40}"):
                    pass

        def work():
            if profiler is None:
                calls(n)
                return
            with profiler.profile("outer"):
                calls(n)

        times = [seconds(work)[0] for _ in range(rounds)]
        best[name] = (min(times), min(seconds(act)[0] for _ in range(rounds)) if profiler else 0)

    measure("bare", None)
    for name, kind in (("lightning", Original), ("laptime", AdvancedProfiler)):
        profiler = kind()
        measure(name, profiler)
        profile_of = profiler.profiled_actions["outer"]
        profile_of.create_stats()
        assert any(
            key[2] == "_nothing" and entry[1] == n * rounds
            for key, entry in profile_of.stats.items()
        )
        profiler.teardown(None)
    added = {name: (times[0] - best["bare"][0]) / (3 * n) * 1e9 for name, times in best.items()}
    action = {name: times[1] / actions * 1e6 for name, times in best.items()}
    return [
        ("AdvancedProfiler, ns added a call: Lightning", added["lightning"], None),
        ("AdvancedProfiler, ns added a call: laptime", added["laptime"], None),
        ("AdvancedProfiler, a call, of Lightning's", added["laptime"] / added["lightning"], 1.0),
        ("AdvancedProfiler, µs an action: Lightning", action["lightning"], None),
        ("AdvancedProfiler, µs an action: laptime", action["laptime"], None),
        (
            "AdvancedProfiler, an action, of Lightning's",
            action["laptime"] / action["lightning"],
            1.0,
        ),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    torch.set_num_threads(1)
    warnings.simplefilter("ignore")
    figures = (
        average_figures(options.steps)
        + step_figures(options.rounds, 50)
        + advanced_figures(options.rounds)
    )
    for name, value, bar in figures:
        verdict = "" if bar is None else f"  (bar {bar:.4f}) {'ok' if value <= bar else 'OVER'}"
        print(f"{name:60} {value:12.4f}{verdict}")
    if options.json:
        rows = [{"figure": name, "value": value, "bar": bar} for name, value, bar in figures]
        Path(options.json).write_text(
            json.dumps({"torch": torch.__version__, "figures": rows}, indent=1)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
