"""What the program has of the interpreter under `laptime run` is its own: monitoring ids, profile
functions, warnings, stack dumps, names.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig

import pytest

COMMAND = shutil.which("laptime", path=sysconfig.get_path("scripts"))
MONITORING = sys.version_info >= (3, 12)
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the laptime command is not installed here")


def start(sandbox, *words, code=0):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LAPTIME_") and key != "VIRTUAL_ENV"
    }
    result = subprocess.run(
        [str(word) for word in words],
        cwd=sandbox.folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result


def ours(sandbox, *words, code=0, options=("--full",)):
    return start(
        sandbox,
        COMMAND,
        "run",
        "-q",
        *options,
        "-o",
        "run.lap",
        "--",
        sys.executable,
        *words,
        code=code,
    )


def rows(sandbox, table, run="run.lap"):
    (found,) = json.loads(start(sandbox, COMMAND, "report", run, table, "--json").stdout)["tables"]
    return [
        dict(zip([column["name"] for column in found["columns"]], row)) for row in found["rows"]
    ]


def warnings(sandbox, run="run.lap"):
    return [row["name"] for row in rows(sandbox, "warnings", run)]


TOOL = """
    import sys
    monitoring = sys.monitoring
    seen = []

    def work(n):
        total = 0
        for i in range(n):
            total += i
        return total

    def take(tool):
        assert monitoring.get_tool(tool) is None
        monitoring.use_tool_id(tool, f"program {tool}")
        assert monitoring.get_tool(tool) == f"program {tool}"
        start = monitoring.events.PY_START
        follow = lambda code, offset: seen.append((tool, code.co_name))
        monitoring.register_callback(tool, start, follow)
        monitoring.set_local_events(tool, work.__code__, start)

    if "late" in sys.argv:
        work(10)
    for tool in map(int, sys.argv[1].split(",")):
        take(tool)
    work(1000)
    ids = range(6)
    print(seen, [monitoring.get_tool(i) for i in ids], [monitoring.get_events(i) for i in ids])
    for tool in map(int, sys.argv[1].split(",")):
        monitoring.free_tool_id(tool)
    try:
        monitoring.use_tool_id(9, "out of range")
    except ValueError as error:
        print(error)
    print(monitoring.use_tool_id.__name__, type(monitoring.use_tool_id).__name__)
"""


@pytest.mark.skipif(not MONITORING, reason="sys.monitoring")
@pytest.mark.parametrize("when", ["early", "late"])
@pytest.mark.parametrize(
    "ids", ["3", "4", "3,4", "5,3,0", "0,1,2,3,4", "0,1,2,3,4,5", "5,4,3,2,1,0"]
)
@pytest.mark.parametrize("options", [("--full",), ("--full", "-f")], ids=["lines", "functions"])
def test_a_program_gets_the_tool_ids_that_it_takes(sandbox, ids, when, options):
    sandbox.write("tool.py", TOOL)
    bare = start(sandbox, sys.executable, "tool.py", ids, when)
    assert ours(sandbox, "tool.py", ids, when, options=options).stdout == bare.stdout
    room_for = 6 - len(ids.split(","))
    tools = len(options)
    counted = {row["source"].strip(): row["hits"] for row in rows(sandbox, "lines")}.get(
        "total += i", 0
    )
    if room_for >= tools:
        assert warnings(sandbox) == [] and counted == (1010 if when == "late" else 1000)
    else:
        assert warnings(sandbox) == ["monitoring_taken"]


@pytest.mark.skipif(not MONITORING, reason="sys.monitoring")
def test_a_block_goes_on_without_lines_where_all_ids_are_taken(sandbox):
    sandbox.write(
        "block.py",
        """
        import sys
        import laptime
        for tool in range(6):
            sys.monitoring.use_tool_id(tool, "program")
        with laptime.profile("block.lap"):
            with laptime.scope("inside"):
                pass
        print([sys.monitoring.get_tool(tool) for tool in range(6)] == ["program"] * 6)
    """,
    )
    assert start(sandbox, sys.executable, "block.py").stdout.startswith("True\n")
    assert [row["name"] for row in rows(sandbox, "scopes", "block.lap")] == ["inside"]
    assert warnings(sandbox, "block.lap") == ["monitoring_taken"]


PROFILES = """
    import sys, threading
    events = []

    def follow(frame, event, argument):
        name = argument.__name__ if event.startswith("c_") else frame.f_code.co_name
        events.append((event, name))

    def work():
        len("x")
        return sorted([3, 1])

    def main():
        sys.setprofile(follow)
        work()
        sys.setprofile(None)

    main()
    threading.setprofile(follow)
    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    threading.setprofile(None)
    sys.setprofile(follow)
    work()
    sys.setprofile(None)
    print(events, sys.getprofile())
