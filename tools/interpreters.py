"""The CPythons that laptime supports: where this machine has them, and an environment with laptime
for each.
"""

import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VERSIONS = ["3.10", "3.11", "3.12", "3.13"]


def find_python(version):
    """The interpreter of that version, from pyenv's folder or the PATH, or None."""
    pyenv = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"), reverse=True)
    for candidate in [*pyenv, f"python{version}"]:
        try:
            probe = subprocess.run(
                [candidate, "-c", "import sys, ensurepip; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
            )
        except OSError:
            continue
        if probe.stdout.strip() == version:
            return candidate
    return None


def prepare_environment(name, interpreter, run, *locks):
    """The python of build/venv-NAME with laptime and the locked packages, or None.
    `run(*command)` returns whether it succeeded. `locks`: besides requirements.lock.
    """
    venv = Path("build") / f"venv-{name}"
    python = venv / "bin" / "python"
    if not (ROOT / python).exists() and not run(interpreter, "-m", "venv", venv):
        return None
    return (
        python
        if run("tools/pip_sync", venv, *locks) and run("tools/install_package", venv)
        else None
    )
