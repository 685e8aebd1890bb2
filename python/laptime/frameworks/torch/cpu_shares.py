"""How much processor time the stepping thread had, measured in the first recorded steps.

It measures four things:

- the share in which the thread had a processor while it waited for a batch
- the same share in the rest of a step
- how many processors the process had in the rest of a step
- how many threads of the machine ran

The results are written once, at the end. They decide what loader workers would gain: a dataset that
computes needs a free processor. They also show whether ops have more threads than there are
processors.

It costs about 3 µs in each of these steps, 10 µs more in every fourth, and nothing in later steps.
"""

from __future__ import annotations

import os
from statistics import fmean, median
from time import perf_counter_ns, process_time_ns, thread_time_ns

from laptime.collect.machine import usable_cpus
from laptime.frameworks.torch.setting_facts import Facts

_MOST = 256  # waits that are measured
_COUNTED = 4  # running threads are counted in one wait of so many


class CpuShares:
    """Contract: one thread calls these methods, and only in recorded steps."""

    def __init__(self) -> None:
        self._input: list[float] = []
        self._besides: list[float] = []
        self._used: list[float] = []
        self._running: list[int] = []
        self._cpu = self._process = self._wall = 0
        self._has_loader = False
        self._has_machine = usable_cpus() == os.cpu_count()

    def requested(self) -> None:
        """The program requests a batch."""
        self._has_loader = True
        if len(self._input) < _MOST:
            self._begin()

    def received(self) -> None:
        """The batch has arrived."""
        if self._wall:
            self._end(self._input)
            self._count_some(self._input)
            self._begin()

    def ended(self) -> None:
        """The step has used its batch."""
        if self._wall:
            self._end(self._besides, self._used)

    def step_began(self) -> None:
        """Without a loader the whole step counts as one part."""
        if not self._has_loader and len(self._besides) < _MOST:
            self._begin()

    def step_ended(self) -> None:
        if self._wall and not self._has_loader:
            self._end(self._besides, self._used)
            self._count_some(self._besides)

    def facts(self) -> Facts:
        """Medians, because a step may have been stopped for long; of the others the mean."""
        facts: Facts = {}
        for key, shares in (("input_cpu", self._input), ("step_cpu", self._besides)):
            if shares:
                facts[key] = round(median(shares), 3)
        if self._used:
            facts["step_cpus"] = round(median(self._used), 2)
        if self._running:
            facts["running"] = round(fmean(self._running), 2)
        return facts

    def _begin(self) -> None:
        self._process, self._cpu, self._wall = (
            process_time_ns(),
            thread_time_ns(),
            perf_counter_ns(),
        )

    def _end(self, shares: list[float], used: list[float] | None = None) -> None:
        cpu, wall = thread_time_ns() - self._cpu, perf_counter_ns() - self._wall
        self._wall = 0
        if wall <= 0:
            return
        shares.append(min(1.0, cpu / wall))
        if used is not None:
            used.append((process_time_ns() - self._process) / wall)

    def _count_some(self, shares: list[float]) -> None:
        if self._has_machine and len(shares) % _COUNTED == 0:
            self._count_running()

    def _count_running(self) -> None:
        """Counts the threads of the machine that run or are ready to run, this one included.

        They share the processors of this process only if it may use all of them.
        """
        try:
            with open("/proc/loadavg", encoding="ascii") as file:
                self._running.append(int(file.read().split()[3].split("/")[0]))
        except (OSError, ValueError, IndexError):
            pass
