"""The cache of compiled op recorders holds against other users: what they can change is never
loaded.
"""

import contextlib
import os
import shutil
import signal
import tempfile
import time
from pathlib import Path

import pytest
from laptime.frameworks.torch import shim_cache, trusted_folder

NAME = "shim.so"
NOBODY = 65534
OURS, EVIL = b"ours", b"evil"

needs_root = pytest.mark.skipif(
    os.getuid() != 0, reason="needs root, for a process of another user"
)


@pytest.fixture
def folder():
    """One that other users reach, unlike tmp_path."""
    made = Path(tempfile.mkdtemp(dir="/tmp"))
    made.chmod(0o755)
    yield made
    shutil.rmtree(made)


@pytest.fixture(autouse=True)
def cache(folder, monkeypatch):
    base = folder / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(base))
    monkeypatch.setattr(shim_cache, "_own", {})
    return base / "laptime"


def put(folder, content=OURS):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / NAME).write_bytes(content)


def content(descriptor):
    """As the loader reads it: by the name that it gets."""
    with contextlib.closing(os.fdopen(descriptor)):
        return Path(f"/proc/self/fd/{descriptor}").read_bytes()


def found():
    descriptor = shim_cache.find(NAME)
    return None if descriptor is None else content(descriptor)


def add(built=OURS):
    return content(shim_cache.add(NAME, lambda path: path.write_bytes(built)))


def test_what_was_added_is_found(cache):
    assert found() is None
    assert add() == found() == OURS
    assert [path.name for path in cache.iterdir()] == [NAME]
    assert cache.stat().st_mode & 0o777 == cache.parent.stat().st_mode & 0o777 == 0o700


def test_a_failed_build_leaves_nothing(cache):
    def fail(path):
        path.write_bytes(b"half")
        raise OSError("no compiler")

    with pytest.raises(OSError, match="no compiler"):
        shim_cache.add(NAME, fail)
    assert list(cache.iterdir()) == []


@pytest.mark.parametrize("mode", [0o777, 0o757, 0o1777])
def test_a_folder_that_others_may_write(cache, mode, capfd):
    put(cache, EVIL)
    cache.chmod(mode)
    assert found() is None
    assert add() == OURS
    assert (cache / NAME).read_bytes() == EVIL  # left alone
    assert "not kept" in capfd.readouterr().err
    assert found() == OURS  # of this process


@pytest.mark.parametrize("mode", [0o777, 0o757])
def test_a_parent_that_others_may_write(cache, mode):
    put(cache, EVIL)
    cache.parent.chmod(mode)
    assert found() is None and add() == OURS


def test_a_sticky_parent_is_trusted(cache):
    put(cache)
    cache.parent.chmod(0o1777)
    assert found() == OURS


def test_a_library_that_others_may_write(cache):
    put(cache, EVIL)
    (cache / NAME).chmod(0o666)
    assert found() is None
    assert add() == found() == OURS  # replaced


def test_links_are_not_followed(cache, folder):
    put(folder / "elsewhere", EVIL)
    cache.parent.mkdir()
    cache.symlink_to(folder / "elsewhere")
    assert found() is None
    cache.unlink()
    cache.mkdir()
    (cache / NAME).symlink_to(folder / "elsewhere" / NAME)
    assert found() is None
    assert add() == found() == OURS
    assert (folder / "elsewhere" / NAME).read_bytes() == EVIL


def test_an_own_link_on_the_way_is_followed(cache, folder):
    put(folder / "disk" / "laptime")
    cache.parent.symlink_to("disk")
    assert found() == OURS


def test_a_circle_of_links_ends(cache):
    cache.parent.symlink_to(cache.parent)
    assert found() is None


def test_what_is_no_plain_file(cache):
    cache.mkdir(parents=True)
    os.mkfifo(cache / NAME)
    assert found() is None


@needs_root
@pytest.mark.parametrize("which", ["library", "folder", "parent", "link"])
def test_what_belongs_to_another_user(cache, folder, which):
    put(cache, EVIL)
    if which == "link":
        shutil.move(cache.parent, folder / "disk")
        cache.parent.symlink_to("disk")
    owned = {
        "library": cache / NAME,
        "folder": cache,
        "parent": cache.parent,
        "link": cache.parent,
    }[which]
    os.chown(owned, NOBODY, NOBODY, follow_symlinks=False)
    assert found() is None
    assert add() == OURS


def test_without_a_cache_a_closed_descriptor_is_no_library(cache, tmp_path):
    cache.parent.write_text("no folder")
    assert add() == found() == OURS
    own, _ = shim_cache._own[NAME]
    os.close(own)
    assert found() is None
    (tmp_path / "other").write_bytes(EVIL)
    with open(tmp_path / "other", "rb") as other:
        os.dup2(other.fileno(), own)
        assert found() is None
        os.close(own)


def test_a_folder_that_is_not_there_is_not_made_by_looking(cache):
    with pytest.raises(FileNotFoundError):
        trusted_folder.open_folder(cache)
    assert not cache.parent.exists()


@contextlib.contextmanager
def attacker(shared, targets):
    """Another user's process, which leads `laptime` in a folder that all may write now to one
    target, now to the other.
    """
    process = os.fork()
    if process == 0:
        try:
            os.setgroups([])
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            while True:
                for target in targets:
                    os.symlink(target, shared / "next")
                    os.rename(shared / "next", shared / "laptime")
        finally:
            os._exit(1)
    try:
        yield
        assert os.waitpid(process, os.WNOHANG) == (0, 0), "the attacker ended"
    finally:
        os.kill(process, signal.SIGKILL)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(process, 0)


def loaded_by_name(path):
    """As one would do it: looks whose the file is, and opens it."""
    with contextlib.suppress(OSError):
        if path.stat().st_uid == path.parent.stat().st_uid == os.getuid():
            return path.read_bytes()
    return None


@needs_root
def test_a_folder_that_another_user_swaps_while_it_is_loaded(folder, monkeypatch):
    shared, own = folder / "shared", folder / "attacker"
    put(folder / "victim")
    put(own, EVIL)
    os.chown(own, NOBODY, NOBODY)
    os.chown(own / NAME, NOBODY, NOBODY)
    shared.mkdir()
    shared.chmod(0o777)
    monkeypatch.setenv("XDG_CACHE_HOME", str(shared))
    with attacker(shared, [folder / "victim", own]):
        deadline, won = time.monotonic() + 30, 0
        while won == 0 and time.monotonic() < deadline:
            won += loaded_by_name(shared / "laptime" / NAME) == EVIL
        assert won, "the attacker never won against a check by name, so this proves nothing"
        assert all(found() in (None, OURS) for _ in range(2000))
        assert add() == OURS
