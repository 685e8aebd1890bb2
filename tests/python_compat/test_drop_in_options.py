"""The drop-ins beside the originals: the same options, and the same diagnostics."""

import re
import subprocess
import sys

import pytest

pytest.importorskip("line_profiler")

DROP_INS = {
    "kernprof": "laptime.kernprof",
    "line_profiler": "laptime.line_profiler",
    "cProfile": "laptime.cprofile",
}


def run(module, *arguments, cwd=None):
    done = subprocess.run(
        [sys.executable, "-m", module, *arguments], capture_output=True, text=True, cwd=cwd
    )
    return done.returncode, done.stdout, done.stderr


def options_of(module):
    """Every spelling of every option that its help tells of, each with whether it takes a value."""
    _, out, _ = run(module, "--help")
    found = {}
    for line in out.splitlines():
        match = re.match(r"  (-.*?)(?:  |$)", line)
        spellings = (
            re.findall(r"(?:^|(?<=, ))(--?[A-Za-z][\w-]*)(?=[ ,=]|$)([ =][A-Z\[])?", match.group(1))
            if match
            else []
        )
        takes_value = any(
            value for _, value in spellings
        )  # since 3.13 it stands behind the last spelling only
        found |= {spelling: takes_value for spelling, _ in spellings}
    for short in re.findall(r"short\s+form: -(\w)", out):
        found[f"-{short}"] = False
    return found


@pytest.mark.parametrize("original", DROP_INS)
def test_the_same_options(original):
    expected = options_of(original)
    assert len(expected) >= 4, "the original's help was not understood"
    assert options_of(DROP_INS[original]) == expected


PROGRAM = """
import helper
def f(n):
    return helper.g(n) + 1
@profile
def h():
    return f(3)
h()
"""
HELPER = """
class Thing:
    def method(self):
        return 1
def g(n):
    return sum(range(n)) + Thing().method()
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "prog.py").write_text(PROGRAM)
    (tmp_path / "helper.py").write_text(HELPER)
    (tmp_path / "setup_code.py").write_text("x = 1\n")
    return tmp_path


def diagnostics(out):
    """What kinds of things the dated lines tell, without names of files, addresses and arguments of
    calls.
    """
    lines = re.findall(
        r"^\[kernprof \d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3} (\w+)\] (.*)$", out, re.MULTILINE
    )
    texts = [
        (level, re.sub(r"""@ 0x[0-9a-f]+|'[^']*'|"[^"]*\"""", "…", text)) for level, text in lines
    ]
    return [(level, "Calling" if text.startswith("Calling") else text) for level, text in texts]


# The original writes a module for what it imports beforehand, and so adds those functions twice.
ONLY_THE_ORIGINALS = re.compile(r"Wrote temporary module for pre-imports")


@pytest.mark.parametrize(
    "arguments",
    [
        ["-l"],
        ["-l", "-p", "helper"],
        ["-l", "-p", "helper", "-s", "setup_code.py"],
        ["-b"],
        [],
    ],
    ids=" ".join,
)
def test_diagnostics_are_as_long_as_the_originals(program, arguments):
    script = ["-c", "print(1)"] if "-l" not in arguments and "-b" not in arguments else ["prog.py"]
    _, theirs, _ = run("kernprof", *arguments, "-v", "-v", *script, cwd=program)
    code, ours, err = run("laptime.kernprof", *arguments, "-v", "-v", *script, cwd=program)
    assert code == 0, err
    expected = [line for line in diagnostics(theirs) if not ONLY_THE_ORIGINALS.match(line[1])]
    measured = diagnostics(ours)
    assert len(set(expected)) >= 5, "the original's diagnostics were not understood"
    assert sorted(set(measured)) == sorted(set(expected))


def test_one_v_and_none_say_no_more_than_before(program):
    for level in ([], ["-v"], ["-q"]):
        _, theirs, _ = run("kernprof", "-l", *level, "prog.py", cwd=program)
        _, ours, _ = run("laptime.kernprof", "-l", *level, "prog.py", cwd=program)
        assert "DEBUG" not in ours
        assert theirs.splitlines()[:1] == ours.splitlines()[:1]
