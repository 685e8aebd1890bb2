"""``python -m laptime.kernprof``: every option, beside line_profiler's own kernprof where that is
installed.
"""

import os
import re
import time

import pytest
from compat_sandbox import CAN_READ_TOML, PROGRAMS, masked
from laptime.compat.line_profiler import load_stats

SCRIPT = """
    import sys


    @profile
    def work(n):
        total = 0
        for i in range(n):
            total += i
        return total


    @profile
    def never():
        pass


    print(work(10), sys.argv, __name__, __file__)
"""

PLAIN_SCRIPT = """
    import sys
    from helpers.tools import tool


    def work(n):
        def inner(x):
            return x + 1
        return inner(n)


    print(work(10), tool(3), sys.argv)
"""


@pytest.fixture
def project(sandbox):
    sandbox.write("script.py", SCRIPT)
    sandbox.write("plain.py", PLAIN_SCRIPT)
    sandbox.write("setup_code.py", "print('setup ran')\n")
    sandbox.write("helpers/__init__.py", "def top():\n    return 1\n")
    sandbox.write(
        "helpers/tools.py",
        """
        from . import top


        class Tool:
            def use(self):
                return top()

            class Inner:
                def inner(self):
                    return 2


        def tool(x):
            return Tool().use() + x
    """,
    )
    sandbox.write("helpers/deep/__init__.py", "")
    sandbox.write("helpers/deep/more.py", "def more():\n    return 3\n")
    sandbox.write("application/__init__.py", "")
    sandbox.write("application/part.py", "def part():\n    return 'part'\n")
    sandbox.write(
        "application/__main__.py",
        """
        import sys
        from .part import part


        def go():
            return part(), sys.argv[1:], __name__


        print(go())
    """,
    )
    return sandbox


def kernprof(project, *words, **options):
    return project.python("-m", "laptime.kernprof", *words, **options)


SAME_AS_ORIGINAL = [
    "-l -v script.py a b",
    "-lv script.py",
    "-l -v -z script.py",
    "-l -v -u 1 script.py",
    "-l -v --unit 1e-3 --skip-zero on script.py",
    "-l -v --summarize yes script.py",
    "-l --view -o other.lprof script.py",
    "-l -q script.py",
    "-l -qq script.py",
    "--line-by-line yes --verbose script.py",
    "--no-line-by-line -b -q script.py",
    "-lv -s setup_code.py script.py",
    "-lv -p plain.py plain.py x",
    "-lv -p helpers.tools plain.py",
    "-lv -p helpers.tools.Tool plain.py",
    "-lv -p helpers.tools.tool plain.py",
    "-lv -p helpers plain.py",
    "-lv -p helpers -p plain.py plain.py",
    "-lv -p helpers,plain.py plain.py",
    "-lvz -p helpers.deep plain.py",
    "-lv -p helpers/tools.py plain.py",
    "-lv --no-preimports -p helpers.tools plain.py",
    "-lv --prof-imports yes -p plain.py plain.py",
    "-lv -m application x y",
    "-lv -p application.part -m application x",
    "-lvi 1 script.py",
    "-l -v --no-rich yes script.py",
]


@pytest.mark.parametrize("words", SAME_AS_ORIGINAL)
def test_prints_what_kernprof_prints(project, words):
    pytest.importorskip("line_profiler")
    ours = kernprof(project, *words.split())
    theirs = project.python("-m", "kernprof", *words.split())
    assert masked(ours.stdout) == masked(theirs.stdout)


def test_every_kind_of_function_is_counted_as_by_line_profiler(sandbox):
    pytest.importorskip("line_profiler")
    program = PROGRAMS / "kinds_of_functions.py"
    ours = kernprof(sandbox, "-lv", program).stdout
    theirs = sandbox.python("-m", "kernprof", "-lv", program).stdout
    assert masked(ours) == masked(theirs)


def test_tells_how_to_look_at_the_results(project):
    out = kernprof(project, "-l", "script.py").stdout
    assert "Wrote profile results to 'script.py.lprof'\nInspect results with:\n" in out
    command = out.splitlines()[-1]
    assert command.endswith("-m laptime.line_profiler -rmt script.py.lprof")
    assert "Function: work at line 4" in project.python(*command.split()[1:]).stdout
    out = kernprof(project, "plain.py").stdout
    assert out.splitlines()[-1].endswith("-m pstats plain.py.prof")


