"""The installed package, on each CPython: importable, typed, one version everywhere, nothing needed
from the machine.
"""

import re
import subprocess
import sysconfig
from pathlib import Path

import laptime
from laptime import _native, _reader

PACKAGE = Path(laptime.__file__).parent
SOURCE = Path(__file__).resolve().parents[2]


def project_version():
    return re.search(
        r"project\(laptime VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text()
    )[1]


def test_one_version_everywhere():
    from importlib.metadata import version

    assert laptime.__version__ == _native.version() == version("laptime") == project_version()


def test_command_is_installed_and_agrees():
    command = Path(sysconfig.get_path("scripts")) / "laptime"
    out = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout
    assert project_version() in out


def test_package_is_typed():
    assert (PACKAGE / "py.typed").exists()


def test_binaries_need_only_the_c_library():
    command = Path(sysconfig.get_path("scripts")) / "laptime"
    for binary in [
        command,
        PACKAGE / "liblaptime.so",
        Path(_native.__file__),
        Path(_reader.__file__),
    ]:
        dynamic = subprocess.run(
            ["readelf", "-d", binary], capture_output=True, text=True, check=True
        ).stdout
        needed = set(re.findall(r"\(NEEDED\).*\[(.*)\]", dynamic))
        assert needed <= {"libc.so.6", "libm.so.6", "ld-linux-x86-64.so.2", "liblaptime.so"}, binary
