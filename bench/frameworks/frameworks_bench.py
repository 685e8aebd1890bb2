"""What laptime costs programs of TensorFlow, Keras and JAX. Each program runs in turns: bare, with
the hooks alone, with the default budget, with --full, and with the framework's own profiler.

    build/venv-tensorflow/bin/python bench/frameworks/frameworks_bench.py [--rounds 5] [NAME …]

Programs time their own steps (programs/measured.py). Each figure is the median over the rounds of
the ratio to the bare run of the same round. The bars: hooks 1.01 × of the median step, default
1.05 × of the loop, --full at most the time that the framework's own profiler adds. The results
must be equal, bit for bit.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent / "programs"
PROGRAMS: dict[str, tuple[list[str], dict[str, str]]] = {
    "keras fit, tensorflow": (["keras_fit.py"], {"KERAS_BACKEND": "tensorflow"}),
    "keras fit, torch": (["keras_fit.py"], {"KERAS_BACKEND": "torch"}),
    "keras fit, jax": (["keras_fit.py"], {"KERAS_BACKEND": "jax"}),
    "tape, eager": (["tape.py", "eager"], {}),
    "tape, tf.function": (["tape.py", "function"], {}),
    "flax": (["flax_loop.py"], {}),
}
MODES: dict[str, list[str] | None] = {
    "bare": None,
    "hooks": ["--no-ops"],
    "default": [],
    "full": ["--full"],
    "own profiler": None,
}


def run_once(name: str, mode: str, folder: str) -> dict[str, Any]:
    words, variables = PROGRAMS[name]
    command = [sys.executable, str(FOLDER / words[0]), *words[1:]]
    environment = {**os.environ, **variables, "TF_CPP_MIN_LOG_LEVEL": "3"}
    if mode == "own profiler":
        environment["OWN_PROFILER"] = f"{folder}/profile"
    if (options := MODES[mode]) is not None:
        laptime = str(Path(sys.executable).parent / "laptime")
        command = [laptime, "run", "-q", "-o", f"{folder}/run.lap", *options, *command[1:]]
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
    measured: dict[str, Any] = json.loads(output.stdout.strip().splitlines()[-1])
    return measured


def figures(rounds: list[dict[str, dict[str, Any]]]) -> dict[str, float]:
    def median(mode: str, key: str) -> float:
        return statistics.median(each[mode][key] / each["bare"][key] for each in rounds)

    return {
        "bare_ms": 1e3 * statistics.median(each["bare"]["median_s"] for each in rounds),
        "hooks_step": median("hooks", "median_s"),
        "default_loop": median("default", "loop_s"),
        "full_loop": median("full", "loop_s"),
        "own_profiler_loop": median("own profiler", "loop_s"),
    }


def measure(name: str, count: int) -> dict[str, Any]:
    rounds: list[dict[str, dict[str, Any]]] = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(count):
            modes = [m for m in MODES if m != "own profiler" or "torch" not in name]
            each = {mode: run_once(name, mode, folder) for mode in modes}
            each.setdefault("own profiler", each["bare"])
            rounds.append(each)
    results = {mode["result"] for each in rounds for mode in each.values()}
    return {"program": name, **figures(rounds), "results_equal": len(results) == 1}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    parser.add_argument("names", nargs="*", metavar="NAME", default=list(PROGRAMS))
    arguments = parser.parse_args()
    rows = []
    for name in arguments.names:
        row = measure(name, arguments.rounds)
        rows.append(row)
        print(
            f"{name:22} bare {row['bare_ms']:6.2f} ms   hooks {row['hooks_step']:.3f}"
            f"   default {row['default_loop']:.3f}   full {row['full_loop']:.3f}"
            f"   own profiler {row['own_profiler_loop']:.3f}"
            f"   results {'equal' if row['results_equal'] else 'DIFFER'}",
            flush=True,
        )
    if arguments.json:
        arguments.json.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
