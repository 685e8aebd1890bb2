"""``ticks.py FILE SCRIPT [ARGUMENT…]``: runs the script and writes into FILE when each of its
optimizer steps ended.

FILE: the count, then one time for each step, as 8-byte integers of ``time.perf_counter_ns``. If
there are several ranks, the first one writes.
"""

from __future__ import annotations

import mmap
import os
import runpy
import struct
import sys
import time
from pathlib import Path

MOST = 2_000_000
BYTES = 8 * (MOST + 1)


def watch(path: str) -> None:
    from torch.optim.optimizer import register_optimizer_step_post_hook

    with open(path, "w+b") as file:
        file.truncate(BYTES)
        memory = mmap.mmap(file.fileno(), BYTES)
    count = 0

    def tick(*_: object) -> None:
        nonlocal count
        if count < MOST:
            count += 1
            struct.pack_into("=q", memory, 8 * count, time.perf_counter_ns())
            struct.pack_into("=q", memory, 0, count)

    register_optimizer_step_post_hook(tick)


def read(path: Path) -> list[int]:
    """The times so far."""
    if not path.exists() or path.stat().st_size < BYTES:
        return []
    with path.open("rb") as file:
        count = struct.unpack("=q", file.read(8))[0]
        return list(struct.unpack(f"={count}q", file.read(8 * count)))


if __name__ == "__main__":
    if os.environ.get("RANK", "0") == "0":
        watch(sys.argv[1])
    sys.argv = sys.argv[2:]
    sys.path[0] = str(Path(sys.argv[0]).parent)
    runpy.run_path(sys.argv[0], run_name="__main__")
