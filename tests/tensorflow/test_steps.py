"""Steps, samples and waits for input of programs without marks: Keras and loops by hand."""

import pytest
from recorded_cases import cases_of


def check(cases):
    wrong = {
        case.name: (case.found, case.expected) for case in cases if case.found != case.expected
    }
    assert not wrong
    return {case.name: case for case in cases}


def check_wait(case, slept_ms, overlap=0.0):
    """On a busy machine a sleeping program wakes up late, before or after its wait has begun. On an
    idle one the two differ by less than 1 % in a loop by hand.
    """
    assert (0.94 - overlap) * slept_ms <= case.waited_ms <= 1.06 * slept_ms + 10


@pytest.mark.parametrize("backend", ["tensorflow", "jax", "torch"])
def test_steps_of_keras(tmp_path, backend):
    found, truth = cases_of("keras_cases.py", tmp_path, KERAS_BACKEND=backend)
    cases = check(found)
    assert cases["last partial batch"].samples == [32, 32, 32, 4] * 2
    assert cases["steps_per_execution"].samples == ([8] * 12 + [4] + [25] * 4) * 2
    # On TensorFlow the next batch is read while a step runs. On the others Keras takes a second
    # batch before the loop begins.
    check_wait(cases["input that sleeps"], truth["slept_ms"], overlap=0.15)


def test_steps_of_loops_by_hand(tmp_path):
    found, truth = cases_of("loop_cases.py", tmp_path)
    cases = check(found)
    assert cases["eager"].samples == cases["function"].samples == [10] * 16
    check_wait(cases["input that sleeps"], truth["slept_ms"])


@pytest.mark.parametrize("program", ["thread.py", "feeds_jax.py"])
def test_steps(tmp_path, program):
    check(cases_of(program, tmp_path)[0])
