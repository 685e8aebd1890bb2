"""docs/tables.md is current, and examples in the docs name tables and columns that exist."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "golden"))
from case import build_folder  # noqa: E402

PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# Names that `--sort` also takes: torch's, which the table ops explains.
TORCH_KEYS = {"gpu", "self_gpu", "count", "cpu_time_total", "self_cuda_time_total"}
# Words of usage lines that stand for a name.
PLACEHOLDERS = {"TABLE", "COLUMN", "GROUPING", "KEY", "N"}


def declared():
    """Columns and groupings of each table, as docs/tables.md lists them."""
    tables = {}
    for section in re.split(r"^## ", (ROOT / "docs" / "tables.md").read_text(), flags=re.M)[1:]:
        name = section.split("\n", 1)[0]
        columns = re.findall(r"^\| `(\w+)` \|", section, flags=re.M)
        listed = re.search(r"^Groupings: (.*?)\.", section, flags=re.M)
        tables[name] = (columns, re.findall(r"--by (\w+)", listed[1]) if listed else [])
    return tables


def reports(text):
    """The words behind the run's name in each `laptime report` of a page."""
    for command in re.findall(r"laptime report +\S+ ([^`\n]*)", text):
        if command.startswith("["):  # a list of tables, in a usage line
            yield re.findall(r"\w+", command.partition("]")[0])
        else:
            yield re.split(r"  |[|>;…()#\[]", command)[0].split()


def problems_of(words, tables):
    """What a command names that does not exist."""
    named, options, problems = [], [], []
    words = iter(words)
    for word in words:
        if word.startswith("--"):
            if word in ("--sort", "--by", "--top", "--max-memory"):
                options.append((word, next(words, "")))
        else:
            named.append(word)
    named = [name for name in named if name not in PLACEHOLDERS]
    problems += [f"table {name}" for name in named if name not in tables]
    among = [tables[name] for name in named if name in tables] or list(tables.values())
    for option, value in options:
        if value in PLACEHOLDERS:
            continue
        if option == "--sort" and not (
            value in TORCH_KEYS or any(value in columns for columns, _ in among)
        ):
            problems.append(f"column {value}")
        if option == "--by" and not any(value in groupings for _, groupings in among):
            problems.append(f"grouping {value}")
    return problems


def test_the_page_is_as_the_tables_say():
    checked = subprocess.run(
        [sys.executable, ROOT / "tools" / "table_pages", "--check"],
        capture_output=True,
        text=True,
        env={**os.environ, "LAPTIME_BUILD": str(build_folder())},
    )
    assert checked.returncode == 0, checked.stdout + checked.stderr + "run tools/table_pages"


def test_every_table_lists_its_columns():
    tables = declared()
    assert len(tables) > 30
    assert [name for name, (columns, _) in tables.items() if not columns] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_examples_name_what_exists(page):
    tables = declared()
    text = page.read_text(encoding="utf-8")
    assert [problem for words in reports(text) for problem in problems_of(words, tables)] == []


@pytest.mark.parametrize(
    "command, problems",
    [
        ("laptime report run.lap scopes --sort self_ns --top 3", []),
        ("laptime report run.lap ops --by line --sort gpu", []),
        ("laptime report run.lap speed", ["table speed"]),
        ("laptime report run.lap scopes --sort cumtime_ns", ["column cumtime_ns"]),
        ("laptime report run.lap copies --by module", ["grouping module"]),
    ],
)
def test_a_wrong_name_is_found(command, problems):
    (words,) = reports(command + "\n")
    assert problems_of(words, declared()) == problems
