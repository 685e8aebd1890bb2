"""tools/stage_outcome.py: what it reads from the runners' last lines."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

from stage_outcome import Outcome

PYTEST = """
=========================== short test summary info ============================
FAILED tests/torch/test_memory.py::test_a_peak[a b] - assert 3 == 4
ERROR tests/torch/test_ops.py::test_names
1 failed, 340 passed, 2 skipped, 1 error in 459.12s (0:07:39)
"""

CTEST = """
99% tests passed, 2 tests failed out of 454

The following tests did not run:
\t 58 - RecorderTest.Forks (Skipped)

The following tests FAILED:
\t  7 - RecorderTest.Threads (Failed)
\t 12 - golden/gpu/kernels (SEGFAULT)
Errors while running CTest
"""


def test_the_summary_names_the_tests_that_failed():
    outcome = Outcome("torch")
    outcome.count(PYTEST)
    assert (outcome.passed, outcome.failed, outcome.skipped) == (340, 2, 2)
    assert [line.strip() for line in outcome.summary().splitlines()[1:]] == [
        "tests/torch/test_memory.py::test_a_peak[a b] - assert 3 == 4",
        "tests/torch/test_ops.py::test_names",
    ]


def test_also_those_of_ctest_but_not_the_skipped():
    outcome = Outcome("tsan")
    outcome.count(CTEST)
    assert (outcome.passed, outcome.failed) == (452, 2)
    assert outcome.failures == ["RecorderTest.Threads (Failed)", "golden/gpu/kernels (SEGFAULT)"]
