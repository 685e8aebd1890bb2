"""An install prefix serves C and C++ programs through find_package and pkg-config."""

import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"

C_PROGRAM = """
#include <laptime/laptime.h>
#include <stdio.h>
int main(void) {
  static laptime_site site = LAPTIME_SITE("work");
  uint64_t t = laptime_begin();
  laptime_end(&site, t);
  laptime_step(1);
  puts(laptime_version());
  return 0;
}
"""


def run(*command, **options):
    result = subprocess.run([str(c) for c in command], capture_output=True, text=True, **options)
    assert result.returncode == 0, f"{command}\n{result.stdout}{result.stderr}"
    return result.stdout


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if not (BUILD / "CMakeCache.txt").exists():
        pytest.skip(
            "needs the release build: cmake --preset release && cmake --build --preset release"
        )
    folder = tmp_path_factory.mktemp("prefix")
    run("cmake", "--install", BUILD, "--prefix", folder)
    return folder


@pytest.fixture(scope="module")
def pkg_config(prefix):
    environment = {**os.environ, "PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")}
    return lambda *options: run("pkg-config", *options, "laptime", env=environment).split()


def test_pkg_config_builds_a_c_program(prefix, pkg_config, tmp_path):
    (tmp_path / "program.c").write_text(C_PROGRAM)
    program = tmp_path / "program"
    run(
        "cc",
        "-std=c99",
        "-Wall",
        "-Wextra",
        "-Wpedantic",
        "-Werror",
        tmp_path / "program.c",
        "-o",
        program,
        *pkg_config("--cflags", "--libs"),
        f"-Wl,-rpath,{prefix / 'lib'}",
    )
    assert run(program).strip() == pkg_config("--modversion")[0]


def test_prefix_can_be_moved(prefix, pkg_config):
    assert f"-I{prefix}/include" in [
        os.path.normpath(f) if not f.startswith("-I") else "-I" + os.path.normpath(f[2:])
        for f in pkg_config("--cflags")
    ]


def test_find_package_builds_the_example(prefix, tmp_path):
    run(
        "cmake",
        "-S",
        ROOT / "examples" / "cpp",
        "-B",
        tmp_path,
        "-G",
        "Ninja",
        f"-DCMAKE_PREFIX_PATH={prefix}",
    )
    run("cmake", "--build", tmp_path)
    assert "accuracy" in run(tmp_path / "digits", "--steps", "20")


def test_library_shows_only_its_interface(prefix):
    names = [
        line.split()[-1]
        for line in run("nm", "-D", "--defined-only", prefix / "lib" / "liblaptime.so").splitlines()
    ]
    assert "laptime_start" in names
    assert [n for n in names if not n.startswith(("laptime_", "_ZN7laptime6record"))] == []
