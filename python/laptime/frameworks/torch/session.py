"""Everything that is measured of torch in this process, from start to stop. Imports torch, so only
processes that have imported torch may import this.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

import torch

from laptime._native import recording
from laptime.collect.gc_spans import GcSpans
from laptime.collect.patches import Patches
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.step_session import StepSession
from laptime.frameworks.torch import children
from laptime.frameworks.torch.compile_events import watch_compilations
from laptime.frameworks.torch.event_cost import measure_event_cost
from laptime.frameworks.torch.hooks import install_hooks, install_worker_hooks
from laptime.frameworks.torch.intervals import Sums
from laptime.frameworks.torch.settings import Settings
from laptime.frameworks.torch.sources import NAME, load_sources, report_off
from laptime.frameworks.torch.step_source import StepSource

if TYPE_CHECKING:
    from laptime.frameworks.torch import Options

_SHORTEST_NS = 50_000_000
_INSTEAD = "use laptime.step() or --full (budget=None)"


class Session(StepSession):
    _steps: StepSource

    def __init__(self, options: Options) -> None:
        super().__init__(NAME, options["budget"], options["steps"])
        self._options = options
        self._patches = Patches()
        self._is_child = self._is_forked = self._in_worker = self._has_worker_hooks = (
            self._has_stopped
        ) = False
        self._gc = GcSpans()
        self._settings = Settings()
        self._steps = StepSource(
            self._new_schedule,
            lambda: load_sources(options),
            self._settings.optimizer_stepped,
            lambda: measure_event_cost(torch),
        )

    def start(self) -> None:
        recording.set_property("torch", torch.__version__)
        install_hooks(self._steps.hooks, self._patches)
        self._settings.install(self._patches)
        self._gc.install()
        self._take_marks()
        children.when_known(self, Session._begin_in_child)
        if children.is_known():
            self._begin_in_child(self._options["block"])
        elif not children.will_be_known():
            self._steps.load_sources()
            self._record_by_clock(self._options["block"])
        # after the sources, which configure whose code is the user's
        watch_compilations(self._patches)

    def stop(self, await_gpu: bool = False) -> None:
        """``await_gpu``: records what was launched until now, even if it is not done yet. An
        interruption leaves nothing on.
        """
        self._has_stopped = True
        with contextlib.ExitStack() as closing:
            closing.callback(self._steps.close)
            closing.callback(self._close_facts)
            closing.callback(self._patches.remove)
            closing.callback(self._gc.remove)
            self._leave_marks()
            if await_gpu and self._options["gpu"]:
                _await_gpu()

    def _close_facts(self) -> None:
        self._steps.finish()
        by_clock = self._steps.end_intervals()
        self._warn_if_no_steps(by_clock)
        self._warn_if_steps_stopped(by_clock)
        self._write_cost()
        self._settings.close(self._steps.cpu_shares.facts())

    def after_fork(self) -> None:
        self._engines_before = None
        self._is_child = self._is_forked = True
        self._steps.after_fork()
        if not children.is_forked_by_multiprocessing():
            self._begin_in_child()

    def _begin_in_child(self, at_once: bool = False) -> None:
        """Runs in a child whose purpose is known. An error must not end the child."""
        if self._has_stopped:
            return
        try:
            self._is_child = True
            self._in_worker = children.is_loader_worker()
            self._hook_worker()
            if not self._in_worker:
                self._steps.begin_in_child()
                self._record_by_clock(at_once)
        except Exception as error:
            if raised_by_handler(error):
                raise
            report_off("in a child", error)

    def _hook_worker(self) -> None:
        if self._in_worker:
            recording.begin_step()  # a forked child has no part to write to before its first record
            recording.set_property("loader_worker", 1)
        if not self._has_worker_hooks:
            self._has_worker_hooks = True
            install_worker_hooks(self._patches)

    def _record_by_clock(self, at_once: bool) -> None:
        """Records by the clock where no steps end. Not if the options choose the steps, or record
        all.
        """
        budget = self._options["budget"]
        if budget is not None and self._options["steps"] is None:
            self._steps.record_by_clock(budget, at_once, self._is_forked)

    def _warn_if_no_steps(self, by_clock: Sums) -> None:
        """Warns that no steps were found.

        Not in loader workers, in children that ended before the clock began, or in programs that
        did little more than import torch.
        """
        if self._in_worker or (self._is_child and not by_clock.recorded):
            return
        if not self._steps.found_no_steps() or time.perf_counter_ns() - self._began < _SHORTEST_NS:
            return
        names, clocked = self._steps.source_names(), self._steps.clocked_names
        missing = [name for name in names if name not in clocked]
        if not by_clock.recorded:
            recording.warn(
                "torch_no_steps", f"no steps found: no {' or '.join(names)} recorded; {_INSTEAD}"
            )
        elif by_clock.rested or missing:
            without = f", no {' or '.join(missing)}" if missing else ""
            recording.warn(
                "torch_intervals",
                f"no steps found: {' and '.join(clocked)} of parts of the time{without};"
                f" {_INSTEAD}",
            )

    def _warn_if_steps_stopped(self, by_clock: Sums) -> None:
        if self._steps.steps and by_clock.took_over:
            recording.warn(
                "torch_between_steps",
                "no step ended for three seconds and more:"
                f" {' and '.join(self._steps.clocked_names)} there of parts of the time, if any;"
                f" {_INSTEAD}",
                by_clock.took_over,
            )


def _await_gpu() -> None:
    """Waits for each GPU that the program uses. An error here belongs to the program, which will
    see it itself.
    """
    try:
        if torch.cuda.is_initialized() and not torch.cuda.is_current_stream_capturing():
            for device in range(torch.cuda.device_count()):
                if torch._C._cuda_hasPrimaryContext(device):
                    torch.cuda.synchronize(device)
    except Exception as error:
        if raised_by_handler(error):
            raise
