"""How much of a processor the stepping thread had, while it waited for batches and besides, and how many others ran: from the first
recorded steps, told once at the end. It decides what workers would bring: a dataset that computes needs a processor that is free.

Costs some 2 µs in each of these steps, and in every fourth 10 more; nothing in any other.
"""

from __future__ import annotations

import os
from statistics import fmean, median
from time import perf_counter_ns, thread_time_ns

from laptime._torch.setting_facts import Facts, usable_cpus

_MOST = 256  # waits looked at
_COUNTED = 4  # in every so many of them others are counted


class CpuShares:
    """Contract: told only of steps that are recorded, by one thread."""

    def __init__(self) -> None:
        self._input: list[float] = []
        self._besides: list[float] = []
        self._running: list[int] = []
        self._cpu = self._wall = 0
        self._has_machine = usable_cpus() == os.cpu_count()

    def asked(self) -> None:
        """The program asks for a batch."""
        if len(self._input) < _MOST:
            self._begin()

    def came(self) -> None:
        """It has come."""
        if self._wall:
            self._end(self._input)
            if self._has_machine and len(self._input) % _COUNTED == 0:
                self._count_running()
            self._begin()

    def ended(self) -> None:
        """The step is over."""
        if self._wall:
            self._end(self._besides)

    def facts(self) -> Facts:
        """Medians, because a step may have been stopped for long; of the others the mean."""
        facts = {}
        for key, shares in (("input_cpu", self._input), ("step_cpu", self._besides)):
            if shares:
                facts[key] = f"{median(shares):.3f}"
        if self._running:
            facts["running"] = f"{fmean(self._running):.2f}"
        return facts

    def _begin(self) -> None:
        self._cpu, self._wall = thread_time_ns(), perf_counter_ns()

    def _end(self, shares: list[float]) -> None:
        cpu, wall = thread_time_ns() - self._cpu, perf_counter_ns() - self._wall
        self._wall = 0
        if wall > 0:
            shares.append(min(1.0, cpu / wall))

    def _count_running(self) -> None:
        """All threads of the machine that run or could, this one included: they share its processors if the process may use them all."""
        try:
            with open("/proc/loadavg", encoding="ascii") as file:
                self._running.append(int(file.read().split()[3].split("/")[0]))
        except (OSError, ValueError, IndexError):
            pass
