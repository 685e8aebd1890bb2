"""tools/check_docs finds each kind of mistake in the docs, and only those."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CHECK = ROOT / "tools" / "check_docs"
HELP = """#!/bin/sh
case "$1" in
  run) echo "  --budget PCT  a limit" ;;
  report) echo "  --json  print JSON" ;;
  *) printf 'Subcommands:\\n  run   Run\\n  report  Print\\n\\nExamples:\\n' ;;
esac
"""


@pytest.fixture
def root(tmp_path):
    for path in ("src/cli/run.cpp", "python/laptime/frameworks/torch/ops.py", "docs/steps.md"):
        file = tmp_path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("# How steps are found\n\n## In every step\n")
    return tmp_path


def check(root, text, *arguments):
    (root / "README.md").write_text(text + "\n")
    binary = root / "laptime"
    binary.write_text(HELP)
    binary.chmod(0o755)
    done = subprocess.run(
        [sys.executable, CHECK, *arguments, root],
        capture_output=True,
        text=True,
        env={**os.environ, "LAPTIME_BIN": str(binary)},
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "[steps](docs/steps.md), [one](docs/steps.md#in-every-step), [web](https://a.b/c)",
        "# What it costs\n\n[below](#what-it-costs)",
        "`src/cli/run.cpp`, src/cli/*.cpp, `laptime/frameworks/torch/ops.py` and src/NAME/run.cpp",
        "`run.cpp` is in `src/{cli}`",
        "`evil.py` is the user's, `~/src/none.h` and /usr/src/none.h are not ours",
        "`laptime run --budget 5% train.py --epochs 3` and `laptime report --json`",
        "    $ laptime run --budget 5% train.py          --none",
        "`--budget` is an option",
        "| " + "wide " * 30 + "|",
        "```\n" + "wide " * 30 + "\n```",
        "    " + "wide " * 30,
    ],
)
def test_right(root, text):
    code, out = check(root, text)
    assert code == 0, out


@pytest.mark.parametrize(
    "text, message",
    [
        ("[steps](docs/laps.md)", "'docs/laps.md' leads nowhere"),
        ("[steps](docs/steps.md#none)", "has no such heading"),
        ("[below](#none)", "has no such heading"),
        ("`src/cli/walk.cpp`", "there is no 'src/cli/walk.cpp'"),
        ("as src/trace/run.h says", "there is no 'src/trace/run.h'"),
        ("`python/laptime/{_torch,_none}/laps.py`", "there is no"),
        ("`walk.cpp`", "there is no file 'walk.cpp'"),
        ("| `walk.h` | a table |", "there is no file 'walk.h'"),
        ("`laptime walk`", "laptime has no command 'walk'"),
        ("`laptime report --budget 5%`", "laptime report has no option '--budget'"),
        ("    $ laptime run --none train.py", "laptime run has no option '--none'"),
        ("`--none`", "nothing has the option '--none'"),
        ("wide " * 21, "at most 100"),
    ],
)
def test_wrong(root, text, message):
    code, out = check(root, text)
    assert code == 1
    assert message in out
    assert out.startswith("README.md:1: ")


def test_sentences(root):
    code, out = check(root, "One two. Three four\nfive six.\n\n- Seven eight.", "--sentences")
    assert code == 0
    assert "README.md" in out
    assert "3 sentences, median  2.0 words, 0 over 25" in out


def test_these_docs():
    """Those of the repository; in the stage `style`, too, but here after a build."""
    done = subprocess.run([sys.executable, CHECK], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_wrap(root):
    text = (
        "# Heading\n\n" + "word " * 18 + "`a code span` is kept whole\n\n"
        "- " + "item " * 25 + "\n- short\n\n    " + "code " * 30 + "\n\n| " + "cell " * 30 + "|"
    )
    code, out = check(root, text, "--wrap")
    assert code == 0, out
    lines = (root / "README.md").read_text().splitlines()
    assert lines[2] == ("word " * 18).strip()
    assert lines[3] == "`a code span` is kept whole"
    assert lines[6].startswith("  item") and lines[7] == "- short"
    assert lines[9].startswith("    code") and len(lines[9]) > 100
    assert lines[11].startswith("| cell") and len(lines[11]) > 100
