"""Lines of ours for the user, from inside of the user's program.

Contract: ``say`` raises nothing, and a line never goes into the program's output or files. The
program may have closed stderr, or lead ``sys.stderr`` to an object of its own: under `laptime run`
the line goes to the process's stderr itself.
"""

from __future__ import annotations

import contextlib
import os
import sys

_RECORD_VARIABLE = "LAPTIME_RECORD"


def say(message: str) -> None:
    """One line on stderr, with our name before it."""
    line = (
        " ".join(message.split()).encode(errors="backslashreplace").decode()
    )  # names may hold lone surrogates
    with contextlib.suppress(Exception):
        if _RECORD_VARIABLE in os.environ or sys.stderr is sys.__stderr__:
            from laptime._native import recording

            recording.say(line)
        elif (
            sys.stderr is not None
        ):  # a notebook, a test: print would take stdout where this is None
            print(f"laptime: {line}", file=sys.stderr, flush=True)
