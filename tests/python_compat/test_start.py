"""How `laptime run` starts a Python program.

Path, modules and site hooks are as in a bare run. laptime imports nothing of the program's.
"""

import ast
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest
from compat_sandbox import BASE_PYTHON

COMMAND = shutil.which("laptime", path=sysconfig.get_path("scripts"))
PACKAGE = Path(__import__("laptime").__file__).parent
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the laptime command is not installed here")

# All that a program can see of its start. Modules that no folder can replace are left out.
SHOW = """
    import sys
    main = sys.modules["__main__"]
    fixed = "built-in", "frozen", None
    modules = sorted(
        name for name, module in sys.modules.items() if not name.startswith("laptime") and
        getattr(getattr(module, "__spec__", None), "origin", None) not in fixed
    )
    import os
    given = os.environ.get("PYTHONPATH", "").split(":")
    site = [entry for entry in given if not entry.endswith("laptime/_site")]
    place = sys.executable, sys.prefix, os.getcwd()
    print(sys.path, sys.argv, sys.orig_argv, sys.flags, *place, sep="\\n")
    users = given[1:] if given[0].endswith("laptime/_site") else [e for e in given if given != [""]]
    print(users)
    spec = __spec__ and (__spec__.name, __spec__.origin)
    print(__name__, globals().get("__file__"), __package__, spec, sorted(vars(main)))
    print("modules", *modules, file=sys.stderr)
    if "child" not in sys.argv:
        import subprocess
        show = "import sys; print(sys.path, sys.argv, sys.orig_argv)"
        sys.stdout.flush()
        subprocess.run([sys.executable, "-c", show, "child"], check=True)
"""


def without_laptime(**variables):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LAPTIME_") and key not in ("VIRTUAL_ENV", "PYTHONPATH")
    }
    return {**environment, **variables}


def start(folder, *words, environment, code=0):
    result = subprocess.run(
        [str(word) for word in words],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert result.returncode == code, result.stdout + result.stderr
    return result


def bare_and_ours(folder, *words, code=0, **variables):
    """Both results of `python WORDS`."""
    environment = without_laptime(**variables)
    bare = start(folder, sys.executable, *words, environment=environment, code=code)
    ours = start(
        folder,
        COMMAND,
        "run",
        "-q",
        "-o",
        folder / "run.lap",
        "--",
        sys.executable,
        *words,
        environment=environment,
        code=code,
    )
    return bare, ours


def assert_same(folder, *words, **options):
    bare, ours = bare_and_ours(folder, *words, **options)
    assert ours.stdout == bare.stdout
    if bare.stderr.startswith(
        "modules "
    ):  # what a module imports that laptime has imported before is not imported again
        assert set(ours.stderr.split()) <= set(bare.stderr.split())
    else:
        assert ours.stderr == bare.stderr
    return ours


@pytest.fixture
def programs(sandbox):
    sandbox.write("show.py", SHOW)
    sandbox.write("other/deep/show.py", SHOW)
    sandbox.write("pkg/__init__.py", "")
    sandbox.write("pkg/__main__.py", sandbox.write("folder/__main__.py", SHOW).read_text())
    with zipfile.ZipFile(sandbox.folder / "program.zip", "w") as archive:
        archive.write(sandbox.folder / "show.py", "__main__.py")
    (sandbox.folder / "link.py").symlink_to("other/deep/show.py")
    return sandbox.folder


CODE = "import sys, os; print(sys.path, sys.argv, sys.orig_argv, sys.flags, sorted(vars()))"
SAFE_PATH = [["-P", "show.py"]] if sys.version_info >= (3, 11) else []


@pytest.mark.parametrize(
    "words",
    [
        ["show.py", "a", "--budget"],
        ["other/deep/show.py"],
        ["./link.py"],
        ["folder"],
        ["program.zip", "x"],
        ["-m", "pkg", "-m"],
        ["-mpkg"],
        ["-um", "pkg"],
        ["-c", CODE, "-c"],
        ["-u", "-O", "-B", "show.py"],
        ["-X", "dev", "-W", "ignore", "show.py"],
        ["-Xutf8", "-Wignore", "show.py"],
        ["-s", "show.py"],
        *SAFE_PATH,
    ],
    ids=" ".join,
)
def test_start_is_the_bare_one(programs, words):
    assert_same(programs, *words)


@pytest.mark.parametrize(
    "words",
    [["-I", "show.py"], ["-E", "show.py"], ["-S", "show.py"], ["-Es", "-m", "pkg"]],
    ids=" ".join,
)
def test_without_collectors_the_start_is_the_bare_one_and_a_line_says_so(programs, words):
    bare, ours = bare_and_ours(programs, *words, PYTHONPATH=str(programs))
    assert ours.stdout == bare.stdout
    assert (
        ours.stderr.count("laptime: ") == 1
        and "not measured: an interpreter with -I, -E or -S" in ours.stderr
    )


@pytest.mark.parametrize(
    "path",
    [
        "",
        ":",
        "::",
        "{0}/other:",
        ":{0}/other",
        "{0}/a::{0}/b",
        "other",
        "{0}/other:{0}/other",
        ".",
    ],
)
@pytest.mark.parametrize("variables", [{}, {"PYTHONSAFEPATH": "1"}], ids=["", "safe"])
def test_entries_of_the_path_stay_as_they_were(programs, path, variables):
    assert_same(programs, "show.py", PYTHONPATH=path.format(programs), **variables)


def test_a_run_in_a_run_has_the_same_path(programs):
    environment = without_laptime(PYTHONPATH=f":{programs}/other")
    bare = start(programs, sys.executable, "show.py", environment=environment)
    ours = start(
        programs,
        COMMAND,
        "run",
        "-q",
        "-o",
        "outer.lap",
        "--",
        COMMAND,
        "run",
        "-q",
        "-o",
        "inner.lap",
        "--",
        sys.executable,
        "show.py",
        environment=environment,
    )
    assert ours.stdout == bare.stdout


def imported_names():
    """The standard library's modules that the package imports anywhere."""
    names = {"os", "statistics", "queue", "laptime"}
    for file in PACKAGE.rglob("*.py"):
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Import):
                names.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.partition(".")[0])
    return sorted(
        name
        for name in names
        if name == "laptime"
        or (name in sys.stdlib_module_names and name not in sys.builtin_module_names)
    )


