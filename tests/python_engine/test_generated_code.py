"""Code that a framework generated is not timed by line: its time is its caller's line's. What a
person typed is.
"""

import os
import subprocess
import sys

import pytest

GENERATED = [
    "/tmp/torchinductor_somebody/ab/cabdefghijkl.py",
    "/folder/.triton/cache/ABCDEF/launcher.py",
    "/cache/inductor/ab/cabdefghijkl.py",
    "/tmp/__autograph_generated_file1a2b3c.py",
    "/program/templates/page.html",
    "/program/prompt.jinja2",
    "<eval_with_key>.7",
    "<string>",
    "<template>",
    "<attrs generated init program.Point>",
    "<frozen importlib._bootstrap>",
    "<__array_function__ internals>",
]
OWN = [
    "/program/train.py",
    "/program/train",
    "/tmp/ipykernel_4711/1234567.py",
    "<ipython-input-3-0a1b2c3d4e5f>",
    "<stdin>",
]


def functions_timed(engine, file):
    namespace = {}
    engine.start(lines=True)
    exec(compile("def generated():\n    return sum(range(1000))\n", file, "exec"), namespace)
    namespace["generated"]()
    engine.stop()
    return {name for (_, _, name) in engine.snapshot_lines()}


@pytest.mark.parametrize("file", GENERATED)
def test_generated_code_is_not_timed_by_line(engine, file, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "/cache/inductor/")
    assert "generated" not in functions_timed(engine, file)


@pytest.mark.parametrize("file", OWN)
def test_own_code_is_timed_by_line(engine, file):
    assert "generated" in functions_timed(engine, file)


def test_generated_code_is_timed_where_the_user_asks_for_it(engine):
    engine.start(lines=True, include=["*/torchinductor_*"])
    namespace = {}
    exec(
        compile("def asked_for():\n    return 1\n", "/tmp/torchinductor_me/ab/cab.py", "exec"),
        namespace,
    )
    namespace["asked_for"]()
    engine.stop()
    assert "asked_for" in {name for (_, _, name) in engine.snapshot_lines()}


COMMAND = """
from dataclasses import dataclass
from laptime.collect import engine
engine.start(lines=True)
@dataclass
class Point:
    x: int
    def twice(self):
        return 2 * self.x
def total(n):
    return sum(Point(i).twice() for i in range(n))
assert total(10) == 90
engine.stop()
for (file, _, name), rows in sorted(engine.snapshot_lines().items()):
    print(file, name, sum(row[1] for row in rows))
"""


@pytest.mark.parametrize("options", [["-c"], ["-B", "-W", "ignore", "-Xutf8", "-c"]])
def test_the_program_of_a_command_line_is_its_own(options):
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("LAPTIME_")
    }
    done = subprocess.run(
        [sys.executable, *options, COMMAND],
        capture_output=True,
        text=True,
        env=environment,
        timeout=60,
        check=True,
    )
    timed = dict(line.split(" ", 1)[1].rsplit(" ", 1) for line in done.stdout.splitlines())
    short = {name.rsplit(".", 1)[-1]: int(hits) for name, hits in timed.items()}
    assert short["twice"] == 10 and "total" in short and "<module>" in short
    assert "__init__" not in short, "the dataclass made it"
