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