# What the interpreter's own start needs: a program cannot have these.
NEEDED_TO_START = {
    "os",
    "io",
    "abc",
    "codecs",
    "encodings",
    "site",
    "stat",
    "types",
    "warnings",
    "__future__",
    "_frozen_importlib",
    "_frozen_importlib_external",
}


@pytest.mark.parametrize("variables", [{}, {"PYTHONPATH": ":"}], ids=["folder", "path"])
def test_modules_of_the_current_folder_are_not_ours(sandbox, variables):
    """A module of the program under each name says when it is imported: nothing but the program
    does that.
    """
    names = [name for name in imported_names() if name not in NEEDED_TO_START]
    assert {"json", "argparse", "threading", "typing", "laptime"} <= set(names)
    if variables:  # the interpreter finds these before the standard library's, in a bare run too
        names = [name for name in names if name not in sys.modules or name == "laptime"] + [
            "json",
            "argparse",
        ]
    for name in names:
        sandbox.write(f"{name}.py", f"print('imported {name}', flush=True)\n")
    sandbox.write("program.py", "total = 0\nfor i in range(100):\n    total += i\nprint(total)\n")
    environment = without_laptime(**variables)
    ours = start(
        sandbox.folder,
        COMMAND,
        "run",
        "--full",
        "-o",
        "run.lap",
        "program.py",
        environment=environment,
    )
    assert ours.stdout == "4950\n"
    assert "total += i" in ours.stderr
    for words in (["doctor"], ["tune", "--help"], ["report", "run.lap"]):
        assert (
            "imported" not in start(sandbox.folder, COMMAND, *words, environment=environment).stdout
        )
    assert (
        "imported"
        not in start(sandbox.folder, COMMAND, "tune", environment=environment, code=2).stderr
    )


