#!/usr/bin/env python3
"""How often `laptime compare` is wrong: pairs of identical runs, and pairs whose second run does 5
% more work.

    .venv/bin/python bench/compare/compare_bench.py [--pairs 50] [--steps 300] [--json FILE]
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAM = Path(__file__).with_name("program.py")
LAPTIME = Path(sys.executable).with_name("laptime")
MOST_FALSE_ALARMS = 3 / 50
FEWEST_FOUND = 45 / 50


def record(path, steps, factor):
    command = [LAPTIME, "run", "-q", "--no-lines", "-o", path, PROGRAM, str(steps), str(factor)]
    subprocess.run(command, check=True, capture_output=True)


def compare(a, b, limit="5%"):
    """The verdict on the steps, the ratio, and whether --fail-over fails."""
    done = subprocess.run(
        [LAPTIME, "compare", a, b, "--json", "--fail-over", limit], capture_output=True, text=True
    )
    if done.returncode not in (0, 1):
        sys.exit(done.stderr)
    table = json.loads(done.stdout)["tables"][0]
    row = dict(zip((column["name"] for column in table["columns"]), table["rows"][0]))
    return row["verdict"], row["time_ratio"], done.returncode == 1


def campaign(pairs, steps, factor, folder):
    outcomes = []
    for pair in range(pairs):
        a, b = folder / "a.lap", folder / "b.lap"
        # The order alternates, so that a machine that slows down favours neither.
        for path, f in [(a, 1.0), (b, factor)] if pair % 2 == 0 else [(b, factor), (a, 1.0)]:
            record(path, steps, f)
        outcomes.append(compare(a, b))
        print(f"\r{factor}: pair {pair + 1} of {pairs}", end="", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    return outcomes


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=50)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        same = campaign(options.pairs, options.steps, 1.0, Path(name))
        slower = campaign(options.pairs, options.steps, 1.05, Path(name))
    result = {
        "pairs": options.pairs,
        "false_alarms": sum(verdict != "no difference" for verdict, _, _ in same),
        "false_failures": sum(failed for _, _, failed in same),
        "found": sum(verdict == "slower" for verdict, _, _ in slower),
        "ratios_same": sorted(ratio for _, ratio, _ in same),
        "ratios_slower": sorted(ratio for _, ratio, _ in slower),
    }
    print(
        f"identical runs: {result['false_alarms']} of {options.pairs} called different (bar"
        f" {MOST_FALSE_ALARMS:.0%}), {result['false_failures']} over --fail-over 5%"
    )
    print(
        f"5 % more work:  {result['found']} of {options.pairs} called slower (bar"
        f" {FEWEST_FOUND:.0%})"
    )
    print(
        f"ratios: identical {result['ratios_same'][0]:.3f} to {result['ratios_same'][-1]:.3f}, "
        f"5 % more {result['ratios_slower'][0]:.3f} to {result['ratios_slower'][-1]:.3f}"
    )
    if options.json:
        options.json.write_text(json.dumps(result) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
