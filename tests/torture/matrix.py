"""Short programs bare and under `laptime run`, on every interpreter: the same exit code, output and
files.
"""

import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from campaign import Result
from matrix_programs import PROGRAMS
from progress import Progress

SIBLING = "value = 5\n"


def fresh(folder, source):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "sibling.py").write_text(SIBLING)
    (folder / "program.py").write_text(source + "\n")


def seen(words, folder):
    """What an onlooker sees of one run: how it ended, what it printed, what it left."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("LAPTIME")}
    ended = subprocess.run(
        words,
        cwd=folder,
        input="some input\n",
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    ours = ("run.lap", "__pycache__")
    files = sorted(
        str(p.relative_to(folder))
        for p in folder.rglob("*")
        if not str(p.relative_to(folder)).startswith(ours)
    )
    # A shell and `laptime run` say 128 + N of a program that a signal ended.
    code = 128 - ended.returncode if ended.returncode < 0 else ended.returncode
    stdout, stderr = (
        re.sub(r"0x[0-9a-f]+|pid=\d+", "NUMBER", text) for text in (ended.stdout, ended.stderr)
    )
    return {"exit code": code, "stdout": stdout, "stderr": stderr, "files": files}


def compare(python, source, folder):
    """None, or the first thing that differs."""
    fresh(folder, source)
    bare = seen([python, "program.py"], folder)
    fresh(folder, source)
    recorded = seen(
        [Path(python).parent / "laptime", "run", "-q", "-o", "run.lap", "program.py"], folder
    )
    for what, value in bare.items():
        if recorded[what] != value:
            return f"{what} {recorded[what]!r} instead of {value!r}"
    return None


def matrix(pythons):
    """`pythons`: by version."""
    result = Result(
        "A program ends, prints and writes as it does without us",
        f"runs of {len(PROGRAMS)} short programs on CPython {', '.join(pythons)}",
    )
    progress = Progress("matrix", len(PROGRAMS) * len(pythons))
    base = Path(tempfile.mkdtemp(prefix="laptime-torture-"))
    for version, python in pythons.items():
        for name, source in PROGRAMS.items():
            different = compare(python, source, base / "here")
            result.add(different and f"{name}, CPython {version}: {different}")
            progress.step()
    shutil.rmtree(base, ignore_errors=True)
    return result
