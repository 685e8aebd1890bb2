"""laptime.cprofile and laptime.compat.cprofile.Profile: cProfile's numbers and texts, pstats and
snakeviz on top.
"""

import ast
import cProfile
import io
import pstats
import re
import socket
import subprocess
import sys
import threading
import time
import urllib.request

import pytest
from compat_sandbox import PROGRAMS
from laptime.compat.cprofile import Profile, run, runctx

MANY_CALLS = PROGRAMS / "many_calls.py"


def table(text):
    """A printed profile without its times.

    Functions that took equally long may stand in any order.
    """
    text = re.sub(r"0x[0-9a-f]+", "ADDRESS", text)
    return sorted(re.sub(r"\d+\.\d+", "T", line).rstrip() for line in text.splitlines())


def both(sandbox, *words, **options):
    return (
        sandbox.python("-m", module, *words, **options)
        for module in ("laptime.cprofile", "cProfile")
    )


@pytest.mark.parametrize(
    "sort",
    [
        [],
        *(
            ["-s", key]
            for key in ("calls", "cumulative", "name", "nfl", "tottime", "pcalls", "stdname")
        ),
    ],
)
def test_same_table_as_cprofile(sandbox, sort):
    ours, theirs = both(sandbox, *sort, MANY_CALLS)
    assert table(ours.stdout) == table(theirs.stdout)


def test_same_file_as_cprofile(sandbox):
    for module, name in (("laptime.cprofile", "ours.prof"), ("cProfile", "theirs.prof")):
        sandbox.python("-m", module, "-o", name, MANY_CALLS)
    ours, theirs = (
        pstats.Stats(str(sandbox.folder / name)).stats for name in ("ours.prof", "theirs.prof")
    )

    def counts(stats):
        return {
            _named(function): (
                cc,
                nc,
                {_named(caller): calls[:2] for caller, calls in callers.items()},
            )
            for function, (cc, nc, _, _, callers) in stats.items()
        }

    assert counts(ours) == counts(theirs)
    for cc, nc, tt, ct, callers in ours.values():
        assert nc >= cc > 0 and 0 <= tt <= ct + 1e-9
        assert not callers or sum(calls[2] for calls in callers.values()) <= tt + 1e-9


def _named(function):
    return function[0], function[1], re.sub(r"0x[0-9a-f]+", "ADDRESS", function[2])


def test_module_with_arguments(sandbox):
    sandbox.write("package/__init__.py", "")
    sandbox.write("package/part.py", "def part():\n    return 1\n")
    sandbox.write(
        "package/__main__.py",
        "import sys\nfrom .part import part\nprint(part(), sys.argv[1:], __name__)\n",
    )
    ours, theirs = both(sandbox, "-m", "package", "-o", "x", "y")
    assert (
        ours.stdout.splitlines()[0]
        == theirs.stdout.splitlines()[0]
        == "1 ['-o', 'x', 'y'] __main__"
    )
    assert re.search(r" 1 .* part\.py:1\(part\)", ours.stdout)


def test_script_in_another_folder_sees_itself_as_main(sandbox):
    sandbox.write("elsewhere/neighbour.py", "VALUE = 3\n")
    sandbox.write(
        "elsewhere/script.py",
        """
        import pickle, sys
        import neighbour


        class Point:
            pass


        again = pickle.loads(pickle.dumps(Point()))
        print(neighbour.VALUE, sys.argv, __name__, __file__, type(again).__name__)
    """,
    )
    out = sandbox.python("-m", "laptime.cprofile", "elsewhere/script.py", "a").stdout
    assert (
        out.splitlines()[0] == "3 ['elsewhere/script.py', 'a'] __main__ elsewhere/script.py Point"
    )


def test_exit_code_and_exceptions(sandbox):
    sandbox.write("exits.py", "import sys\nsys.exit(4)\n")
    assert "function calls" in sandbox.python("-m", "laptime.cprofile", "exits.py", code=4).stdout
    sandbox.write("raises.py", "def f():\n    raise KeyError('x')\nf()\n")
    result = sandbox.python("-m", "laptime.cprofile", "-o", "out.prof", "raises.py", code=1)
    assert "KeyError: 'x'" in result.stderr
    assert any(name == "f" for _, _, name in pstats.Stats(str(sandbox.folder / "out.prof")).stats)


