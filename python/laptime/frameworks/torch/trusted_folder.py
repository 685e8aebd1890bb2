"""Folders whose content only this user and root can change, and plain files in them.

Contract: every folder of the path is checked through its descriptor, from the root on. So no other
user can replace one in between. The folder itself and the files in it are no links. A link in the
path is followed only if this user or root made it.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections import deque
from pathlib import Path

_MOST_LINKS = 40


class Untrusted(OSError):
    """Others may change the content. The message names the reason in one line."""


def open_folder(path: Path, make: bool = False) -> int:
    """A descriptor of the folder. Raises Untrusted, or OSError if there is no such folder.
    ``make``: creates the missing folders of the path.
    """
    absolute = Path(os.path.abspath(path))
    return _walk(deque(absolute.parts[1:]), absolute, make)


def open_file(folder: int, name: str) -> int:
    """A descriptor of a plain file in the folder that only this user or root can change."""
    descriptor = os.open(
        name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=folder
    )
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode) or not _is_ours(status) or _others_write(status):
            raise Untrusted(f"{name} can be changed by others")
        return descriptor
    except BaseException:
        os.close(descriptor)
        raise


def _walk(left: deque[str], path: Path, make: bool) -> int:
    links = 0
    folder = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        while left:
            name = left.popleft()
            entry = _entry(folder, name, make)
            status = os.fstat(entry)
            if stat.S_ISLNK(status.st_mode):
                links += 1
                target = _target(entry, status, path, is_last=not left or links > _MOST_LINKS)
                left.extendleft(reversed(Path(target).parts))
                if not target.startswith("/"):
                    continue
                left.popleft()
                entry = os.open("/", os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
            else:
                _check(entry, status, name, path, is_last=not left)
            os.close(folder)
            folder = entry
        return folder
    except BaseException:
        os.close(folder)
        raise


def _entry(folder: int, name: str, make: bool) -> int:
    if make:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, 0o700, dir_fd=folder)
    return os.open(name, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder)


def _target(link: int, status: os.stat_result, path: Path, is_last: bool) -> str:
    try:
        if is_last or not _is_ours(status):
            raise Untrusted(f"{path} leads over a link")
        return os.readlink("", dir_fd=link)
    finally:
        os.close(link)


def _check(entry: int, status: os.stat_result, name: str, path: Path, is_last: bool) -> None:
    # The sticky bit: others cannot replace our files in it.
    sticky = bool(status.st_mode & stat.S_ISVTX) and not is_last
    if stat.S_ISDIR(status.st_mode) and _is_ours(status) and (sticky or not _others_write(status)):
        return
    os.close(entry)
    if not stat.S_ISDIR(status.st_mode):
        raise NotADirectoryError(f"{path}: {name} is no folder")
    raise Untrusted(f"{path}: others can change {name}")


def _is_ours(status: os.stat_result) -> bool:
    return status.st_uid in (0, os.getuid())


def _others_write(status: os.stat_result) -> bool:
    if status.st_mode & stat.S_IWOTH:
        return True
    return bool(status.st_mode & stat.S_IWGRP) and not _is_private_group(status.st_gid)


def _is_private_group(number: int) -> bool:
    """Many systems give each user a group of the same name, and make folders that this group may
    write.
    """
    import grp
    import pwd

    try:
        group, name = grp.getgrgid(number), pwd.getpwuid(os.getuid()).pw_name
    except KeyError:
        return False
    return group.gr_name == name and set(group.gr_mem) <= {name}
