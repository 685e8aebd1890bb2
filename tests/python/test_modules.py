"""The package's two modules: a program that is recorded loads laptime._native only, and that holds
nothing of the reader.
"""

import subprocess
import sys
import sysconfig
import textwrap
from pathlib import Path

import pytest

LAPTIME = Path(sysconfig.get_path("scripts")) / "laptime"
BUILD = Path(__file__).resolve().parents[2] / "build"
READER_ROOMS = ("trace", "tables", "export")
LOADED = """
    import sys

    def reader_is_loaded():
        maps = open("/proc/self/maps").read()
        assert "/laptime/_native." in maps and "laptime._native" in sys.modules
        return "/laptime/_reader." in maps or "laptime._reader" in sys.modules
"""


def symbols(file, kinds):
    out = subprocess.run(
        ["nm", "--defined-only", "--format=posix", file], capture_output=True, text=True, check=True
    ).stdout
    rows = (line.split() for line in out.splitlines())
    return {row[0] for row in rows if len(row) >= 2 and row[1] in kinds}


def built(module):
    """The module of this interpreter's build, which has symbols, and the build's folder."""
    name = f"python/{module}{sysconfig.get_config_var('EXT_SUFFIX')}"
    found = sorted(BUILD.glob(f"cp*/{name}"))
    if not found:
        pytest.skip("the package was not built here")
    return found[0], found[0].parents[1]


def reader_symbols_of(module):
    file, build = built(module)
    own = symbols(file, "TtDdBbRrVWuvw")
    assert len(own) > 1000  # it is not stripped
    of_rooms = set()
    for room in READER_ROOMS:
        of_rooms |= symbols(build / "src" / room / f"liblaptime_{room}.a", "TDBR")
    assert len(of_rooms) > 100
    return own & of_rooms


def test_native_has_nothing_of_the_reader():
    assert not reader_symbols_of("_native")
    assert len(reader_symbols_of("_reader")) > 50


def test_importing_laptime_loads_no_reader():
    program = textwrap.dedent(LOADED) + "import laptime\nfrom laptime import _native\n"
    program += "assert not reader_is_loaded()\n"
    subprocess.run([sys.executable, "-c", program], check=True)


def test_a_recorded_program_loads_no_reader(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        textwrap.dedent(LOADED)
        + textwrap.dedent("""
            import atexit
            import laptime

            def work():
                return sum(i * i for i in range(10_000))

            for _ in laptime.steps(range(3)):
                with laptime.scope("work"):
                    work()

            print("reader loaded:", reader_is_loaded())
        """)
    )
    command = [LAPTIME, "run", "-q", "-o", "run.lap", program.name]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "reader loaded: False" in done.stdout


def test_the_readers_errors_are_pythons(tmp_path):
    """Each module has a C++ runtime of its own: an error crosses no border unnoticed."""
    from laptime._native import recording, torch_session
    from laptime._reader import torch_events

    path = str(tmp_path / "run.lap")
    assert recording.start(path) == ""
    session = torch_session.ProfileSession()
    session.begin()
    link = session.end()
    notes = torch_session.Notes(session, None)
    recording.stop()
    assert len(torch_events.Profile(path, link, 0, False, notes)) == 0
    with pytest.raises(RuntimeError):
        torch_events.Profile(path, link + 1, 0, False, notes)
    with pytest.raises(RuntimeError, match="missing"):
        torch_events.Profile(str(tmp_path / "missing.lap"), link, 0, False, notes)
    with pytest.raises(TypeError):
        torch_events.Profile(path, link, 0, False, None)
