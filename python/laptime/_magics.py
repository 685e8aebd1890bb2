"""IPython's %lap and %%lap: times the user's own code by line, without naming functions."""

from __future__ import annotations

from typing import Any

from IPython.core.magic import Magics, line_cell_magic, magics_class
from IPython.utils.ipstruct import Struct

from laptime._recording import Recording
from laptime.collect import engine
from laptime.compat.line_profiler.stats import LineStats


@magics_class
class LapMagics(Magics):
    shell: Any

    @line_cell_magic
    def lap(self, line: str, cell: str | None = None) -> None:
        """Run a statement (%lap) or a cell (%%lap) and show the lines where its time went, in all
        code of yours that ran.

        -o <file>: record into this .lap file too
        -n <number>: how many functions to show, the most expensive last (default 5)
        -u <unit>: unit of the times in seconds (default 1e-06)
        """
        options, statement = self.parse_options(line, "o:n:u:", posix=False)
        options.merge(Struct(o=None, n=5, u=1e-6))
        code = cell if cell is not None else statement
        before = engine.snapshot_lines()
        recording = Recording(options.o, budget=None) if options.o else None
        if recording:
            recording.start()
        else:
            engine.start(lines=True)
        try:
            result = self.shell.run_cell(code)
        finally:
            if recording:
                recording.stop()
            else:
                engine.stop(lines=True)
        if result.error_before_exec is None:
            _shown(engine.snapshot_lines(), before, options).print(
                output_unit=float(options.u), sort=True
            )


def _shown(now: dict[Any, Any], before: dict[Any, Any], options: Any) -> LineStats:
    timings = {}
    for key, rows in now.items():
        old = {line: (hits, time) for line, hits, time, _ in before.get(key, ())}
        added = [
            (line, hits - old.get(line, (0, 0))[0], time - old.get(line, (0, 0))[1])
            for line, hits, time, _ in rows
        ]
        kept = sorted((line, hits, time) for line, hits, time in added if line and hits > 0)
        if kept:
            timings[key] = kept
    dearest = sorted(timings, key=lambda key: sum(time for _, _, time in timings[key]))[
        -int(options.n) :
    ]
    return LineStats({key: timings[key] for key in dearest}, 1e-9)
