"""Where a thread stands, as other collectors ask for it: the innermost line of the user's code,
without the GIL.
"""

import ctypes
import threading

import pytest
from laptime._native import recording, torch_ops
from laptime.collect.engine import library_paths


def nothing(): ...


@pytest.fixture
def call_site_here(tmp_path):
    """Returns the call site of its caller, a number that is the same for the same line."""
    assert recording.start(str(tmp_path / "run.lap")) == ""
    torch_ops.configure(
        library_paths=library_paths(),
        include=["*test_call_sites.py", "*.cell"],
        exclude=[],
        module_call=nothing.__code__,
        module_type=type,
    )
    yield ctypes.CFUNCTYPE(ctypes.c_uint32)(torch_ops.call_site_function())
    recording.stop()


def defined(blank, call_site_here):
    """A function whose line that requests its call site is number `blank` + 2."""
    own = {"call_site_here": call_site_here}
    exec(
        compile("\n" * blank + "def f():\n    return call_site_here()\n", "notebook.cell", "exec"),
        own,
    )
    return own.pop("f")  # else the two would keep each other alive


def test_a_function_defined_again_has_its_own_call_site_also_where_it_takes_the_memory_of_another(
    call_site_here,
):
    first, addresses = [], set()
    for blank in range(60):
        f = None  # gone before the next
        f = defined(blank, call_site_here)
        addresses.add(id(f.__code__))
        first.append(f())
    assert len(addresses) < 60, "the case that this is about"
    assert 0 not in first and len(set(first)) == 60
    assert [defined(blank, call_site_here)() for blank in range(60)] == first


def test_lines_and_threads(call_site_here):
    def two():
        return call_site_here(), call_site_here()

    def three():
        return (
            call_site_here(),
            call_site_here(),
        )

    assert len(set(two())) == 1 and len(set(three())) == 2
    found = []
    thread = threading.Thread(target=lambda: found.extend(three()))
    thread.start()
    thread.join()
    assert found == list(three())


def test_more_call_sites_than_a_table_begins_with(call_site_here):
    lines = "def f():\n    return [\n" + "        call_site_here(),\n" * 5000 + "    ]\n"
    own = {"call_site_here": call_site_here}
    exec(compile(lines, "notebook.cell", "exec"), own)
    assert len(set(own["f"]())) == 5000 and own["f"]() == own["f"]()
