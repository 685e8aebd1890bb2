"""Programs that close descriptors which are not theirs and use the numbers again: no checkpoint
holds a byte of ours.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from campaign import Result
from progress import Progress
from reading import scope_calls

PROGRAM = Path(__file__).parent / "programs" / "closes_descriptors.py"


def close_once(laptime, seed, folder):
    """The checkpoints that were written, and None or what did not hold."""
    ended = subprocess.run(
        [laptime, "run", "-q", "-o", "run.lap", PROGRAM, str(seed), folder],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    if ended.returncode != 0:
        return 0, f"seed {seed}: exit code {ended.returncode}: {ended.stderr.strip()[-200:]}"
    files = [line.rsplit(" ", 1) for line in ended.stdout.splitlines()]
    for path, digest in files:
        if hashlib.sha256(Path(path).read_bytes()).hexdigest() != digest:
            return len(files), f"seed {seed}: {path} was changed"
    if scope_calls(laptime, folder / "run.lap")["work"] == 0:
        return len(files), f"seed {seed}: nothing was recorded"
    return len(files), None


def descriptors(laptimes, count):
    result = Result(
        "A file of the program never holds a byte of ours",
        "programs that close 20 random ranges of descriptors each and write a checkpoint into the"
        " freed numbers",
    )
    progress = Progress("descriptors", count)
    for seed in range(count):
        folder = Path(tempfile.mkdtemp(prefix="laptime-torture-"))
        try:
            result.add(close_once(laptimes[seed % len(laptimes)], seed, folder)[1])
        finally:
            shutil.rmtree(folder, ignore_errors=True)
        progress.step()
    return result
