"""What kernprof runs and profiles by name: packages run with -m, relative imports, names that lead
nowhere.
"""

import os
import sys

import pytest
from laptime import kernprof as command
from laptime.compat.line_profiler import load_stats


@pytest.fixture
def package(sandbox):
    sandbox.write("tool/__init__.py", "")
    sandbox.write("tool/near.py", "def near():\n    return 1\n\n\ndef beside():\n    return 2\n")
    sandbox.write("tool/inner/__init__.py", "")
    sandbox.write(
        "tool/inner/deep.py",
        """
        from ..near import beside


        def deep():
            return beside()


        if __name__ == "__main__":
            print("deep", deep())
    """,
    )
    sandbox.write(
        "tool/__main__.py",
        """
        from . import inner
        from .inner.deep import deep
        from .near import near


        def main():
            return near(), deep(), inner.__name__


        print(main())
    """,
    )
    return sandbox


def hits(sandbox, *words):
    """Hits of each function's busiest line by its name."""
    sandbox.python("-m", "laptime.kernprof", "-l", "-q", "-o", "out.lprof", *words)
    timings = load_stats(sandbox.folder / "out.lprof").timings
    return {
        name: max((hits for _, hits, _ in rows), default=0)
        for (_, _, name), rows in timings.items()
    }


EVERYTHING = {"main": 1, "near": 1, "beside": 1, "deep": 1}


@pytest.mark.parametrize("target", ["tool", "./tool", "tool.__main__,tool.near,tool.inner"])
def test_a_package_that_runs_has_its_modules_profiled(package, target):
    assert hits(package, "-p", target, "-m", "tool") == EVERYTHING


def test_a_module_of_the_package_is_profiled_as_the_program(package):
    assert hits(package, "-p", "tool", "-m", "tool.inner.deep") == {
        "near": 0,
        "beside": 1,
        "deep": 1,
    }


@pytest.mark.parametrize(
    "target, functions",
    [
        ("tool.near", {"near"}),  # `beside` is not imported by the program
        ("tool.inner", {"deep"}),
        ("tool", {"main", "near", "deep"}),
    ],
)
def test_without_preimports_relative_imports_are_followed(package, target, functions):
    assert set(hits(package, "--no-preimports", "-p", target, "-m", "tool")) == functions


def test_prof_imports_follows_relative_imports_of_a_module(package):
    assert set(
        hits(package, "--prof-imports", "-p", "tool.inner.deep", "-m", "tool.inner.deep")
    ) == {"deep", "beside"}


@pytest.mark.parametrize(
    "target", ["./nothing.py", "nothing", "tool.nothing", "tool..near", "/nowhere/"]
)
def test_a_target_that_does_not_exist_is_a_warning(package, target):
    result = package.python("-m", "laptime.kernprof", "-l", "-p", target, "-m", "tool")
    assert "(1, 2, 'tool.inner')" in result.stdout
    assert f"1 profiling target cannot be imported: {[target]}" in result.stderr


@pytest.mark.parametrize("options", [[], ["-b"], ["-l"], ["-l", "-p", "tool"]])
@pytest.mark.parametrize(
    "name", ["nothing", "nothing.at.all", "tool.nothing", "tool.inner", "tool.near.nothing"]
)
def test_a_module_that_does_not_exist_is_one_line(package, options, name):
    before = sorted(os.listdir(package.folder))
    result = package.python("-m", "laptime.kernprof", *options, "-m", name, code=1)
    assert (result.stdout, result.stderr) == ("", f"Could not find module `{name}`\n")
    assert sorted({*os.listdir(package.folder)} - {"__pycache__"}) == before


def test_a_module_that_the_package_misses_is_the_programs_own_error(package):
    package.write("broken/__init__.py", "import not_installed\n")
    package.write("broken/__main__.py", "")
    result = package.python("-m", "laptime.kernprof", "-l", "-m", "broken", code=1)
    assert "No module named 'not_installed'" in result.stderr


def test_debug_variable_turns_diagnostics_on(package):
    result = package.python(
        "-m", "laptime.kernprof", "-m", "tool", env={"LINE_PROFILER_DEBUG": "1"}
    )
    assert "DEBUG] Profiling module: tool" in result.stdout
    result = package.python(
        "-m", "laptime.kernprof", "-m", "tool", env={"LINE_PROFILER_DEBUG": "off"}
    )
    assert "DEBUG" not in result.stdout


@pytest.mark.parametrize("fails", [False, True])
@pytest.mark.parametrize("words", [["-l"], ["-l", "-p", "messy"], []])
def test_called_in_a_process_it_leaves_the_interpreter_as_it_was(
    sandbox, monkeypatch, capsys, words, fails
):
    sandbox.write(
        "messy.py",
        f"""
        import sys
        sys.path.append("/from/the/program")
        sys.path = [*sys.path, "/in/a/new/list"]
        print("ran as", __name__)
        if {fails}:
            raise KeyError("on purpose")
    """,
    )
    monkeypatch.chdir(sandbox.folder)
    monkeypatch.delitem(sys.modules, "messy", raising=False)
    path, argv, main = list(sys.path), list(sys.argv), sys.modules["__main__"]
    for target in (["-m", "messy"], ["-p", "", "-p", "messy.py", "messy.py", "x"]):
        try:
            command.main(["-q", *words, *target])
        except KeyError:
            assert fails
        assert "ran as __main__" in capsys.readouterr().out
        assert (sys.path, sys.argv) == (path, argv) and sys.modules["__main__"] is main
