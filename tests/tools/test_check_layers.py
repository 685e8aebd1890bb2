"""tools/check_layers finds each kind of include against the table, and only those."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_layers"


def check(tmp_path, file, include):
    source = tmp_path / "src" / file
    source.parent.mkdir(parents=True)
    source.write_text(f'#include <vector>\n\n#include "{include}"\n')
    result = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    return result.returncode, result.stdout


@pytest.mark.parametrize(
    "file, include",
    [
        ("base/a.h", "base/b.h"),
        ("format/a.h", "base/b.h"),
        ("record/a.cpp", "laptime/laptime.h"),
        ("collect/python/a.cpp", "record/collector.h"),
        ("collect/python/a.cpp", "format/record.h"),
        ("trace/run/a.cpp", "format/columns.h"),
        ("tables/a_test.cpp", "format/writer.h"),
        ("tables/a_test.cpp", "trace/testing/b.h"),
        ("trace/testing/a.h", "format/testing/b.h"),
        ("show/a.cpp", "tables/run/table.h"),
        ("cli/a.cpp", "record/collector.h"),
        ("trace/ops/a.cpp", "trace/steps/steps.h"),
        ("trace/a.cpp", "trace/ranks/ranks.h"),
        ("tables/ops/a.cpp", "tables/steps/b.h"),
        ("base/os/a.cpp", "base/b.h"),
        ("collect/torch/a.cpp", "collect/steps/b.h"),
        ("collect/torch/python/a.cpp", "collect/python/code/b.h"),
    ],
)
def test_allowed(tmp_path, file, include):
    code, out = check(tmp_path, file, include)
    assert code == 0, out


@pytest.mark.parametrize(
    "file, include",
    [
        ("base/a.h", "format/b.h"),
        ("format/a.cpp", "trace/run/run.h"),
        ("record/a.cpp", "trace/run/run.h"),
        ("collect/python/a.cpp", "format/writer.h"),
        ("tables/a.cpp", "format/writer.h"),
        ("tables/a_test.cpp", "show/terminal.h"),
        ("tables/a.cpp", "trace/testing/b.h"),
        ("trace/run/a.cpp", "trace/testing/b.h"),
        ("trace/run/a.cpp", "laptime/laptime.h"),
        ("show/a.cpp", "trace/run/run.h"),
        ("export/a.cpp", "show/json.h"),
        ("trace/steps/a.cpp", "trace/ops/b.h"),
        ("trace/steps/a.h", "trace/b.h"),
        ("format/a.cpp", "b.h"),
        ("attic/a.cpp", "base/b.h"),
        ("base/a.h", "base/os/b.h"),
        ("collect/steps/a.cpp", "collect/torch/b.h"),
        ("collect/python/a.cpp", "collect/torch/b.h"),
        ("collect/cuda/a.cpp", "collect/torch/b.h"),
    ],
)
def test_refused_with_file_and_line(tmp_path, file, include):
    code, out = check(tmp_path, file, include)
    assert code == 1
    line = 1 if file.startswith("attic") else 3
    assert out.startswith(f"src/{file}:{line}: ")


@pytest.mark.parametrize(
    "module, include, code",
    [
        ("native", "collect/torch/a.h", 0),
        ("native", "trace/run/run.h", 1),
        ("reader", "trace/run/run.h", 0),
        ("reader", "record/collector.h", 1),
        ("reader", "collect/torch/op_recorder.h", 1),
    ],
)
def test_modules_of_the_package(tmp_path, module, include, code):
    (tmp_path / "src").mkdir()
    folder = tmp_path / "python" / module
    folder.mkdir(parents=True)
    (folder / "a.h").touch()
    (folder / "a.cpp").write_text(f'#include "a.h"\n#include "{include}"\n')
    assert subprocess.run([sys.executable, CHECK, tmp_path]).returncode == code


def test_this_repository_follows_the_table():
    assert subprocess.run([sys.executable, CHECK]).returncode == 0


def test_cycles(tmp_path):
    base = tmp_path / "src" / "base"
    base.mkdir(parents=True)
    for name, text in {
        "a.h": "",
        "a.cpp": '#include "base/b.h"',
        "b.h": '#include "base/c.h"',
        "c.h": '#include "base/a.h"',
        "d.h": '#include "base/a.h"',
    }.items():
        (base / name).write_text(text + "\n")
    result = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    assert result.returncode == 1 and result.stdout == "include cycle: base/a, base/b, base/c\n"


def check_package(tmp_path, **sources):
    """Of modules of the package, by their names with __ for the dots."""
    for name, text in sources.items():
        path = tmp_path / "python" / "laptime" / Path(*name.split("__")).with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    result = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
    return result.returncode, result.stdout


@pytest.mark.parametrize(
    "module, line",
    [
        ("collect__a", "from laptime import _native"),
        ("collect__a", "import os, laptime.collect.b"),
        ("frameworks__torch__a", "from laptime.collect import b"),
        ("frameworks__torch__a", "from laptime.frameworks.torch import b"),
        ("compat__a", "def f():\n    from laptime.frameworks.torch import b"),
        ("_recording", "from laptime.frameworks.torch import b"),
        ("kernprof", "import laptime.compat.a"),
        ("collect__a", "if TYPE_CHECKING:\n    from laptime.compat import b"),
    ],
)
def test_imports_that_the_table_allows(tmp_path, module, line):
    others = dict.fromkeys(("collect__b", "compat__b", "frameworks__torch__b"), "")
    code, out = check_package(tmp_path, **others, **{module: line})
    assert code == 0, out


@pytest.mark.parametrize(
    "module, line",
    [
        ("collect__a", "import laptime.compat.b"),
        ("collect__a", "from laptime.frameworks.torch import b"),
        ("_recording", "from laptime.compat import b"),
        ("frameworks__torch__a", "from laptime.frameworks.jax import b"),
        ("frameworks__torch__a", "from laptime.compat import b"),
        ("frameworks__torch__a", "from laptime._tune import b"),
        ("compat__a", "from laptime._tune import b"),
        ("collect__a", "from . import b"),
        ("collect__a", "def f(): import laptime.compat.b"),
        ("attic__a", ""),
    ],
)
def test_imports_that_the_table_refuses(tmp_path, module, line):
    names = ("collect__b", "compat__b", "frameworks__torch__b", "frameworks__jax__b", "_tune__b")
    others = dict.fromkeys(names, "")
    code, out = check_package(tmp_path, **others, **{module: line})
    assert code == 1 and out.startswith(f"python/laptime/{module.replace('__', '/')}.py:1: "), out


def test_cycles_of_imports(tmp_path):
    code, out = check_package(
        tmp_path,
        collect__a="from laptime.collect import b",
        collect__b="import laptime.collect.c",
        collect__c="from laptime.collect.a import name",
        collect__d="def later(): from laptime.collect import e",
        collect__e="from laptime.collect.d import name",
    )
    assert code == 1
    assert out == "import cycle: laptime.collect.a, laptime.collect.b, laptime.collect.c\n"
