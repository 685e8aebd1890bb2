"""`laptime run` on Python programs: the program notices nothing, and what it did is in the run."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from compat_sandbox import BASE_PYTHON, recording_environment

COMMAND = shutil.which("laptime", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the laptime command is not installed here")

# What a program can see of how it was started.
SHOW = """
    import os
    import signal
    import sys
    import threading

    main = sys.modules["__main__"]
    print(sys.argv, __name__, __file__, __package__, __spec__ and __spec__.name, os.getcwd())
    print(sys.path[0], [entry for entry in sys.path if "laptime" in entry and "_site" in entry])
    print(sorted(name for name in vars(main) if name.startswith("__")), main.__dict__ is globals())
    handler = signal.getsignal(signal.SIGINT)
    print(sys.flags.optimize, sys.stdin.read(), threading.active_count(), handler.__name__)
"""


@pytest.fixture
def run(sandbox):
    """`laptime run WORDS`, recorded into run.lap."""

    def start(*words, code=0, env=None, stdin=""):
        environment = {
            key: value
            for key, value in os.environ.items()
            if not key.startswith("LAPTIME_") and key != "VIRTUAL_ENV"
        }
        result = subprocess.run(
            [COMMAND, "run", "-q", "-o", "run.lap", *words],
            cwd=sandbox.folder,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=120,
            env={**environment, **(env or {})},
        )
        assert result.returncode == code, result.stdout + result.stderr
        return result

    return start


def processes(sandbox):
    """How many recorded."""
    output = subprocess.run(
        [COMMAND, "report", "run.lap", "run", "--json"],
        cwd=sandbox.folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return next(row[1] for row in json.loads(output)["tables"][0]["rows"] if row[0] == "processes")


def test_program_sees_what_it_always_sees(sandbox, run):
    sandbox.write("folder/show.py", SHOW)
    ours = run("folder/show.py", "a", "--budget", "-m", stdin="input")
    bare = sandbox.python("folder/show.py", "a", "--budget", "-m", stdin="input")
    assert ours.stdout == bare.stdout and ours.stderr == bare.stderr
    assert processes(sandbox) == 1


def test_module_sees_what_it_always_sees(sandbox, run):
    sandbox.write("package/__init__.py", "")
    sandbox.write("package/other.py", "VALUE = 5\n")
    sandbox.write(
        "package/__main__.py",
        "from .other import VALUE\nprint(VALUE)\n"
        + "\n".join(line.strip() for line in SHOW.splitlines()),
    )
    assert (
        run("-m", "package", "x", stdin="input").stdout
        == sandbox.python("-m", "package", "x", stdin="input").stdout
    )


def test_code_and_stdin(sandbox, run):
    assert run("-c", "import sys; print(sys.argv)", "x").stdout == "['-c', 'x']\n"
    assert run("--", sys.executable, "-", stdin="print('from stdin')").stdout == "from stdin\n"


def test_interpreter_flags_are_kept(sandbox, run):
    sandbox.write(
        "flags.py", "import sys\nprint(sys.flags.optimize, sys.flags.dont_write_bytecode)\n"
    )
    assert run("--", sys.executable, "-O", "-B", "flags.py").stdout == "1 1\n"


@pytest.mark.parametrize(
    "source, code",
    [
        ("import sys\nsys.exit(7)\n", 7),
        ("raise SystemExit('a message')\n", 1),
        ("def f():\n    return 1 / 0\nf()\n", 1),
        ("x = (\n", 1),
        ("import os\nos._exit(9)\n", 9),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n", -9),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGTERM)\nimport time\ntime.sleep(9)\n",
            -15,
        ),
        ("import os, signal, time\nos.kill(os.getpid(), signal.SIGINT)\ntime.sleep(9)\n", -2),
    ],
)
def test_end_and_traceback_are_the_programs_own(sandbox, run, source, code):
    sandbox.write("ends.py", source)
    ours, bare = run("ends.py", code=code), sandbox.python("ends.py", code=code)
    assert ours.stderr == bare.stderr and ours.stdout == bare.stdout
    assert processes(sandbox) == 1


def test_mistakes_get_one_line(sandbox, run):
    assert (
        run("missing.py", code=2).stderr
        == "laptime: cannot open missing.py: No such file or directory\n"
    )
    assert run(code=2).stderr.startswith("laptime: run needs a program")
    for budget in ("lots", "0%", "100%", "nan", "-1"):
        error = run("--budget", budget, "x.py", code=2).stderr
        assert "--budget" in error and error.count("\n") == 1


def test_lines_of_user_code_are_counted_from_the_first_import_on(sandbox, run):
    """The program looks into the engine from inside: no other reader is needed."""
    sandbox.write("own.py", "LIST = []\nfor i in range(7):\n    LIST.append(i)\n")
    sandbox.write("skipped.py", "VALUE = 1\n")
    sandbox.write(
        "looks.py",
        """
        import json
        import own
        import skipped
        from laptime.collect import engine
        seen = {key[0].rpartition("/")[2]: rows for key, rows in engine.snapshot_lines().items()}
        print(json.dumps({"files": sorted(seen), "own": [row[:2] for row in seen.get("own.py", [])],
                          "running": engine.running()}))
    """,
    )
    out = json.loads(run("--budget", "none", "looks.py").stdout)
    assert out == {
        "files": ["looks.py", "own.py", "skipped.py"],
        "own": [[1, 1], [2, 8], [3, 7]],
        "running": [True, False],
    }
    out = json.loads(run("--budget", "none", "--exclude", "*/skip*", "looks.py").stdout)
    assert out["files"] == ["looks.py", "own.py"]
    out = json.loads(
        run("--budget", "none", "--exclude", "*", "--include", "*/json/*", "looks.py").stdout
    )
    assert out["files"] == []
    assert json.loads(run("--budget", "none", "--no-lines", "--functions", "looks.py").stdout)[
        "running"
    ] == [False, True]


CHILDREN = """
    import multiprocessing
    import os
    import subprocess
    import sys

    from laptime.collect import engine


    def work(n):
        total = 0
        for i in range(n):
            total += i
        counted = any("work" == key[2] for key in engine.snapshot_lines())
        return total, engine.running()[0], counted


    if __name__ == "__main__":
        for method in sys.argv[1:]:
            with multiprocessing.get_context(method).Pool(1) as pool:
                print(method, pool.map(work, [10, 100]))
                pool.close()
                pool.join()
        asks = "import laptime.collect.engine as e; print(e.running())"
        command = [sys.executable, "-c", asks]
        print(subprocess.run(command, capture_output=True, text=True).stdout)
