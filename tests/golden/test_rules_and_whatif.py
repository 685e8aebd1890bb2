"""What advice says a change brings, `laptime whatif --rule` says too: over all runs that the golden
cases of advice hold.
"""

import json
import subprocess
from collections import defaultdict

import pytest
from case import GOLDEN_FOLDER, Case, laptime_binary


def tables(folder, *words):
    result = subprocess.run(
        [laptime_binary(), *words, "--json"],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert result.returncode == 0, result.stderr
    return [
        [dict(zip((column["name"] for column in table["columns"]), row)) for row in table["rows"]]
        for table in json.loads(result.stdout)["tables"]
    ]


def gains(row):
    return [row["gain"], row["gain_low"], row["gain_high"]]


@pytest.mark.parametrize(
    "path", sorted((GOLDEN_FOLDER / "advice").glob("*.golden")), ids=lambda path: path.stem
)
def test_the_gain_of_an_advice_is_that_of_whatif(path, tmp_path):
    case = Case(path)
    case.prepare(tmp_path)
    for run in (section.argument for section in case.sections if section.kind == "run"):
        by_rule = defaultdict(list)
        for row in tables(tmp_path, "report", run, "advice")[0]:
            if row["gain"] is not None:
                by_rule[row["rule"]].append(row)
        for rule, rows in by_rule.items():
            answers = tables(tmp_path, "whatif", run, "--rule", rule)[0]
            if len(rows) == 1:  # the findings of a rule are answered together
                assert any(
                    gains(answer) == pytest.approx(gains(rows[0]), rel=1e-3) for answer in answers
                ), (run, rule, rows, answers)
