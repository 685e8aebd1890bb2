"""Remembers which test stages passed with exactly the present files, so that they need not run
again.

Contract: a stage is remembered only if all of it passed. It depends on every file that git does not
ignore, the machine's packages, the interpreters, and the variables that control a build. If
anything else changes its result (a library in /usr/local), run it with RERUN=1.
"""

import hashlib
import os
import subprocess
from pathlib import Path

from interpreters import VERSIONS, find_python

ROOT = Path(__file__).resolve().parent.parent
PASSED = ROOT / "build" / "passed"
STEERING = (
    "CC",
    "CXX",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "PYTHON",
    "PYTHONPATH",
    "LAPTIME_BUILD",
    "LAPTIME_BIN",
)


def _add_files(digest):
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    ).stdout
    for name in sorted(set(listed.split(b"\0")) - {b""}):
        path = ROOT / os.fsdecode(name)
        digest.update(name + b"\0")
        if path.is_symlink():
            digest.update(os.fsencode(os.readlink(path)))
        elif path.is_file():
            digest.update(b"x" if os.access(path, os.X_OK) else b"-")
            digest.update(hashlib.sha256(path.read_bytes()).digest())


def _add_machine(digest):
    packages = Path("/var/lib/dpkg/status")
    if packages.exists():
        digest.update(hashlib.sha256(packages.read_bytes()).digest())
    for version in VERSIONS:
        digest.update(f"{version} {find_python(version)}\n".encode())
    for name in STEERING:
        digest.update(f"{name}={os.environ.get(name)}\n".encode())


def fingerprint():
    """A digest of everything that stages depend on. Without git: None, and nothing is kept."""
    digest = hashlib.sha256()
    try:
        _add_files(digest)
    except (OSError, subprocess.CalledProcessError):
        return None
    _add_machine(digest)
    return digest.hexdigest()


def recall(stage, current):
    """The summary of the stage's last run, if it passed with these files; else None."""
    try:
        known, summary = (PASSED / stage).read_text(encoding="utf-8").split("\n", 1)
    except (OSError, ValueError):
        return None
    return summary if current is not None and known == current else None


def remember(stage, current, summary):
    if current is not None:
        PASSED.mkdir(parents=True, exist_ok=True)
        (PASSED / stage).write_text(f"{current}\n{summary}", encoding="utf-8")


def forget(stage):
    (PASSED / stage).unlink(missing_ok=True)