def test_mistakes_get_one_line(sandbox):
    cprofile = ["-m", "laptime.cprofile"]
    assert (
        sandbox.python(*cprofile, "missing.py", code=2).stderr
        == "laptime: cannot open missing.py: No such file or directory\n"
    )
    sandbox.write("script.py", "print('ran')\n")
    result = sandbox.python(*cprofile, "-o", "no/folder/x.prof", "script.py", code=2)
    assert (
        result.stderr == "laptime: cannot write no/folder/x.prof: No such file or directory\n"
        and "ran" not in result.stdout
    )
    assert sandbox.python(*cprofile, code=2).stdout.startswith("Usage: ")


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def profiled(profile, text=False):
    profile.enable()
    fib(8)
    sorted([3, 1, 2], key=lambda x: -x)
    profile.disable()
    out = io.StringIO()
    pstats.Stats(profile, stream=out).strip_dirs().sort_stats("name").print_stats()
    return out.getvalue()


def test_enable_and_disable_as_cprofile():
    assert table(profiled(Profile())) == table(profiled(cProfile.Profile()))


@pytest.mark.parametrize(
    "options", [{"builtins": False}, {"subcalls": False}, {"subcalls": True, "builtins": True}]
)
def test_options_as_cprofile(options):
    assert table(profiled(Profile(**options))) == table(profiled(cProfile.Profile(**options)))


class Ticks:
    """A timer that any two profilers read alike: it goes on by one a call."""

    def __init__(self):
        self.now = 0

    def __call__(self):
        self.now += 1
        return self.now


@pytest.mark.parametrize(
    "options", [{}, {"timeunit": 0.01}, {"builtins": False}, {"subcalls": False}]
)
def test_a_timer_of_the_programs_own(options):
    """Its readings are what is shown, which no clock of ours gives."""
    ours, theirs = (profiled(kind(Ticks(), **options)) for kind in (Profile, cProfile.Profile))
    seconds = [
        [re.findall(r"[\d.]+", line) for line in text.splitlines() if "(fib)" in line]
        for text in (ours, theirs)
    ]
    assert table(ours) == table(theirs) and seconds[0] == seconds[1] != []


def test_a_timer_with_ours_in_the_place_of_cprofile(sandbox):
    sandbox.write(
        "replaced.py",
        """
        import sys
        import laptime.compat.cprofile
        sys.modules["cProfile"] = laptime.compat.cprofile
        import cProfile
        profile = cProfile.Profile(lambda: 0, 0.5)
        profile.runcall(sum, [1, 2])
        profile.print_stats()
    """,
    )
    assert "built-in method builtins.sum" in sandbox.python("replaced.py").stdout


def outcome(call):
    try:
        return call()
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(
    "first, second",
    [
        (cProfile.Profile, cProfile.Profile),
        (Profile, Profile),
        (Profile, cProfile.Profile),
        (cProfile.Profile, Profile),
        (lambda: Profile(time.perf_counter), Profile),
        (Profile, lambda: Profile(time.perf_counter)),
    ],
)
def test_a_second_active_profiler_is_refused_as_by_the_interpreter(first, second):
    one, two = first(), second()
    one.enable()
    try:
        refused = (
            "Another profiling tool is already active" if sys.version_info >= (3, 12) else None
        )
        assert outcome(two.enable) == refused
        two.disable()
        one.disable()
        assert outcome(two.enable) is None
    finally:
        two.disable()
        one.disable()


def test_enabling_twice_is_refused_as_by_the_interpreter():
    outcomes = []
    for profile in (Profile(), cProfile.Profile()):
        outcomes.append(
            [
                outcome(profile.enable),
                outcome(profile.enable),
                outcome(profile.disable),
                outcome(profile.disable),
            ]
        )
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize("words", [["-s", "beauty", "x.py"], ["-s"], ["--nothing"], ["-o"]])
def test_mistakes_on_the_command_line_read_as_cprofiles(sandbox, words):
    ours, theirs = both(sandbox, *words, code=2)
    assert (
        ours.stderr.partition("error: ")[1:] == theirs.stderr.partition("error: ")[1:]
        and "error: " in ours.stderr
    )


def test_goes_on_after_disable_and_forgets_after_clear():
    profile = Profile()
    for _ in range(3):
        profile.enable()
        fib(5)
        profile.disable()
        fib(5)
    profile.create_stats()
    key = (__file__, fib.__code__.co_firstlineno, "fib")
    assert profile.stats[key][:2] == (3, 45)
    profile.clear()
    profile.snapshot_stats()
    assert profile.stats == {}


def test_snapshot_while_running():
    profile = Profile()
    profile.enable()
    fib(5)
    profile.snapshot_stats()
    key = (__file__, fib.__code__.co_firstlineno, "fib")
    first = profile.stats[key]
    fib(5)
    profile.disable()
    profile.create_stats()
    assert first[1] == 15 and profile.stats[key][1] == 30


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="refused, as by the interpreter")
@pytest.mark.parametrize("profiler", [cProfile.Profile, Profile], ids=["theirs", "ours"])
def test_the_programs_profile_function_is_the_profiler_as_with_cprofile(profiler):
    expected = sys.version_info < (3, 12)
    profile = profiler()
    with profile:
        while_enabled = sys.getprofile()
    assert (while_enabled is profile) == expected
    assert sys.getprofile() is None


