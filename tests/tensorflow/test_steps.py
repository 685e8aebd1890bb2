"""Steps, samples and waits for input of programs without marks: Keras and loops by hand."""

import pytest
from recorded_cases import cases_of

SLEPT_MS = 300  # by the input of the case "input that sleeps"


def check(cases):
    wrong = {
        case.name: (case.found, case.expected) for case in cases if case.found != case.expected
    }
    assert not wrong
    return {case.name: case for case in cases}


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_steps_of_keras(tmp_path, backend):
    cases = check(cases_of("keras_cases.py", tmp_path, KERAS_BACKEND=backend))
    assert cases["last partial batch"].samples == [32, 32, 32, 4] * 2
    assert cases["steps_per_execution"].samples == ([8] * 12 + [4] + [25] * 4) * 2
    check_wait(cases["input that sleeps"])


def test_steps_of_loops_by_hand(tmp_path):
    cases = check(cases_of("loop_cases.py", tmp_path))
    assert cases["eager"].samples == cases["function"].samples == [10] * 16
    check_wait(cases["input that sleeps"])


@pytest.mark.parametrize("program", ["thread.py", "feeds_jax.py"])
def test_steps(tmp_path, program):
    check(cases_of(program, tmp_path))


def check_wait(case):
    assert SLEPT_MS <= case.waited_ms <= 1.02 * SLEPT_MS + 3