@pytest.mark.parametrize(
    "name", [name for name in imported_names() if name not in NEEDED_TO_START and name != "laptime"]
)
def test_the_programs_own_module_of_a_standard_name_wins(sandbox, name):
    """As in a bare run; laptime goes on with the standard library's, also for what it imports at
    the end.
    """
    frozen = __import__("_frozen_importlib").FrozenImporter.find_spec(name) is not None
    sandbox.write(f"{name}.py", "OWN = 'own'\n")
    sandbox.write(
        "program.py",
        f"""
        import {name}
        print(getattr({name}, "OWN", "standard"), {name}.__file__)
        import laptime
        with laptime.scope("work"):
            total = 0
            for i in range(100):
                total += i
        with laptime.profile("inner.lap"):
            pass
    """,
    )
    environment = without_laptime()
    ours = start(
        sandbox.folder,
        COMMAND,
        "run",
        "-q",
        "--full",
        "-o",
        "run.lap",
        "program.py",
        environment=environment,
    )
    sandbox.write(
        "bare.py", f"import {name}\nprint(getattr({name}, 'OWN', 'standard'), {name}.__file__)\n"
    )
    assert (
        ours.stdout
        == start(sandbox.folder, sys.executable, "bare.py", environment=environment).stdout
    )
    assert frozen or ours.stdout.startswith("own ")
    tables = json.loads(
        start(
            sandbox.folder,
            COMMAND,
            "report",
            "run.lap",
            "lines",
            "scopes",
            "warnings",
            "--json",
            environment=environment,
        ).stdout
    )["tables"]
    rows = {table["name"]: table["rows"] for table in tables}
    assert any("total += i" in str(row) and 100 in row for row in rows["lines"])
    assert any("work" in row for row in rows["scopes"])
    assert rows["warnings"] == []


def test_what_laptime_has_imported_is_the_programs_own_copy_too(sandbox):
    """The program finds the same file, so the module's state exists once; a reload and a fresh
    import work as ever.
    """
    sandbox.write(
        "program.py",
        """
        import importlib, sys
        assert "json" not in sys.modules and "threading" not in sys.modules
        ours = sys.modules["laptime.collect.engine"].threading
        import threading
        names = threading.__spec__.name, threading.__loader__.name, threading.main_thread().name
        print(threading is ours, *names)
        assert "create_module" not in vars(threading.__spec__.loader)
        spec = importlib.util.find_spec("json")
        import json, json.decoder
        same = json.decoder is sys.modules["json.decoder"]
        print(json.loads("[1]"), same, spec.origin == json.__file__)
        first = json
        del sys.modules["json"]
        import json
        print(json is first, importlib.reload(json) is json, json.dumps([2]))
    """,
    )
    ours = start(sandbox.folder, COMMAND, "run", "-q", "program.py", environment=without_laptime())
    assert ours.stdout == "True threading threading MainThread\n[1] True True\nFalse True [2]\n"


def test_imports_of_laptime_hold_up_no_thread(sandbox):
    """Threads of the program import while laptime imports for its own needs."""
    sandbox.write("queue.py", "OWN = 'own'\n")
    sandbox.write(
        "program.py",
        """
        import sys, threading
        import queue
        names = [
            "colorsys", "chunk", "csv", "calendar", "cmd", "bisect",
            "fractions", "decimal", "heapq", "mailbox", "netrc", "plistlib",
        ]
        failures = []
        def imports(part):
            for name in part:
                try:
                    __import__(name)
                except ModuleNotFoundError as error:
                    failures.append(error) if name != "chunk" else None
        importing = sys.modules["laptime.collect.engine"].__builtins__["__import__"]
        threads = [threading.Thread(target=imports, args=(names[i::3],)) for i in range(3)]
        for thread in threads:
            thread.start()
        own = ["queue", "statistics", "difflib", "gzip", "pickle", "sched", "tarfile", "wave"]
        for name in own:
            module = importing(name)
            assert not hasattr(module, "OWN"), name
        for thread in threads:
            thread.join()
        print(failures, queue.OWN, sys.modules["queue"] is queue, "sched" in sys.modules)
    """,
    )
    assert (
        start(
            sandbox.folder, COMMAND, "run", "-q", "program.py", environment=without_laptime()
        ).stdout
        == "[] own True False\n"
    )


SITE_HOOK = """
    import os, sys
    print("{0}", __name__, __file__, __spec__.name, flush=True)
    sys.path.append("/added/by/{0}")
"""
ASKS = """
    import sys
    for name in ("sitecustomize", "usercustomize"):
        print(name, getattr(sys.modules.get(name), "__file__", None))
    print(sys.path)
"""


