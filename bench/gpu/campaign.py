"""The GPU's figures, each beside its bar: ``campaign.py [--out FILE] [--parts a,b] [--limit SECONDS]``.

Each part runs in processes of its own under a time limit; what is done is written to the JSON file at once, so that a part that
fails, hangs or comes too late takes nothing else with it. Needs an NVIDIA GPU, PyTorch, and laptime importable.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from typing import Any

from lockstep import HERE, take_turns

Results = dict[str, Any]


def record(level: str, workload: str, folder: str, steps: int = 20, timeout: float = 150) -> Results:
    """One process that runs `steps` steps at a level; what it told, with its file's path and its last words."""
    lap = os.path.join(folder, f"record-{workload}-{level}.lap")
    command = [sys.executable, os.path.join(HERE, "child.py"), "record", level, workload, lap]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, env={**os.environ, "STEPS": str(steps)})
    except subprocess.TimeoutExpired:
        return {"problem": f"longer than {timeout} s"}
    lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or not lines:
        return {"problem": f"exit {done.returncode}: {done.stderr[-1500:]}"}
    return {**json.loads(lines[-1]), "lap": lap, "stderr": done.stderr[-600:],
            "file_bytes": os.path.getsize(lap) if os.path.exists(lap) else None}


def tables(lap: str, *names: str) -> dict[str, list[dict[str, Any]]]:
    """Tables of a run as rows of names and values."""
    done = subprocess.run([os.environ["LAPTIME"], "report", lap, *names, "--json"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise RuntimeError(done.stderr.strip())
    return {table["name"]: [dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]]
            for table in json.loads(done.stdout)["tables"]}


def machine(_: str) -> Results:
    import torch

    smi = shutil.which("nvidia-smi")
    driver = subprocess.run([smi, "--query-gpu=name,driver_version", "--format=csv,noheader"], capture_output=True, text=True).stdout.strip() if smi else ""
    return {"date": datetime.date.today().isoformat(), "python": platform.python_version(), "torch": torch.__version__, "cuda": torch.version.cuda,
            "gpu": driver, "cpus": os.cpu_count()}


def smoke(folder: str) -> Results:
    return {level: record(level, "eager", folder, steps=10) for level in ("kernels", "gpu", "full", "finalized")}


def counts(folder: str) -> Results:
    """Bars: as many GPU records as torch.profiler on the same steps, and GPU time within 1 %."""
    result: Results = {}
    for workload in ("eager", "resnet", "gpt"):
        ours, theirs = record("gpu", workload, folder), record("profiler", workload, folder)
        entry: Results = {"laptime": ours, "profiler": {k: v for k, v in theirs.items() if k != "by_name"}}
        if "lap" in ours and "events" in theirs:
            entry["counts"] = [ours["records"], theirs["events"]]
            entry["bytes_per_record"] = round(ours["file_bytes"] / max(1, ours["records"]), 2)
            entry |= compare_kernels(ours["lap"], theirs)
        result[workload] = entry
    return result


def compare_kernels(lap: str, theirs: Results) -> Results:
    try:
        found = tables(lap, "kernels", "copies")
    except Exception as error:
        return {"tables": f"{error}"[:300]}
    ns = sum(row["total_ns"] for rows in found.values() for row in rows)
    lined = sum(row["total_ns"] for rows in found.values() for row in rows if row.get("line"))
    return {"ns": [ns, theirs["ns"]], "time_ratio": round(ns / max(1, theirs["ns"]), 4), "share_with_line": round(lined / max(1, ns), 4)}


def lines(folder: str) -> Results:
    """Bars: 98 % of GPU time with a line; the same line with and without op records for 98 %."""
    result: Results = {}
    for workload in ("eager", "gpt", "resnet", "views", "compile", "graphs"):
        runs = {level: record(level, workload, folder) for level in ("gpu", "full")}
        entry: Results = {"problems": [r["problem"] for r in runs.values() if "problem" in r]}
        if not entry["problems"]:
            shares = {level: gpu_shares(run["lap"]) for level, run in runs.items()}
            entry["with_line"] = {level: round(sum(s for line, s in share.items() if line), 4) for level, share in shares.items()}
            entry["same_line"] = round(sum(min(s, shares["full"].get(line, 0)) for line, s in shares["gpu"].items()), 4)
            entry["largest"] = {level: sorted(((f"{line}", round(s, 4)) for line, s in share.items()), key=lambda p: -p[1])[:12]
                                for level, share in shares.items()}
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


def cost(workload: str, levels: list[str], seconds: float, start_timeout: float = 100) -> Callable[[str], Results]:
    return lambda folder: take_turns(levels, workload, folder, seconds, start_timeout)


def whole_reports(folder: str) -> Results:
    """What a user sees: reports of the runs that other parts left."""
    result: Results = {}
    for level in ("gpu", "full"):
        lap = os.path.join(folder, f"record-eager-{level}.lap")
        if os.path.exists(lap):
            done = subprocess.run([os.environ["LAPTIME"], "report", lap, "kernels", "copies", "syncs", "streams", "breakdown", "lines", "losses", "--top", "12"],
                                  capture_output=True, text=True, timeout=60)
            result[level] = (done.stdout + done.stderr).splitlines()
    return result


EAGER = ["bare", "bare", "bare", "kernels", "gpu", "gpu", "full", "full", "everything", "rested", "finalized", "finalized", "profiler", "profiler_all"]
PARTS: dict[str, Callable[[str], Results]] = {
    "machine": machine,
    "smoke": smoke,
    "cost_eager": cost("eager", EAGER, 55),
    "counts": counts,
    "cost_run": cost("eager", ["bare", "bare", "run_full", "run_full", "run_default", "run_default"], 25),
    "lines": lines,
    "cost_gpt": cost("gpt", ["bare", "bare", "gpu", "full", "profiler"], 25),
    "cost_resnet": cost("resnet", ["bare", "bare", "gpu", "full", "profiler"], 20),
    "cost_compile": cost("compile", ["bare", "bare", "gpu", "full", "profiler"], 15, 150),
    "cost_graphs": cost("graphs", ["bare", "bare", "gpu", "full"], 15, 150),
    "reports": whole_reports,
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", default=os.path.join(HERE, "..", "results", "gpu.json"))
    parser.add_argument("--parts", default=",".join(PARTS))
    parser.add_argument("--limit", type=float, default=420, help="seconds after which no further part begins")
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
        return {"rounds": result["rounds"], "seconds": result["seconds"],
                **{level: entry.get("ratio") or entry["problems"] for level, entry in result["levels"].items()}}
    text = json.dumps(result)
    return result if len(text) < 3000 else {"seconds": result.get("seconds"), "text": text[:3000]}


if __name__ == "__main__":
    sys.exit(main())