def test_without_line_by_line_it_is_cprofile(project):
    pstats = __import__("pstats")
    kernprof(project, "plain.py")
    stats = pstats.Stats(str(project.folder / "plain.py.prof"))
    assert any(name == "tool" for _, _, name in stats.stats)
    out = kernprof(project, "-v", "plain.py").stdout
    assert (
        re.search(r"function calls( \(\d+ primitive calls\))? in ", out)
        and "tools.py:13(tool)" in out
    )


def test_builtin_profiles_by_function(project):
    out = kernprof(project, "-b", "-v", "script.py").stdout
    assert "script.py:4(work)" in out and "script.py:1(<module>)" not in out
    assert "No function was profiled" in kernprof(project, "-b", "-v", "plain.py").stdout


def test_profile_is_no_builtin_without_being_asked(project):
    assert "NameError" in kernprof(project, "script.py", code=1).stderr


def test_explicit_decorator_uses_kernprofs_profiler(sandbox):
    sandbox.write(
        "explicit.py",
        "from laptime import profile\n\n\n@profile\ndef f():\n    return 1\n\n\nf()\n",
    )
    assert "     6         1" in kernprof(sandbox, "-lv", "explicit.py").stdout
    assert sorted(os.listdir(sandbox.folder)) == ["explicit.py", "explicit.py.lprof"]


def test_code_from_the_command_line_and_from_stdin(project):
    code = "def f():\n    return 1\nprint(f())"
    for words, stdin in ((["-lv", "-c", code, "x"], ""), (["-lv", "-"], code)):
        out = kernprof(project, *words, stdin=stdin).stdout
        assert (
            out.startswith("1\n")
            and "Function: f at line 1" in out
            and re.search(r"2 +1 .*return 1", out)
        )
    written = [name for name in os.listdir(project.folder) if name.endswith(".lprof")]
    assert {name.rpartition("-")[0] for name in written} == {"kernprof-command", "kernprof-stdin"}
    assert all(load_stats(project.folder / name).timings == {} for name in written), (
        "their source is gone"
    )


def test_rich_needs_no_rich(project):
    out = kernprof(project, "-lvr", "script.py").stdout
    assert "Function: work at line 4" in out and "total" in out


def test_flag_before_the_script_is_not_given_the_script(project):
    assert "Function: work" in kernprof(project, "-lv", "--summarize", "script.py").stdout


def test_words_behind_the_script_are_the_scripts(project):
    out = kernprof(project, "-l", "script.py", "-m", "-c", "-o", "--", "x").stdout
    assert "['script.py', '-m', '-c', '-o', '--', 'x']" in out


def test_output_interval_writes_while_running(project):
    project.write(
        "slow.py",
        """
        import os, time


        @profile
        def wait():
            time.sleep(0.3)
            return os.path.exists("slow.py.lprof")


        begin = time.time()
        while not wait() and time.time() - begin < 20:
            pass
        print("written while running:", os.path.exists("slow.py.lprof"))
    """,
    )
    assert "written while running: True" in kernprof(project, "-l", "-i", "1", "slow.py").stdout
    assert os.listdir(project.folder).count("slow.py.lprof.part") == 0


def test_exit_code_and_results_of_programs_that_fail(project):
    project.write("fails.py", "@profile\ndef f():\n    raise SystemExit(5)\nf()\n")
    out = kernprof(project, "-l", "fails.py", code=5).stdout
    assert "Wrote profile results" in out
    project.write("raises.py", "@profile\ndef f():\n    return 1 / 0\nf()\n")
    result = kernprof(project, "-l", "raises.py", code=1)
    assert "ZeroDivisionError" in result.stderr and "Wrote profile results" in result.stdout
    assert [
        rows[0][:2] for rows in load_stats(project.folder / "raises.py.lprof").timings.values()
    ] == [(3, 1)]


