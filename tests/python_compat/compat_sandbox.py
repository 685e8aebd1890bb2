"""Runs programs under laptime's drop-ins and under the originals, each in a process and folder of
its own.
"""

import importlib.util
import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
# Without our environment: sys._base_executable is the environment's own on CPython 3.10.
BASE_PYTHON = os.path.join(
    sys.base_prefix, "bin", f"python{sys.version_info.major}.{sys.version_info.minor}"
)
CAN_READ_TOML = any(importlib.util.find_spec(name) for name in ("tomllib", "tomli"))


class Sandbox:
    def __init__(self, folder):
        self.folder = folder

    def write(self, name, source):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(source).lstrip("\n"))
        return path

    def python(self, *words, stdin="", code=0, env=None, timeout=120):
        """Runs the interpreter; `code`: the exit code that is expected, None: any."""
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith(("LINE_PROFILE", "LAPTIME_"))
        }
        result = subprocess.run(
            [sys.executable, *map(str, words)],
            cwd=self.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=timeout,
            env={**environment, "COLUMNS": "200", **(env or {})},
        )
        if code is not None:
            assert result.returncode == code, result.stdout + result.stderr
        return result


def recording_environment(folder, **options):
    """What `laptime run` gives a Python program, for one that the test starts itself; all lines are
    timed.
    """
    import laptime

    folder.mkdir()
    torch = {
        "ops": True,
        "shapes": False,
        "memory": False,
        "gpu": True,
        "steps": None,
        "block": False,
        "replace_profiler": False,
    }
    everything = {
        "lines": True,
        "functions": False,
        "budget": None,
        "include": [],
        "exclude": [],
        "source": True,
        "replace_profilers": False,
        "torch": torch,
        **options,
    }
    paths = [
        str(Path(laptime.__file__).parent / "_site"),
        *filter(None, [os.environ.get("PYTHONPATH")]),
    ]
    return {
        **os.environ,
        "LAPTIME_RECORD": str(folder),
        "LAPTIME_PYTHON": json.dumps(everything),
        "PYTHONPATH": os.pathsep.join(paths),
    }


def masked(text):
    """The text with everything that differs between two runs of the same thing taken out."""
    text = re.sub(r"/\S*/tmp\w+/", "TMP/", text)
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    text = re.sub(r"kernprof-(command|stdin)-\w+\.", r"kernprof-\1-X.", text)
    text = re.sub(r"(Total time: ).* s", r"\1T s", text)
    return "\n".join(_masked_row(line) for line in text.splitlines())


# Line, hits, time, per hit, share, source.
_ROW = re.compile(r"^(\s*\d+) +(\d+) +[\d.e+-]+ +[\d.e+-]+ +[\d.e+-]+(  .*|)$")


def _masked_row(line):
    row = _ROW.match(line)
    return (
        f"{row[1]} hits={row[2]}{row[3]}"
        if row
        else re.sub(r"^ *\d+\.\d\d seconds", "T seconds", line)
    )