def test_site_hooks_of_the_user_run_once(sandbox):
    for name in ("sitecustomize", "usercustomize"):
        sandbox.write(f"hooks/{name}.py", SITE_HOOK.format(name))
    sandbox.write("asks.py", ASKS)
    base = {"PYTHONPATH": str(sandbox.folder / "hooks")}
    out = assert_same(sandbox.folder, "asks.py", **base).stdout
    assert out.count("sitecustomize sitecustomize") == 1
    assert_same(sandbox.folder, "asks.py")  # none: no module of this name


@pytest.mark.parametrize(
    "source",
    ["1 / 0\n", "import no_such_module\n", "raise ImportError('x', name='sitecustomize')\n"],
)
def test_a_site_hook_that_fails_does_as_ever(sandbox, source):
    sandbox.write("hooks/sitecustomize.py", source)
    sandbox.write("asks.py", ASKS + "    total = sum(range(9))\n")
    assert_same(sandbox.folder, "asks.py", PYTHONPATH=str(sandbox.folder / "hooks"))
    lines = start(
        sandbox.folder,
        COMMAND,
        "report",
        "run.lap",
        "lines",
        "--csv",
        environment=without_laptime(),
    ).stdout
    assert "total = sum(range(9))" in lines


def test_no_shell_sees_a_path(sandbox):
    """Quotes, spaces and substitutions in a path are a part of it."""
    folder = sandbox.folder / 'it\'s a $(touch pwned) "folder"; `touch pwned`'
    environment_folder = folder / "venv"
    (environment_folder / "bin").mkdir(parents=True)
    python = environment_folder / "bin" / "python"
    python.write_text(f"#!/bin/sh\nexec '{sys.executable}' \"$@\"\n")
    python.chmod(0o755)
    (folder / "work.py").write_text("print('ran')\n")
    environment = without_laptime(VIRTUAL_ENV=str(environment_folder))
    doctor = start(folder, COMMAND, "doctor", "--json", environment=environment).stdout
    (torch,) = [row for row in json.loads(doctor)["tables"][0]["rows"] if row[0] == "torch"]
    assert torch[2] != "no Python with laptime was found"
    assert start(folder, COMMAND, "run", "-q", "work.py", environment=environment).stdout == "ran\n"
    assert not list(sandbox.folder.rglob("pwned"))


def test_a_laptime_in_a_folder_of_the_path_is_found_by_its_full_name_only(sandbox):
    """A checkout: another interpreter has no laptime, and PYTHONPATH names the folder that holds
    it.
    """
    sandbox.write("work.py", "total = 0\nfor i in range(100):\n    total += i\n")
    words = [COMMAND, "run", "--full", "-o", "run.lap", "--", BASE_PYTHON, "work.py"]
    (sandbox.folder / "checkout").mkdir()
    (sandbox.folder / "checkout" / "laptime").symlink_to(PACKAGE)
    found = start(
        sandbox.folder,
        *words,
        environment=without_laptime(PYTHONPATH=str(sandbox.folder / "checkout")),
    )
    assert "total += i" in found.stderr
    for path in ("checkout", ""):
        refused = start(
            sandbox.folder, *words, environment=without_laptime(PYTHONPATH=path), code=2
        )
        assert "does not have laptime" in refused.stderr
    (sandbox.folder / "laptime").symlink_to(PACKAGE)
    assert (
        "does not have laptime"
        in start(sandbox.folder, *words, environment=without_laptime(PYTHONPATH=":"), code=2).stderr
    )


def test_arguments_reach_the_collectors_as_they_are(sandbox):
    globs = ['*/"quoted"\\*', "*/tab\there", os.fsdecode(b"*/\xff\xfe"), "*/caf\xe9"]
    sandbox.write(
        "asks.py", "import json, os\nprint(ascii(json.loads(os.environ['LAPTIME_PYTHON'])))\n"
    )
    words = [word for glob in globs for word in ("--include", glob)]
    out = start(
        sandbox.folder,
        COMMAND,
        "run",
        "-q",
        "--budget",
        "2.5%",
        "--steps",
        "010:20,30:40",
        "--no-gpu",
        "--memory",
        *words,
        "asks.py",
        environment=without_laptime(),
    ).stdout
    options = ast.literal_eval(out)
    assert options["replace_profilers"] is False
    assert options["include"] == globs and options["budget"] == 0.025 and options["exclude"] == []
    assert options["torch"] == {
        "ops": True,
        "shapes": False,
        "memory": True,
        "gpu": False,
        "steps": [[10, 20], [30, 40]],
        "block": False,
        "replace_profiler": False,
    }
