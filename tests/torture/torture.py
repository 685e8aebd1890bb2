#!/usr/bin/env python3
"""Tries what docs/reliability.md promises, some ten minutes long, and prints how often each held.

`--write` puts the table into that page (bench/tables). The exit code is 1 if a promise did not
hold. `make torture` prepares all it needs.
"""

import argparse
import datetime
import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools")]

import descriptors  # noqa: E402
import kills  # noqa: E402
import matrix  # noqa: E402
import mutants  # noqa: E402
from interpreters import VERSIONS, find_python, prepare_environment  # noqa: E402

RESULTS = ROOT / "bench" / "results" / "published" / "torture.json"
PROGRAMS = Path(__file__).parent / "programs"


def run(*words):
    return (
        subprocess.run(
            [str(word) for word in words], cwd=ROOT, stdout=subprocess.DEVNULL
        ).returncode
        == 0
    )


def environments():
    """python of each supported version that this machine has, with laptime in it."""
    found = {}
    for version in VERSIONS:
        interpreter = find_python(version)
        python = prepare_environment(version, interpreter, run) if interpreter else None
        if python:
            found[version] = ROOT / python
        else:
            print(
                f"torture: CPython {version} is not on this machine, or laptime cannot be installed"
                " there: not tried",
                file=sys.stderr,
            )
    return found


def build_native(folder):
    """The C++ program of the kills, linked with the release build."""
    library = ROOT / "build/release/src/record"
    out = folder / "counts_scopes"
    words = [
        "c++",
        "-std=c++17",
        "-O1",
        "-pthread",
        f"-I{ROOT / 'include'}",
        PROGRAMS / "counts_scopes.cpp",
        "-o",
        out,
    ]
    subprocess.run([*words, f"-L{library}", "-llaptime", f"-Wl,-rpath,{library}"], check=True)
    return out


def targets(pythons, folder):
    laptime = ROOT / "build/release/src/cli/laptime"
    native = kills.Target("C++", laptime, ["--", build_native(folder)])
    script = PROGRAMS / "counts_scopes.py"
    return [
        native,
        *(kills.Target(f"CPython {v}", p.parent / "laptime", [script]) for v, p in pythons.items()),
    ]


def recorded_samples(pythons, folder):
    """Small sealed runs, one of each interpreter."""
    made = []
    for version, python in pythons.items():
        made.append(folder / f"{version}.lap")
        program = ROOT / "tests/python_compat/programs/many_calls.py"
        subprocess.run(
            [python.parent / "laptime", "run", "-q", "-o", made[-1], program],
            check=True,
            stdout=subprocess.DEVNULL,
        )
    return made


def campaigns(options, pythons, folder):
    chance = random.Random(options.seed)
    laptimes = [python.parent / "laptime" for python in pythons.values()]
    yield matrix.matrix(pythons)
    yield kills.kills(targets(pythons, folder), options.kills, chance)
    yield descriptors.descriptors(laptimes, options.descriptors)
    yield mutants.fuzzers(ROOT / "build/fuzz", options.mutants)
    yield mutants.commands(laptimes[0], recorded_samples(pythons, folder), options.damaged, chance)


COLUMNS = [["promise", "{}"], ["tried", "{:,} {}"], ["held", "{:,} of {:,}"]]


def published(results):
    """As bench/tables reads it."""
    return {
        "machine": f"{os.cpu_count()} cores, Linux {os.uname().release.split('-')[0]}",
        "date": datetime.date.today().isoformat(),
        "by": "tests/torture/torture.py",
        "columns": COLUMNS,
        "rows": [[r.promise, [r.tries, r.tried], [r.held, r.tries]] for r in results],
    }


def publish(results):
    RESULTS.write_text(json.dumps(published(results), ensure_ascii=False, indent=1) + "\n")
    subprocess.run([sys.executable, ROOT / "bench" / "tables"], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=120)
    parser.add_argument(
        "--descriptors", type=int, default=60, help="programs that close descriptors"
    )
    parser.add_argument("--mutants", type=int, default=21_000, help="for the fuzzers")
    parser.add_argument("--damaged", type=int, default=1_000, help="damaged files for the command")
    parser.add_argument("--seed", type=int, default=1, help="of what is random")
    parser.add_argument(
        "--write", action="store_true", help="put the table into docs/reliability.md"
    )
    options = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory(prefix="laptime-torture-") as folder:
        for result in campaigns(options, environments(), Path(folder)):
            results.append(result)
            print(f"{result.promise}: {result.held:,} of {result.tries:,}", flush=True)
            for failure in result.failures:
                print(f"  {failure}", flush=True)
    if options.write:
        publish(results)
    return 1 if any(result.failures for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
