"""JAX's profiler gets CUPTI while it runs. JAX and the GPU are played here; tests/gpu has the real
ones.
"""

import inspect
import sys

import pytest
from laptime.collect import cuda
from laptime.frameworks.jax import profiler as ours

DEFINED = """
import contextlib
happened = []
def start_trace(log_dir, create_perfetto_link=False):
    happened.append(f"start {log_dir}")
    if log_dir == "bad":
        raise ValueError(log_dir)
def stop_trace():
    happened.append("stop")
def start_server(port):
    happened.append(f"serve {port}")
    return "server"
def stop_server():
    happened.append("close")
@contextlib.contextmanager
def trace(log_dir):
    start_trace(log_dir)
    try:
        yield
    finally:
        stop_trace()
"""


class Failing:
    """A list that has no room for the end."""

    def __init__(self, items):
        self._items = items

    def __iter__(self):
        return iter(self._items)

    def append(self, item):
        if item == "stop":
            raise OSError("disk full")
        self._items.append(item)


@pytest.fixture
def profiler(tmp_path, monkeypatch):
    """jax.profiler, made as JAX makes it, with a GPU that is recorded.

    What happens is in its list.
    """
    package = tmp_path / "jax"
    package.mkdir()
    (package / "defined.py").write_text(DEFINED)
    (package / "profiler.py").write_text("from jax.defined import *")
    (package / "__init__.py").write_text(
        "from jax import profiler\ndef local_devices(): return []\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    for name in [name for name in sys.modules if name.partition(".")[0] == "jax"]:
        monkeypatch.delitem(sys.modules, name)
    import jax

    happened, recorded = jax.profiler.happened, [True]

    def leave(_):
        happened.append("leave")
        recorded[0] = False
        return True

    def resume():
        happened.append("come back")
        recorded[0] = True

    monkeypatch.setattr(cuda, "is_capturing", lambda: recorded[0])
    monkeypatch.setattr(cuda, "leave", leave)
    monkeypatch.setattr(cuda, "resume", resume)
    yield jax.profiler
    for name in [name for name in sys.modules if name.partition(".")[0] == "jax"]:
        del sys.modules[name]


def test_the_gpu_is_left_while_it_runs(profiler, capfd):
    ours.make_way()
    with profiler.trace("first"):
        pass
    profiler.start_trace("second", create_perfetto_link=True)
    profiler.stop_trace()
    assert profiler.happened == [
        "leave",
        "start first",
        "stop",
        "come back",
        "leave",
        "start second",
        "stop",
        "come back",
    ]
    assert capfd.readouterr().err.count("laptime: jax.profiler takes the GPU") == 2
    assert list(inspect.signature(profiler.start_trace).parameters) == [
        "log_dir",
        "create_perfetto_link",
    ]


def test_a_server_may_start_it_at_any_time(profiler):
    ours.make_way()
    assert profiler.start_server(9999) == "server"
    with profiler.trace("t"):
        pass
    profiler.stop_server()
    assert profiler.happened == ["leave", "serve 9999", "start t", "stop", "close", "come back"]


def test_what_it_raises_it_raises(profiler):
    ours.make_way()
    with pytest.raises(ValueError, match="bad"):
        profiler.start_trace("bad")
    assert profiler.happened == ["leave", "start bad", "come back"]


def test_one_that_runs_already_goes_on(profiler):
    ours.make_way()
    profiler.start_trace("t")
    with pytest.raises(ValueError, match="bad"):
        profiler.start_trace("bad")
    profiler.stop_trace()
    assert profiler.happened == ["leave", "start t", "start bad", "stop", "come back"]


def test_a_stop_that_fails_is_one(profiler):
    profiler.stop_trace.__globals__["happened"] = failing = Failing(profiler.happened)
    ours.make_way()
    profiler.start_trace("t")
    with pytest.raises(OSError, match="disk full"):
        profiler.stop_trace()
    assert list(failing) == ["leave", "start t", "come back"]


def test_without_a_gpu_nothing_is_said(profiler, monkeypatch, capfd):
    monkeypatch.setattr(cuda, "is_capturing", lambda: False)
    ours.make_way()
    with profiler.trace("t"):
        pass
    assert profiler.happened == ["start t", "stop"] and capfd.readouterr().err == ""


def test_a_failure_of_ours_changes_nothing(profiler, monkeypatch, capfd):
    def fail():
        raise OSError("no library")

    monkeypatch.setattr(cuda, "is_capturing", fail)
    ours.make_way()
    with profiler.trace("t"):
        pass
    assert profiler.happened == ["start t", "stop"]
    assert capfd.readouterr().err == "laptime: jax.profiler: no library\n"