"""


@pytest.mark.parametrize("method", ["fork", "spawn", "forkserver"])
def test_children_are_covered(sandbox, run, method):
    sandbox.write("children.py", CHILDREN)
    out = run("children.py", method).stdout
    assert out == f"{method} [(45, True, True), (4950, True, True)]\n(True, False)\n\n"
    assert processes(sandbox) >= 3, "the program, its worker, and the interpreter it started"


def test_another_sitecustomize_has_its_turn(sandbox, run):
    sandbox.write("site/sitecustomize.py", "import builtins\nbuiltins.customized = True\n")
    sandbox.write("asks.py", "print(customized)\n")
    path = os.pathsep.join([str(sandbox.folder / "site"), os.environ.get("PYTHONPATH", "")])
    assert run("asks.py", env={"PYTHONPATH": path}).stdout == "True\n"


def test_python_without_laptime_is_left_alone(sandbox):
    """Another interpreter may inherit the environment."""
    site = Path(__import__("laptime").__file__).parent / "_site"
    shutil.copytree(site, sandbox.folder / "laptime" / "_site")
    environment = recording_environment(sandbox.folder / "run.lap.d")
    environment["PYTHONPATH"] = str(sandbox.folder / "laptime" / "_site")
    words = [
        BASE_PYTHON,
        "-c",
        "import sys; print('went on', 'sitecustomize' in sys.modules, 'laptime' in sys.modules)",
    ]
    result = subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60)
    assert (result.stdout, result.stderr) == ("went on False False\n", "")


def test_bad_options_do_not_stop_the_program(sandbox):
    environment = {
        **recording_environment(sandbox.folder / "run.lap.d"),
        "LAPTIME_PYTHON": "nonsense",
    }
    result = sandbox.python("-c", "print('went on')", env=environment)
    assert result.stdout == "went on\n" and result.stderr.startswith(
        "laptime: Python is not measured in process"
    )
    assert result.stderr.count("\n") == 1


def test_seeded_results_are_the_same(sandbox, run):
    sandbox.write(
        "seeded.py",
        """
        import hashlib, random
        rng = random.Random(3)
        weights = [rng.random() for _ in range(50)]
        for step in range(200):
            weights = [w - 0.01 * (w * w - rng.random()) for w in weights]
        print(hashlib.sha256(repr(weights).encode()).hexdigest(), random.Random(1).getrandbits(64))
    """,
    )
    assert (
        run("seeded.py").stdout
        == run("--budget", "none", "--functions", "seeded.py").stdout
        == sandbox.python("seeded.py").stdout
    )


def test_command_reports_scopes_of_the_run(sandbox, run):
    sandbox.write(
        "marks.py",
        """
        import laptime
        for _ in laptime.steps(range(4), samples=2):
            with laptime.scope("forward"):
                sum(range(1000))
    """,
    )
    run("marks.py")
    report = subprocess.run(
        [COMMAND, "report", "run.lap", "steps", "scopes", "--json"],
        cwd=sandbox.folder,
        capture_output=True,
        text=True,
        check=True,
    )
    tables = {table["name"]: table for table in json.loads(report.stdout)["tables"]}
    assert len(tables["steps"]["rows"]) == 4
    assert any("forward" in row for row in tables["scopes"]["rows"])


def warnings(sandbox):
    output = subprocess.run(
        [COMMAND, "report", "run.lap", "warnings", "--json"],
        cwd=sandbox.folder,
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    return {row[0] for row in json.loads(output)["tables"][0]["rows"]}


def test_what_processes_leave_for_each_other_goes_with_the_folder(sandbox, run):
    sandbox.write(
        "hot.py",
        """
        def work(n):
            total = 0
            for i in range(n):
                total += i
            return total

        work(4_000_000)
    """,
    )
    run("hot.py")
    assert "over_budget" in warnings(sandbox)
    assert sorted(path.name for path in sandbox.folder.iterdir()) == ["hot.py", "run.lap"]


def test_counts_that_a_kill_took_along_are_a_loss(sandbox, run):
    sandbox.write(
        "killed.py",
        """
        import os
        import signal
        os.kill(os.getpid(), signal.SIGKILL)
    """,
    )
    run("killed.py", code=-9)
    assert "counts_in_memory" in warnings(sandbox)
    sandbox.write("ended.py", "print(1)")
    run("ended.py")
    assert warnings(sandbox) == set()


def test_a_program_that_ends_without_a_free_descriptor(sandbox, run):
    sandbox.write(
        "uses_all.py",
        """
        import os
        import resource

        def work():
            return sum(range(10))

        work()
        resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
        try:
            while True:
                os.open("/dev/null", os.O_RDONLY)
        except OSError:
            work()
    """,
    )
    assert run("uses_all.py").stderr == ""
    assert warnings(sandbox) == set()
