"""The GPU's figures, each beside its bar: ``campaign.py [--out FILE] [--parts a,b] [--limit
SECONDS]``.

Each part runs in processes of its own, under a time limit. Its result is written to the JSON file
at once. So a part that fails, hangs or ends too late loses no other results. Needs an NVIDIA GPU,
PyTorch, and laptime importable.
"""

from __future__ import annotations

import argparse
import collections
import datetime
import json
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

from lockstep import HERE, take_turns

Results = dict[str, Any]


def record(
    level: str,
    workload: str,
    folder: str,
    steps: int = 20,
    timeout: float = 150,
    mode: str = "record",
) -> Results:
    """One process that runs `steps` steps at a level. Returns what it reported, with its file's
    path and its last output.
    """
    lap = os.path.join(folder, f"{mode}-{workload}-{level}.lap")
    command = [sys.executable, os.path.join(HERE, "child.py"), mode, level, workload, lap]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**os.environ, "STEPS": str(steps)},
        )
    except subprocess.TimeoutExpired:
        return {"problem": f"longer than {timeout} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {"problem": f"exit {done.returncode}: {done.stderr[-1500:]}"}
    return {
        **json.loads(lines[-1]),
        "lap": lap,
        "stderr": done.stderr[-600:],
        "file_bytes": os.path.getsize(lap) if os.path.exists(lap) else None,
    }


def tables(lap: str, *names: str) -> dict[str, list[dict[str, Any]]]:
    """Tables of a run as rows of names and values."""
    done = subprocess.run(
        [os.environ["LAPTIME"], "report", lap, *names, "--json"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return {
        table["name"]: [
            dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]
        ]
        for table in json.loads(done.stdout)["tables"]
    }


def machine(_: str) -> Results:
    import torch

    smi = shutil.which("nvidia-smi")
    driver = (
        subprocess.run(
            [smi, "--query-gpu=name,driver_version", "--format=csv,noheader"],
            capture_output=True,
            text=True,
        ).stdout.strip()
        if smi
        else ""
    )
    return {
        "date": datetime.date.today().isoformat(),
        "python": platform.python_version(),
        "torch": torch.__version__,
        "cuda": torch.version.cuda,
        "gpu": driver,
        "cpus": os.cpu_count(),
    }


def smoke(folder: str) -> Results:
    return {
        level: record(level, "eager", folder, steps=10)
        for level in ("kernels", "gpu", "full", "finalized")
    }


# Steps: two seconds of those whose clocks follow the load.
COUNTED = {
    "eager": 60,
    "resnet": 24,
    "gpt": 40,
}
COUNTED_STARTS = 3


def counts(folder: str) -> Results:
    """Bars, in the median of starts: as many GPU records as torch.profiler in as many steps, and
    GPU time within 1 %.

    Both record in one process, because kernels of one process differ from those of the next by up
    to 9 %. laptime is first: after torch.profiler had CUPTI, no other tool can have it.
    `their_ratios`: torch.profiler's time against its own in as many further steps. Two intervals of
    one process differ by that.
    """
    return {
        workload: compare_counts([compared(workload, folder, steps) for _ in range(COUNTED_STARTS)])
        for workload, steps in COUNTED.items()
    }


def compare_counts(starts: list[Results]) -> Results:
    entry: Results = {"problems": [each["problem"] for each in starts if "problem" in each]}
    answers = entry["answers"] = [each for each in starts if "problem" not in each]
    if answers:
        entry["counts_equal"] = all(each["records"] == each["their_records"] for each in answers)
        entry["time_ratios"] = [round(each["ns"] / max(1, each["their_ns"]), 4) for each in answers]
        entry["their_ratios"] = [
            round(each["their_ns"] / max(1, each["their_ns_again"]), 4) for each in answers
        ]
        entry["time_ratio"] = statistics.median(entry["time_ratios"])
    return entry


def compared(workload: str, folder: str, steps: int) -> Results:
    """Records and GPU time of one start, ours and theirs. The next start overwrites the file."""
    answer = record("gpu", workload, folder, steps, mode="compare")
    if "problem" in answer:
        return answer
    rows = [
        row for of_table in tables(answer["lap"], "kernels", "copies").values() for row in of_table
    ]
    ns, records = sum(row["total_ns"] for row in rows), sum(row["calls"] for row in rows)
    return {
        "steps": answer["steps"],
        "records": records,
        "their_records": answer["profiler"]["events"],
        "ns": ns,
        "their_ns": answer["profiler"]["ns"],
        "their_ns_again": answer["profiler_again"]["ns"],
        "bytes_per_record": round(answer["file_bytes"] / max(1, records), 2),
        "share_with_line": round(
            sum(row["total_ns"] for row in rows if row.get("line")) / max(1, ns), 4
        ),
    }


def lines(*workloads: str) -> Callable[[str], Results]:
    return lambda folder: compare_lines(folder, workloads)


def compare_lines(folder: str, workloads: tuple[str, ...]) -> Results:
    """Bars: 98 % of GPU time with a line; the same line with and without op records for 98 %."""
    result: Results = {}
    for workload in workloads:
        runs = {level: record(level, workload, folder) for level in ("gpu", "full")}
        entry: Results = {"problems": [r["problem"] for r in runs.values() if "problem" in r]}
        if not entry["problems"]:
            shares = {level: gpu_shares(run["lap"]) for level, run in runs.items()}
            entry["with_line"] = {
                level: round(sum(s for line, s in share.items() if line), 4)
                for level, share in shares.items()
            }
            entry["same_line"] = round(
                sum(min(s, shares["full"].get(line, 0)) for line, s in shares["gpu"].items()), 4
            )
            entry["largest"] = {
                level: sorted(
                    ((f"{line}", round(s, 4)) for line, s in share.items()), key=lambda p: -p[1]
                )[:12]
                for level, share in shares.items()
            }
        result[workload] = entry
    return result


def gpu_shares(lap: str) -> dict[Any, float]:
    """Share of GPU time by line; None: without one."""
    found = tables(lap, "kernels", "copies")
    sums: dict[Any, float] = {}
    for rows in found.values():
        for row in rows:
            line = f"{os.path.basename(row['file'])}:{row['line']}" if row.get("line") else None
            sums[line] = sums.get(line, 0) + row["total_ns"]
    total = sum(sums.values()) or 1
    return {line: ns / total for line, ns in sums.items()}


JAX = """
import jax, jax.numpy as jnp
f = jax.jit(lambda x: jnp.tanh(x @ x).sum())
x = jnp.ones((2048, 2048))
for _ in range(50):
    y = f(x)  # dispatch
y.block_until_ready()
"""


def jax_lines(folder: str) -> Results:
    """The share of JAX's GPU time that has a line: by the kernels' names, or because XLA launched
    on the program's own thread.
    """
    program, lap = os.path.join(folder, "jax_program.py"), os.path.join(folder, "jax.lap")
    with open(program, "w", encoding="utf-8") as file:
        file.write(JAX)
    done = subprocess.run(
        [os.environ["LAPTIME"], "run", "-q", "-o", lap, program],
        capture_output=True,
        text=True,
        timeout=150,
    )
    if done.returncode != 0:
        return {"problem": done.stderr[-600:]}
    trace = os.path.join(folder, "jax.json")
    subprocess.run(
        [os.environ["LAPTIME"], "export", lap, "--to", "chrome", "-o", trace],
        check=True,
        capture_output=True,
        timeout=60,
    )
    with open(trace, encoding="utf-8") as file:
        launches = collections.Counter(
            (e["tid"] == e["pid"], e["name"])
            for e in json.load(file)["traceEvents"]
            if e.get("cat") == "launch"
        )
    return {
        "shares": {f"{line}": round(share, 4) for line, share in gpu_shares(lap).items()},
        "dispatch": JAX.splitlines().index("    y = f(x)  # dispatch") + 1,
        "launches": {
            f"{name}, {'main' if main else 'other'} thread": count
            for (main, name), count in launches.items()
        },
    }


def cost(
    workload: str, levels: list[str], seconds: float, start_timeout: float = 100
) -> Callable[[str], Results]:
    return lambda folder: take_turns(levels, workload, folder, seconds, start_timeout)


def whole_reports(folder: str) -> Results:
    """What a user sees: reports of the other parts' runs."""
    result: Results = {}
    for level in ("gpu", "full"):
        lap = os.path.join(folder, f"record-eager-{level}.lap")
        if os.path.exists(lap):
            done = subprocess.run(
                [
                    os.environ["LAPTIME"],
                    "report",
                    lap,
                    "kernels",
                    "copies",
                    "syncs",
                    "streams",
                    "breakdown",
                    "lines",
                    "warnings",
                    "--top",
                    "12",
                ],
                capture_output=True,
                text=True,
                timeout=60,
            )
            result[level] = (done.stdout + done.stderr).splitlines()
    return result


EAGER = [
    "bare",
    "bare",
    "bare",
    "kernels",
    "gpu",
    "gpu",
    "full",
    "full",
    "everything",
    "everything",
    "rested",
    "finalized",
    "finalized",
    "profiler",
    "profiler_all",
]
PARTS: dict[str, Callable[[str], Results]] = {
    "machine": machine,
    "smoke": smoke,
    "cost_eager": cost("eager", EAGER, 55),
    "cost_all": cost(
        "eager", ["bare", "bare", "full", "shapes", "memory", "everything", "everything"], 40
    ),
    "counts": counts,
    "cost_run": cost(
        "eager", ["bare", "bare", "run_full", "run_full", "run_default", "run_default"], 25
    ),
    "lines": lines("eager", "gpt", "resnet"),
    "hard_lines": lines("views", "compile", "graphs"),
    "cost_gpt": cost("gpt", ["bare", "bare", "gpu", "full", "profiler"], 25),
    "cost_resnet": cost("resnet", ["bare", "bare", "gpu", "full", "profiler"], 20),
    "cost_compile": cost("compile", ["bare", "bare", "gpu", "full", "profiler"], 15, 150),
    "cost_graphs": cost("graphs", ["bare", "bare", "gpu", "full"], 15, 150),
    "cost_compiled": cost(
        "compiled", ["bare", "bare", "run_default", "run_default", "run_full", "run_full"], 70, 150
    ),
    "jax_lines": jax_lines,
    "reports": whole_reports,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "gpu.json"))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument(
        "--limit", type=float, default=420, help="seconds after which no further part begins"
    )
    options = parser.parse_args()
    os.environ.setdefault("LAPTIME", shutil.which("laptime") or "laptime")
    os.makedirs(os.path.dirname(os.path.abspath(options.out)), exist_ok=True)
    began = time.monotonic()
    results: Results = {}
    with tempfile.TemporaryDirectory(prefix="laptime-gpu-") as folder:
        for name in options.parts.split(","):
            started = time.monotonic()
            if started - began > options.limit:
                results[name] = {"problem": "no time left"}
                continue
            print(f"campaign: {name} …", file=sys.stderr, flush=True)
            try:
                results[name] = PARTS[name](folder)
            except Exception:
                results[name] = {"problem": traceback.format_exc()[-1500:]}
            results[name]["seconds"] = round(time.monotonic() - started, 1)
            with open(options.out, "w", encoding="utf-8") as file:
                json.dump(results, file, indent=1)
            print(json.dumps({name: brief(results[name])}), flush=True)
    return 0


def brief(result: Results) -> Results:
    """A part in a line or two: ratios and problems."""
    if "levels" in result:
        return {
            "rounds": result["rounds"],
            "seconds": result["seconds"],
            **{
                level: entry.get("ratio") or entry["problems"]
                for level, entry in result["levels"].items()
            },
        }
    text = json.dumps(result)
    return result if len(text) < 3000 else {"seconds": result.get("seconds"), "text": text[:3000]}


if __name__ == "__main__":
    sys.exit(main())