@pytest.mark.skipif(
    sys.version_info >= (3, 12), reason="sys.getprofile() knows nothing of profilers there"
)
def test_the_latest_enabled_profile_is_the_profile_function():
    outer, inner = Profile(builtins=False), Profile()
    with outer:
        with inner:
            inner.enable()  # has no effect
            latest = sys.getprofile()
        after = sys.getprofile()
    assert (latest, after, sys.getprofile()) == (inner, outer, None)


def test_a_profile_function_of_the_programs_own_stays():
    def own(frame, event, argument):
        pass

    sys.setprofile(own)
    with Profile():
        during = sys.getprofile()
    after = sys.getprofile()
    sys.setprofile(None)
    assert during is after is own


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="a second one is refused")
def test_two_profiles_at_once():
    outer, inner = Profile(), Profile()
    key = (__file__, fib.__code__.co_firstlineno, "fib")
    with outer:
        fib(5)
        with inner:
            fib(3)
    outer.create_stats()
    inner.create_stats()
    assert outer.stats[key][1] == 15 + 5 and inner.stats[key][1] == 5


def test_run_runctx_runcall(capsys, tmp_path):
    assert Profile().runcall(fib, 7) == 13
    namespace = {"fib": fib}
    profile = Profile().runctx("x = fib(6)", namespace, namespace)
    profile.create_stats()
    assert (
        namespace["x"] == 8
        and profile.stats[(__file__, fib.__code__.co_firstlineno, "fib")][1] == 25
    )
    runctx("fib(3)", namespace, namespace, str(tmp_path / "out.prof"))
    assert pstats.Stats(str(tmp_path / "out.prof")).total_calls > 5
    run("1 + 1")
    assert "function calls in" in capsys.readouterr().out


def test_getstats_has_what_lsprof_gives():
    ours, theirs = Profile(), cProfile.Profile()
    for profile in (ours, theirs):
        profile.runcall(fib, 6)

    def entries(profile):
        return {
            cProfile.label(e.code): (
                e.callcount,
                e.reccallcount,
                sorted(
                    (cProfile.label(s.code), s.callcount, s.reccallcount) for s in e.calls or ()
                ),
            )
            for e in profile.getstats()
        }

    assert entries(ours) == entries(theirs)


def test_pstats_on_ours(tmp_path):
    profile = Profile()
    profile.runcall(fib, 6)
    profile.dump_stats(tmp_path / "a.prof")
    out = io.StringIO()
    stats = pstats.Stats(str(tmp_path / "a.prof"), stream=out)
    stats.add(str(tmp_path / "a.prof"))
    stats.strip_dirs().sort_stats("cumulative", "name").print_stats(
        5
    ).print_callers().print_callees()
    assert "50/2" in out.getvalue() and "was called by" in out.getvalue()


def test_threads_are_right():
    """Each thread on a stack of its own: nobody's calls look recursive, and no time is counted
    twice.
    """
    profile = Profile()
    threads = [threading.Thread(target=fib, args=(10,)) for _ in range(6)]
    profile.enable()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    profile.disable()
    profile.create_stats()
    cc, nc, tt, ct, _ = profile.stats[(__file__, fib.__code__.co_firstlineno, "fib")]
    assert (cc, nc) == (6, 6 * 177)
    assert 0 < tt <= ct + 1e-6


def test_snakeviz_starts_on_ours(sandbox):
    pytest.importorskip("snakeviz")
    sandbox.python("-m", "laptime.cprofile", "-o", "out.prof", MANY_CALLS)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    server = subprocess.Popen(
        [sys.executable, "-m", "snakeviz", "-s", "-p", str(port), "-H", "127.0.0.1", "out.prof"],
        cwd=sandbox.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    try:
        path = urllib.request.pathname2url(str(sandbox.folder / "out.prof"))
        page = _fetch(f"http://127.0.0.1:{port}/snakeviz/{path.replace('/', '%2F')}")
    finally:
        server.terminate()
        server.communicate()
    callees = ast.literal_eval(re.search(r"var profile_data = (\{.*\});", page)[1])
    assert any("many_calls.py" in name and "(fib)" in name for name in callees)


def _fetch(address):
    end = time.monotonic() + 30
    while True:
        try:
            with urllib.request.urlopen(address) as answer:
                assert answer.status == 200
                return answer.read().decode()
        except OSError:
            if time.monotonic() > end:
                raise
            time.sleep(0.1)
