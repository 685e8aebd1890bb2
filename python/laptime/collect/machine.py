"""What a program's settings depend on: the processors that it may use, and their instructions."""

from __future__ import annotations

import os
from pathlib import Path


def usable_cpus() -> int:
    """The processors by affinity and, in a container, by quota."""
    cpus = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    quota = _quota()
    return min(cpus, max(1, round(quota))) if quota else cpus


def bfloat16_instructions() -> str:
    """The CPU's instructions for bfloat16 products. Empty if it has none."""
    try:
        flags = next(
            line
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("flags")
        ).split()
    except (OSError, StopIteration):
        return ""
    return next((flag for flag in ("amx_bf16", "avx512_bf16") if flag in flags), "")


def _quota() -> float | None:
    for limit, period in (
        ("/sys/fs/cgroup/cpu.max", None),
        ("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "/sys/fs/cgroup/cpu/cpu.cfs_period_us"),
    ):
        try:
            words = Path(limit).read_text().split() + (
                Path(period).read_text().split() if period else []
            )
            if float(words[0]) > 0:
                return float(words[0]) / float(words[1])
        except (OSError, ValueError, IndexError):  # "max", or no such file: no limit
            continue
    return None
