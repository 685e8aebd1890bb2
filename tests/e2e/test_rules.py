"""Every rule of the advice engine has its page, and a golden case with a run that triggers it and
one that does not.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
from case import laptime_binary  # noqa: E402


def rule_names():
    listed = subprocess.run(
        [laptime_binary(), "rules"], capture_output=True, text=True, check=True
    ).stdout
    return [line.split()[0] for line in listed.splitlines()]


def test_pages_are_as_the_rules_say():
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "rule_pages", "--check"],
        capture_output=True,
        text=True,
        env={"LAPTIME_BIN": str(laptime_binary())},
    )
    assert checked.returncode == 0, checked.stdout + "run tools/rule_pages"


@pytest.mark.parametrize("name", rule_names())
def test_a_golden_case_triggers_it_and_one_does_not(name):
    case = (ROOT / "tests" / "golden" / "advice" / f"{name.replace('-', '_')}.golden").read_text(
        encoding="utf-8"
    )
    answers = re.split(r"^--- \$ laptime report \S+ advice\n", case, flags=re.MULTILINE)[1:]
    speaks = [
        re.search(rf"\b{name} \((low|medium|high)\)", answer.split("\n--- ")[0]) is not None
        for answer in answers
    ]
    assert any(speaks), f"no run of the case triggers {name}"
    assert not all(speaks), f"every run of the case triggers {name}"
