"""The ways to torch's ops: the shim and its cache, the recorder without headers, torch's profiler;
each says which it is.
"""

import json
import os
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

HERE = Path(__file__).parent

PROGRAM = """
import sys
sys.path.insert(0, {here!r})
import torch
{patch}
import marked_programs as programs
from recorded_ops import record
net = programs.Net()
programs.train_step(net, programs.images())
source, own = record("run.lap", lambda: programs.train_step(net, programs.images()))
print(source.kind)
for name, count in sorted(own.counts().items()):
    print(name, count)
print("lines", len(own.placed(programs.__file__)))
"""


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    """A cache that holds the shim for this torch."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def load(tmp_path, cache, compiler):
    def start(patch="", **environment):
        environment = {
            "XDG_CACHE_HOME": cache,
            "TMPDIR": tmp_path,
            "COMPILED": tmp_path / "compiled",
            "CXX": compiler,
            **environment,
        }
        environment = {key: str(value) for key, value in environment.items()}
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM.format(here=str(HERE), patch=patch)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, **environment},
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        kind, *rows = done.stdout.splitlines()
        counts = Counter({name: int(count) for name, count in (row.rsplit(" ", 1) for row in rows)})
        return kind, counts, done.stderr

    return start


@pytest.fixture(scope="session")
def compiler(tmp_path_factory):
    """A compiler that leaves a mark each time, in the file $COMPILED, and compiles when it is first
    called: the result is always the same.
    """
    folder = tmp_path_factory.mktemp("compiler")
    script, result = folder / "compiler", folder / "result.so"
    script.write_text(f"""#!/bin/sh
test -z "$COMPILED" || echo once >> "$COMPILED"
for word; do test "$before" = -o && output=$word; before=$word; done
if test -e {result}; then cp {result} "$output"; else c++ "$@" && cp "$output" {result}; fi
""")
    script.chmod(0o755)
    return script


def times_compiled(folder):
    log = folder / "compiled"
    return len(log.read_text().split()) if log.exists() else 0


def test_the_shim_is_compiled_once(load, tmp_path):
    folder = tmp_path / "own-cache"
    kind, first, said = load(XDG_CACHE_HOME=folder)
    assert kind == "compiled" and "laptime: building the op recorder for torch" in said
    kind, second, said = load(XDG_CACHE_HOME=folder)
    assert kind == "compiled" and "building" not in said
    assert times_compiled(tmp_path) == 1
    assert first == second and first["lines"] > 5
    assert [path.suffix for path in (folder / "laptime").iterdir()] == [".so"]


def test_without_a_compiler_the_same_ops_come_another_way(load, tmp_path):
    _, compiled, _ = load()
    kind, counts, said = load(CXX="/bin/false", XDG_CACHE_HOME=tmp_path / "empty")
    assert kind == "prebuilt"
    assert said.count("laptime: ") == 2  # that it builds, and what came of it
    assert counts == compiled


def test_a_self_test_that_fails_leads_to_torchs_profiler(load):
    _, compiled, _ = load()
    kind, counts, said = load(
        patch=(
            "from laptime.frameworks.torch import ops_self_test\n"
            "ops_self_test.problem_of = lambda *_: 'seen upside down'"
        )
    )
    assert kind == "torch.profiler"
    assert "failed its self-test: seen upside down" in said
    assert counts.pop("lines") == 0
    compiled.pop("lines")
    assert counts == compiled


def test_nothing_works(load):
    kind, counts, said = load(
        patch=(
            "from laptime.frameworks.torch import ops_self_test, ops_profiler\n"
            "ops_self_test.problem_of = lambda *_: 'seen upside down'\n"
            "torch.profiler.kineto_available = lambda: False"
        )
    )
    assert kind.startswith("off: ") and counts == {"lines": 0}
    assert said.count("laptime: ops are not recorded: ") == 1


def test_a_cache_that_cannot_be_written(load, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    before = set(tmp_path.iterdir())
    for _ in range(2):
        kind, _, _ = load(XDG_CACHE_HOME=blocked)
        assert kind == "compiled"
    assert times_compiled(tmp_path) == 2  # by each process for itself
    assert not [
        path for path in set(tmp_path.iterdir()) - before if path.is_dir()
    ]  # nothing stays that others could prepare


def test_an_unknown_torch_is_refused_in_words(load, tmp_path):
    kind, _, said = load(
        CXX="/bin/false", XDG_CACHE_HOME=tmp_path / "empty", patch="torch.__version__ = '9.1.0'"
    )
    assert kind == "torch.profiler"
    assert "with torch 2.11 and 2.13 only, not 9.1.0" in said


def test_doctor_builds_the_recorder_ahead(compiler, tmp_path):
    """`laptime doctor --build` compiles and tests it; a run afterwards finds it in the cache."""
    laptime = Path(sys.executable).parent / "laptime"

    def doctor(*options, cxx=compiler):
        environment = {
            **os.environ,
            "CXX": str(cxx),
            "XDG_CACHE_HOME": str(tmp_path / "cache"),
            "TMPDIR": str(tmp_path),
            "COMPILED": str(tmp_path / "compiled"),
        }
        done = subprocess.run(
            [laptime, "doctor", "--json", *options],
            capture_output=True,
            text=True,
            env=environment,
            timeout=300,
        )
        assert done.returncode == 0, done.stderr
        (table,) = json.loads(done.stdout)["tables"]
        return [row for row in table["rows"] if "op recorder" in str(row)]

    assert "no C++ compiler to build the op recorder with" in str(doctor(cxx="no-such-compiler"))
    assert "the op recorder is built when it is first used" in str(doctor())
    assert times_compiled(tmp_path) == 0
    assert "op recorder: compiled" in str(doctor("--build"))
    assert "the op recorder is built" in str(doctor())
    assert times_compiled(tmp_path) == 1


SECOND = """
import sys, torch
from laptime._native import recording
from laptime.frameworks.torch import ops
recording.start(sys.argv[1])
first = ops.load()
first.on()
second = ops.load(shapes=True)
before = first.events
torch.ones(3).cumsum(0)
print(first.kind, second.kind, first.events > before)
recording.stop()
"""


@pytest.mark.parametrize(
    "environment, kind", [({}, "compiled"), ({"CXX": "/bin/false"}, "prebuilt")]
)
def test_a_second_source_is_tried_out_while_the_first_records(tmp_path, environment, kind):
    if environment:
        environment = {**environment, "XDG_CACHE_HOME": str(tmp_path / "empty")}
    done = subprocess.run(
        [sys.executable, "-c", SECOND, str(tmp_path / "run.lap")],
        capture_output=True,
        text=True,
        timeout=200,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0 and done.stdout.split() == [kind, kind, "True"], done.stderr
