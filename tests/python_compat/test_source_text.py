"""Reports show the source text that the recording stored.

They never open a file that a run names.
"""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import zipfile

import pytest
from compat_sandbox import recording_environment

COMMAND = shutil.which("laptime", path=sysconfig.get_path("scripts"))
pytestmark = pytest.mark.skipif(COMMAND is None, reason="the laptime command is not installed here")

PROGRAM = """
    def work(n):
        total = 0
        for i in range(n):
            total += i  # measured
        return total

    work(1000)
"""


def laptime(sandbox, *words, code=0, **options):
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith("LAPTIME_") and key != "VIRTUAL_ENV"
    }
    done = subprocess.run(
        [COMMAND, *words],
        cwd=sandbox.folder,
        capture_output=True,
        timeout=120,
        env=environment,
        **options,
    )
    assert code is None or done.returncode == code, done.stdout + done.stderr
    return done.stdout.decode()


def table(sandbox, run, name):
    (found,) = json.loads(laptime(sandbox, "report", run, name, "--json"))["tables"]
    return [
        dict(zip([column["name"] for column in found["columns"]], row)) for row in found["rows"]
    ]


def sources(sandbox, run="run.lap"):
    """Text by file name and line, of the lines that have one."""
    return {
        (os.path.basename(row["file"]), row["line"]): row["source"]
        for row in table(sandbox, run, "lines")
        if row["source"] is not None
    }


def warnings(sandbox, run="run.lap"):
    return {row["name"]: row["count"] for row in table(sandbox, run, "warnings")}


def record(sandbox, *words, **options):
    return laptime(sandbox, "run", "-q", "--full", "-o", "run.lap", *words, **options)


def test_what_was_edited_since_shows_what_was_measured(sandbox):
    sandbox.write("work.py", PROGRAM)
    record(sandbox, "work.py")
    sandbox.write("work.py", PROGRAM.replace("measured", "edited"))
    assert sources(sandbox)["work.py", 4].strip() == "total += i  # measured"
    (sandbox.folder / "work.py").unlink()
    assert "# measured" in laptime(sandbox, "report", "run.lap", "lines")


def test_what_the_program_edits_itself_shows_what_was_loaded(sandbox):
    sandbox.write("part.py", "def first():\n    return 'loaded'\n")
    sandbox.write(
        "work.py",
        """
        import part
        part.first()
        with open(part.__file__, "w") as file:
            file.write("\\n\\nedited\\n")
        part.first()
    """,
    )
    record(sandbox, "work.py")
    assert sources(sandbox)["part.py", 2] == "    return 'loaded'"


def test_no_source(sandbox):
    sandbox.write("work.py", PROGRAM)
    record(sandbox, "--no-source", "work.py")
    assert sources(sandbox) == {}
    assert {row["line"] for row in table(sandbox, "run.lap", "lines")} >= {4}
    assert "Lines; source left out (--no-source)" in laptime(sandbox, "report", "run.lap", "lines")
    assert b"measured" not in (sandbox.folder / "run.lap").read_bytes()
    assert warnings(sandbox) == {}


def test_a_killed_program_has_its_source(sandbox):
    sandbox.write(
        "work.py",
        PROGRAM + "    import os, laptime\n    laptime.step()\n    os.kill(os.getpid(), 9)\n",
    )
    environment = recording_environment(sandbox.folder / "run.lap.d")
    subprocess.run([sys.executable, "work.py"], cwd=sandbox.folder, env=environment, timeout=120)
    sandbox.write("work.py", "")
    assert sources(sandbox, "run.lap.d")["work.py", 4].strip() == "total += i  # measured"


@pytest.mark.parametrize(
    "name, text, line, shown",
    [
        (
            "latin",
            "# -*- coding: latin-1 -*-\nname = 'caf\xe9'\n".encode("latin-1"),
            2,
            "name = 'caf\xe9'",
        ),
        ("mark", b"\xef\xbb\xbfname = 'caf\xc3\xa9'\n", 1, "name = 'caf\xe9'"),
        ("windows", b"a = 1\r\nb = 2\r\n", 2, "b = 2"),
        ("form_feed", b"a = '\x0c'\nb = 2\n", 2, "b = 2"),
        ("no_end", b"a = 1\nb = 2", 2, "b = 2"),
    ],
)
def test_encodings_and_line_ends(sandbox, name, text, line, shown):
    (sandbox.folder / f"{name}.py").write_bytes(text)
    record(sandbox, f"{name}.py")
    assert sources(sandbox)[f"{name}.py", line] == shown


def test_code_without_a_file_has_no_source(sandbox):
    sandbox.write(
        "work.py",
        """
        exec(compile("a = 1", "/nowhere/gone.py", "exec"))
        exec(compile("b = 2", "<string>", "exec"))
        exec(compile("c = 3", "/dev/zero", "exec"))
    """,
    )
    record(sandbox, "work.py")
    assert {file for file, _ in sources(sandbox)} == {"work.py"}