"""


@pytest.mark.parametrize("options", [(), ("--full",)], ids=" ".join)
def test_a_programs_profile_function_hears_what_it_hears_bare(sandbox, options):
    sandbox.write("profiles.py", PROFILES)
    assert (
        ours(sandbox, "profiles.py", options=options).stdout
        == start(sandbox, sys.executable, "profiles.py").stdout
    )


FORKS = """
    import os, sys, threading, time, warnings
    if "error" in sys.argv:
        warnings.simplefilter("error")
    if "always" in sys.argv:
        warnings.simplefilter("always")
    if "thread" in sys.argv:
        threading.Thread(target=time.sleep, args=(1,), daemon=True).start()

    def fork():
        try:
            child = os.fork()
        except DeprecationWarning as error:
            print("raised", str(error).partition("pid=")[0])
            return
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

    fork()
    fork()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fork()
    print([str(each.message).partition("pid=")[0] for each in caught])
"""


@pytest.mark.parametrize(
    "words",
    [[], ["thread"], ["error"], ["always"], ["thread", "error"], ["thread", "always"]],
    ids=" ".join,
)
def test_forks_warn_as_in_a_bare_run(sandbox, words):
    sandbox.write("forks.py", FORKS)
    bare = start(sandbox, sys.executable, "-Wdefault", "forks.py", *words)
    result = ours(sandbox, "-Wdefault", "forks.py", *words)
    assert result.stdout == bare.stdout
    assert re.sub(r"pid=\d+", "pid", result.stderr) == re.sub(r"pid=\d+", "pid", bare.stderr)
    if MONITORING:
        assert (
            "multi-threaded" in bare.stderr
            or "raised" in bare.stdout
            or "This process" in bare.stdout
        ) == ("thread" in words)


STACKS = """
    import faulthandler, os, sys, threading, time
    faulthandler.enable()

    def inner():
        faulthandler.dump_traceback(all_threads=True)
        if sys.argv[1:] == ["crash"]:
            faulthandler._sigsegv()
        if sys.argv[1:] == ["abort"]:
            os.abort()

    ready = threading.Event()
    threading.Thread(target=lambda: (ready.set(), time.sleep(60)), daemon=True).start()
    ready.wait()
    time.sleep(0.1)
    [inner() for _ in range(1)]
    os._exit(0)
"""


@pytest.mark.parametrize("word, code", [("dump", 0), ("crash", -11), ("abort", -6)])
@pytest.mark.parametrize("options", [("--full",), ("--full", "-f")], ids=" ".join)
def test_stack_dumps_read_as_in_a_bare_run(sandbox, word, code, options):
    sandbox.write("stacks.py", STACKS)
    text = [
        re.sub(r"0x[0-9a-f]+", "ADDRESS", result.stderr)
        for result in (
            start(sandbox, sys.executable, "stacks.py", word, code=code),
            ours(sandbox, "stacks.py", word, code=code, options=options),
        )
    ]
    assert text[0] == text[1] and "inner" in text[0]


def test_lone_surrogates_are_names_like_others(sandbox):
    sandbox.write(
        "names.py",
        r"""
        import threading
        import laptime

        for name in ("\udc80", "a\ud800b", "plain"):
            with laptime.scope(name):
                pass
            assert laptime.scope(name).name == name
        space = {}
        text = "def f(n):\n    for i in range(n):\n        pass\n"
        exec(compile(text, "/program/\udcff.py", "exec"), space)
        named = ["co_name", "co_qualname"][: 1 + hasattr(space["f"].__code__, "co_qualname")]
        space["f"].__code__ = space["f"].__code__.replace(**{key: "name\udc81" for key in named})
        thread = threading.Thread(target=space["f"], args=(50,), name="thread\udc82")
        thread.start()
        thread.join()
        with laptime.profile("inner\udcfe.lap"):
            pass
    """,
    )
    ours(sandbox, "names.py", options=("--full", "-f"))
    assert sorted(row["name"] for row in rows(sandbox, "scopes")) == [
        "a\ufffd\ufffd\ufffdb",
        "plain",
        "\ufffd",
    ]
    lines = [row for row in rows(sandbox, "lines") if row["file"] == "/program/\ufffd.py"]
    assert {row["hits"] for row in lines if row["line"] == 3} == {50}
    assert "name\ufffd" in {row["name"] for row in rows(sandbox, "functions")}
    assert warnings(sandbox) == []


def test_a_script_whose_name_is_no_text(sandbox):
    path = os.fsencode(sandbox.folder) + b"/\xff program.py"
    with open(path, "wb") as file:
        file.write(b"total = 0\nfor i in range(70):\n    total += i\nprint(total)\n")
    assert ours(sandbox, os.fsdecode(path)).stdout == "2415\n"
    assert {row["source"].strip(): row["hits"] for row in rows(sandbox, "lines")}[
        "total += i"
    ] == 70