def test_mistakes_get_one_line(project):
    result = kernprof(project, "-l", "missing.py", code=1)
    assert result.stderr == "Could not find script 'missing.py'\n" and result.stdout == ""
    result = kernprof(project, "-l", "-p", "application", "-m", "no_such_module", code=1)
    assert result.stderr == "Could not find module `no_such_module`\n"
    result = kernprof(project, "-l", "-o", "no/such/folder/x.lprof", "script.py", code=2)
    assert (
        result.stderr
        == "kernprof: cannot write no/such/folder/x.lprof: No such file or directory\n"
        and result.stdout == ""
    )
    assert "argument expected for the -m option" in kernprof(project, "-l", "-m", code=2).stderr
    assert "--unit" in kernprof(project, "-l", "-u", "0", "script.py", code=2).stderr


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_folder_without_write_access(project):
    os.chmod(project.folder, 0o500)
    try:
        result = kernprof(project, "-l", "script.py", code=2)
        assert result.stderr.count("\n") == 1 and "Permission denied" in result.stderr
    finally:
        os.chmod(project.folder, 0o700)


def test_help_and_version(project):
    out = kernprof(project, "--help").stdout
    for option in (
        "-s",
        "-p",
        "--preimports",
        "--prof-imports",
        "-o",
        "-v",
        "-q",
        "--rich",
        "-u",
        "--skip-zero",
        "--summarize",
        "-i",
        "--line-by-line",
        "--builtin",
        "--config",
        "--no-config",
    ):
        assert option in out
    assert re.fullmatch(r"[0-9.]+\n", kernprof(project, "-V").stdout)


@pytest.mark.skipif(not CAN_READ_TOML, reason="TOML needs Python 3.11, or tomli")
def test_settings_file(project):
    project.write(
        "line_profiler.toml",
        "[tool.line_profiler.kernprof]\nline-by-line = true\nverbose = 1\nunit = 1.0\n",
    )
    assert "Timer unit: 1 s" in kernprof(project, "script.py").stdout
    project.write(
        "other.toml",
        "[tool.line_profiler.kernprof]\nskip-zero = true\nline-by-line = true\nverbose = 1\n",
    )
    assert "never" not in kernprof(project, "--config", "other.toml", "script.py").stdout
    result = kernprof(project, "--config", "missing.toml", "-l", "script.py", code=2)
    assert result.stderr.startswith("kernprof: Cannot load configurations from 'missing.toml'")


def test_line_profile_environment_variable(sandbox):
    sandbox.write(
        "explicit.py",
        "from laptime import profile\n\n\n@profile\ndef f():\n    return 1\n\n\nprint(f())\n",
    )
    assert sandbox.python("explicit.py").stdout == "1\n"
    assert sandbox.python("explicit.py", env={"LINE_PROFILE": "0"}).stdout == "1\n"
    out = sandbox.python("explicit.py", env={"LINE_PROFILE": "1"}).stdout
    assert out.startswith("1\nTimer unit: 1e-09 s\n") and "seconds - " in out
    names = sorted(os.listdir(sandbox.folder))
    assert "profile_output.lprof" in names and "profile_output.txt" in names and len(names) == 4
    assert "Function: f at line 4" in (sandbox.folder / "profile_output.txt").read_text()
    assert "Wrote profile results" in sandbox.python("explicit.py", "--line-profile").stdout


def test_threads_and_children(sandbox):
    sandbox.write(
        "busy.py",
        """
        import multiprocessing
        import threading


        @profile
        def work(n):
            return sum(range(n))


        if __name__ == "__main__":
            threads = [threading.Thread(target=work, args=(100,)) for _ in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            with multiprocessing.get_context("fork").Pool(2) as pool:
                print(pool.map(work, [10, 20]))
    """,
    )
    out = kernprof(sandbox, "-lv", "busy.py").stdout
    assert "[45, 190]" in out and out.count("Wrote profile results") == 1
    assert re.search(r" 7 +4 .*return sum", out), "children count in their own process"


def test_time_of_lines(sandbox):
    sandbox.write(
        "sleeps.py",
        """
        import time


        @profile
        def sleeps():
            time.sleep(0.2)
            for _ in range(3):
                time.sleep(0.05)


        sleeps()
    """,
    )
    begin = time.perf_counter()
    kernprof(sandbox, "-l", "sleeps.py")
    wall = time.perf_counter() - begin
    (rows,) = load_stats(sandbox.folder / "sleeps.py.lprof").timings.values()
    by_line = {line: (hits, ns / 1e9) for line, hits, ns in rows}
    assert by_line[6][0] == 1 and 0.2 <= by_line[6][1] < wall
    assert by_line[8][0] == 3 and 0.15 <= by_line[8][1] < wall
