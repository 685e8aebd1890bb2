"""The cache of compiled shims: a folder that only this user can change, or no folder.

Exactly the descriptor that was checked is loaded. Without a folder that can be trusted, a shim is
compiled in a folder of this process. After that it exists only as an open descriptor.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

from laptime._messages import say
from laptime.frameworks.torch import trusted_folder

Compile = Callable[[Path], None]  # writes the library into this new file

# By name: a descriptor of this process, and the file that it must be.
_own: dict[str, tuple[int, tuple[int, int]]] = {}


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(base) / "laptime"


def find(name: str) -> int | None:
    """A descriptor of the library, which the caller closes. None: there is none that can be
    trusted.
    """
    own, identity = _own.get(name, (-1, (0, 0)))
    try:
        if own >= 0 and _identity(own) == identity:  # otherwise the program closed it
            return os.dup(own)
        folder = trusted_folder.open_folder(cache_folder())
    except OSError:
        return None
    try:
        return trusted_folder.open_file(folder, name)
    except OSError:
        return None
    finally:
        os.close(folder)


def add(name: str, compile_into: Compile) -> int:
    """Compiles the library, keeps it, and returns a descriptor as ``find`` does. Raises OSError if
    there is no folder at all.
    """
    try:
        folder = cache_folder()
        os.close(trusted_folder.open_folder(folder, make=True))
        work = Path(tempfile.mkdtemp(prefix=".build-", dir=folder))
    except OSError as error:
        say(f"the op recorder is not kept for other processes: {error}")
        return _add_to_process(name, compile_into)
    try:
        return _compiled(work, name, compile_into, keep_in=folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _add_to_process(name: str, compile_into: Compile) -> int:
    work = _private_folder()
    try:
        descriptor = _compiled(work, name, compile_into)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    _own[name] = descriptor, _identity(descriptor)
    return os.dup(descriptor)


def _private_folder() -> Path:
    for base in (tempfile.gettempdir(), "/tmp", "/var/tmp", "/dev/shm"):
        try:
            work = Path(tempfile.mkdtemp(prefix="laptime-", dir=base))
        except OSError:
            continue
        try:
            os.close(trusted_folder.open_folder(work))
            return work
        except OSError:
            work.rmdir()
    raise OSError("there is no folder that others cannot change, to build the op recorder in")


def _compiled(work: Path, name: str, compile_into: Compile, keep_in: Path | None = None) -> int:
    draft = work / name
    compile_into(draft)
    draft.chmod(0o700)
    folder = trusted_folder.open_folder(work)
    try:
        descriptor = trusted_folder.open_file(folder, name)
    finally:
        os.close(folder)
    if keep_in is not None:
        os.replace(draft, keep_in / name)
    return descriptor


def _identity(descriptor: int) -> tuple[int, int]:
    status = os.fstat(descriptor)
    return status.st_dev, status.st_ino
