"""bench/tables writes what the files of results say, and finds pages that say something else."""

import datetime
import json
import subprocess
import sys
from pathlib import Path

import pytest

TABLES = Path(__file__).resolve().parents[2] / "bench" / "tables"
PAGE = "# Costs\n\n<!-- results: record -->\n<!-- results end -->\n\nThe rest.\n"
FIGURES = {
    "machine": "two cores",
    "date": "2026-11-16",
    "by": "bench/record_bench.cpp",
    "figures": [
        {"figure": "a scope", "values": [1.3, 1.1, 1.25], "unit": "x", "at_most": 1.2},
        {"figure": "two threads", "values": [1.9], "unit": "x", "at_least": 1.8},
        {"figure": "a step", "range": [1.01, 1.1], "starts": 5, "unit": "x", "at_most": 1.08},
        {"figure": "a file", "values": [27700, 27900], "unit": "B"},
    ],
}


@pytest.fixture
def root(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "README.md").write_text("# laptime\n")
    (tmp_path / "docs" / "overhead.md").write_text(PAGE)
    (tmp_path / "bench/results/published").mkdir(parents=True)
    return tmp_path


def tables(root, results, *arguments):
    (root / "bench/results/published/record.json").write_text(json.dumps(results))
    done = subprocess.run(
        [sys.executable, TABLES, *arguments, root], capture_output=True, text=True
    )
    return done.returncode, done.stdout, (root / "docs/overhead.md").read_text()


def test_figures(root):
    code, _, page = tables(root, FIGURES)
    assert code == 0
    assert page.startswith("# Costs\n\n<!-- results: record -->\n2026-11-16, two cores. ")
    assert page.endswith("<!-- results end -->\n\nThe rest.\n")
    assert "| a scope | 1.25 × | 1.10–1.30 × | 3 | ≤ 1.2 × | missed |" in page
    assert "| two threads | 1.9 × |  | 1 | ≥ 1.8 × |  |" in page
    assert "| a step |  | 1.01–1.10 × | 5 | ≤ 1.08 × | missed |" in page
    assert "| a file | 27,800 B | 27,700–27,900 B | 2 |  |  |" in page


def test_rows(root):
    results = {
        "machine": "two cores",
        "date": "2026-11-16",
        "by": "a bench",
        "summary": ["- All of it."],
        "columns": [["fix", "{}"], ["gain", "{:.2f} × ({:.2f}–{:.2f})"], ["error", "{:+.0%}"]],
        "rows": [["workers", [1.5, 1.4, 1.6], -0.05], ["none", None, None]],
    }
    _, _, page = tables(root, results)
    assert "\n- All of it.\n" in page
    assert "| workers | 1.50 × (1.40–1.60) | -5% |\n| none |  |  |\n" in page


def test_check_finds_a_stale_page_and_writes_nothing(root):
    code, out, page = tables(root, FIGURES, "--check")
    assert code == 1
    assert "docs/overhead.md" in out
    assert page == PAGE


def test_check_accepts_a_current_page(root):
    tables(root, FIGURES)
    code, out, _ = tables(root, FIGURES, "--check")
    assert (code, out) == (0, "")


def test_a_file_that_no_page_shows(root):
    (root / "docs/overhead.md").write_text("# Costs\n")
    code, out, _ = tables(root, FIGURES)
    assert code == 1
    assert "record.json: no page shows it" in out


def test_the_files_have_one_row_a_line(root):
    tables(root, FIGURES)
    text = (root / "bench/results/published/record.json").read_text()
    assert json.loads(text) == FIGURES
    assert len(text.splitlines()) == 11


def test_add_replaces_values_of_another_day_and_keeps_those_of_today(root):
    tables(root, FIGURES)
    written = root / "record.json"
    values = {"a scope": 1.0, "two threads": 1.9, "a step": 1.02, "a file": 27700}
    figures = [{"what": what, "value": value} for what, value in values.items()]
    whole = {"benchmark": "record", "machine": "two cores", "figures": figures}
    written.write_text(json.dumps(whole))
    for _ in range(2):
        done = subprocess.run([sys.executable, TABLES, "--add", written, root])
        assert done.returncode == 0
    results = json.loads((root / "bench/results/published/record.json").read_text())
    assert results["date"] == datetime.date.today().isoformat()
    assert results["figures"][0]["values"] == [1.0, 1.0]
    assert results["figures"][2]["values"] == [1.02, 1.02]
    assert "range" not in results["figures"][2]
    assert "| a scope | 1 × | 1–1 × | 2 |" in (root / "docs/overhead.md").read_text()
    written.write_text(json.dumps({**whole, "figures": figures[1:]}))
    done = subprocess.run(
        [sys.executable, TABLES, "--add", written, root], capture_output=True, text=True
    )
    assert done.returncode == 1
    assert "has no figure 'a scope'" in done.stderr
