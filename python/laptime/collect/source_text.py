"""The text of the program's own files, for the run and for what is computed from it.

Contract: nothing changes for the program. Nothing is imported. linecache is read, but never filled.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import time
import tokenize

from laptime.collect.command_text import command_text

_LONGEST = 2 << 20  # bytes of a file (src/format/sources/source_text.h)


def _process_start() -> float:
    """The date when this process, or the one that it was forked from, started."""
    try:
        with open("/proc/self/stat", encoding="utf-8", errors="replace") as file:
            ticks = int(file.read().rpartition(")")[2].split()[19])
        age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):
        age = 0.0
    return time.time() - age


_DIRECTORY = os.getcwd() if os.path.isdir(".") else ""
_STARTED = _process_start()
_ANY_TIME = float("inf")


class _LeftOut(Exception):
    """The text is too long, or it is not what the process loaded."""


def read(file: str, loaded_just_now: bool) -> bytes | bool | None:
    """What the run stores: UTF-8 with ``\\n``. None: there is no text. False: it is left out.

    Assumption: a file that changed after the process started is what the process loaded only if it
    was loaded just now.
    """
    try:
        text = _text_of(file, _ANY_TIME if loaded_just_now else _STARTED)
    except _LeftOut:
        return False
    return None if text is None else text.encode("utf-8", "replace")


def text_of(file: str) -> str | None:
    """The present text."""
    try:
        return _text_of(file, _ANY_TIME)
    except _LeftOut:
        return None


def _text_of(file: str, latest_change: float) -> str | None:
    try:
        data: bytes | None = _bytes_in_file(os.path.join(_DIRECTORY, file), latest_change)
    except (OSError, ValueError):
        data = _bytes_in_archive(file)
    return _text_without_file(file) if data is None else _decoded(data)


def _bytes_in_file(path: str, latest_change: float) -> bytes:
    with io.FileIO(
        os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    ) as opened:
        status = os.fstat(opened.fileno())
        if not stat.S_ISREG(status.st_mode):
            raise OSError("not a plain file")
        if status.st_size > _LONGEST or status.st_mtime > latest_change:
            raise _LeftOut
        return opened.readall()


def _bytes_in_archive(file: str) -> bytes | None:
    """The bytes of a module that was imported from a zip file."""
    folder = os.path.dirname(file)
    while folder not in ("", os.sep):
        get_data = getattr(sys.path_importer_cache.get(folder), "get_data", None)
        if get_data is not None:
            try:
                return bytes(get_data(file))
            except OSError:
                return None
        folder = os.path.dirname(folder)
    return None


def _text_without_file(name: str) -> str | None:
    """The text of a notebook's cell, which has no file but has lines in linecache. Or the text of
    ``python -c``.
    """
    if name == "<string>":
        return command_text()
    linecache = sys.modules.get("linecache")
    entry = getattr(linecache, "cache", {}).get(name)
    return "".join(entry[2]) if entry is not None and len(entry) == 4 else None


def _decoded(data: bytes) -> str:
    try:
        encoding = tokenize.detect_encoding(io.BytesIO(data).readline)[0]
    except SyntaxError:  # an encoding that does not exist
        encoding = "utf-8"
    return data.decode(encoding, "replace").replace("\r\n", "\n").replace("\r", "\n")