def test_a_module_in_a_zip_file(sandbox):
    with zipfile.ZipFile(sandbox.folder / "code.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("packed/__init__.py", "")
        archive.writestr("packed/part.py", "def value():\n    return 'packed'\n")
    sandbox.write(
        "work.py",
        "import sys\nsys.path.insert(0, 'code.zip')\nimport packed.part\npacked.part.value()\n",
    )
    record(sandbox, "work.py")
    assert sources(sandbox)["part.py", 2] == "    return 'packed'"


def test_a_notebooks_cell(sandbox):
    sandbox.write(
        "work.py",
        """
        import linecache
        name = "<ipython-input-1-abc>"
        text = "def cell():\\n    return 1\\n\\ncell()\\n"
        linecache.cache[name] = len(text), None, text.splitlines(True), name
        exec(compile(text, name, "exec"))
    """,
    )
    record(sandbox, "work.py")
    assert sources(sandbox)["<ipython-input-1-abc>", 2] == "    return 1"


def test_a_file_that_is_too_long_is_left_out_and_counted(sandbox):
    (sandbox.folder / "work.py").write_text("a = 1\n" + "# " + "x" * (2 << 20) + "\n")
    record(sandbox, "work.py")
    assert sources(sandbox) == {}
    assert warnings(sandbox) == {"source_left_out": 1}


def test_only_the_programs_own_files(sandbox):
    sandbox.write("work.py", "import json\njson.dumps([1])\n")
    record(sandbox, "-f", "work.py")
    found = laptime(sandbox, "report", "run.lap", "functions")
    assert "dumps" in found
    data = subprocess.run(
        [sys.executable, "-c", "import json; print(json.__file__)"], capture_output=True, text=True
    ).stdout.strip()
    sandbox.write(
        "lines.py",
        "import json, laptime\nwith laptime.profile('block.lap', budget=None):\n   "
        " json.dumps([1])\n",
    )
    sandbox.python("lines.py")
    assert data not in {row["file"] for row in table(sandbox, "block.lap", "lines")}
    assert (sandbox.folder / "run.lap").stat().st_size < os.path.getsize(data)


def test_processes_of_a_run_store_a_file_once(sandbox):
    random = os.urandom(30_000).hex()  # compresses to half
    sandbox.write(
        "work.py",
        f"import os\nTEXT = '{random}'\nfor _ in range(4):\n    if os.fork() == 0:\n        a = 1\n"
        "        os._exit(0)\n    os.wait()\n",
    )
    record(sandbox, "work.py")
    assert (sandbox.folder / "run.lap").stat().st_size < 60_000
    sandbox.write(
        "two.py",
        f"import subprocess, sys\nTEXT = '{random}'\nif len(sys.argv) == 1:\n   "
        " subprocess.run([sys.executable, 'two.py', 'x'])\n",
    )
    record(sandbox, "two.py")
    assert (sandbox.folder / "run.lap").stat().st_size < 60_000
    assert sources(sandbox)["two.py", 1] == "import subprocess, sys"


def test_blocks_have_the_source_each(sandbox):
    sandbox.write(
        "work.py",
        """
        import laptime

        def work():
            return 1  # measured

        for name, source in (("a.lap", True), ("b.lap", True), ("c.lap", False)):
            with laptime.profile(name, budget=None, source=source):
                work()
    """,
    )
    sandbox.python("work.py")
    for run in ("a.lap", "b.lap"):
        assert sources(sandbox, run)["work.py", 4] == "    return 1  # measured"
    assert sources(sandbox, "c.lap") == {}
    assert "source left out" in laptime(sandbox, "report", "c.lap", "lines")


def test_the_program_notices_nothing(sandbox):
    sandbox.write(
        "work.py",
        "import sys\nprint(sorted(vars(sys.modules.get('linecache', sys)).get('cache', ())))\n",
    )
    assert record(sandbox, "work.py") == sandbox.python("work.py").stdout


def test_source_comes_along_to_and_from_lprof(sandbox):
    sandbox.write("work.py", PROGRAM)
    record(sandbox, "work.py")
    laptime(sandbox, "export", "run.lap", "--to", "lprof", "-o", "out.lprof")
    laptime(sandbox, "import", "out.lprof", "-o", "back.lap")
    (sandbox.folder / "work.py").unlink()
    assert sources(sandbox, "back.lap")["work.py", 4].strip() == "total += i  # measured"
    assert "# measured" in sandbox.python("-m", "laptime.line_profiler", "out.lprof").stdout


def test_no_command_opens_a_file_that_a_run_names(sandbox):
    from laptime.compat.line_profiler import lprof_file

    secret = sandbox.write("secret.txt", "token-4711\n" * 20)
    lprof_file.write(
        sandbox.folder / "bad.lprof",
        {(str(secret), 1, "f"): [(line, 5, 1000) for line in range(1, 20)]},
        1e-9,
        {},
    )
    laptime(sandbox, "import", "bad.lprof", "-o", "bad.lap")
    commands = [
        ["report", "bad.lap"],
        ["report", "bad.lap", "lines"],
        ["report", "bad.lap", "lines", "--json"],
        ["report", "bad.lap", "lines", "--csv"],
        ["report", "bad.lap", "slow_steps"],
        ["report", "bad.lap", "advice"],
        ["compare", "bad.lap", "bad.lap"],
        *(["export", "bad.lap", "--to", form, "-o", f"out.{form}"] for form in ("chrome", "lprof")),
    ]
    for words in commands:
        assert "token-4711" not in laptime(
            sandbox, *words, code=None if words[0] == "compare" else 0
        ), words
    for path in sandbox.folder.iterdir():
        assert path == secret or b"token-4711" not in path.read_bytes(), path
