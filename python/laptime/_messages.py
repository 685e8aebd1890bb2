"""Messages for the user from inside the user's program.

Contract: ``say`` never raises. A message never goes into the program's output or files. The program
may have closed stderr, or replaced ``sys.stderr`` by an object of its own. Under `laptime run` the
message goes directly to the process's stderr.
"""

from __future__ import annotations

import contextlib
import os
import sys

_RECORD_VARIABLE = "LAPTIME_RECORD"


def say(message: str) -> None:
    """Prints one line on stderr, with laptime's name before it."""
    # Names may hold lone surrogates.
    line = " ".join(message.split()).encode(errors="backslashreplace").decode()
    with contextlib.suppress(Exception):
        if _RECORD_VARIABLE in os.environ or sys.stderr is sys.__stderr__:
            from laptime._native import recording

            recording.say(line)
        elif sys.stderr is not None:  # with None, print would use stdout
            print(f"laptime: {line}", file=sys.stderr, flush=True)
