"""The writer of profiles through its binding, with a profile that was kept."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from laptime import _native

LAPTIME = Path(sys.executable).with_name("laptime")
SAMPLE = Path(__file__).parents[1] / "golden/import/samples/keras.xplane.pb"
BEGIN, END = (1, 0), (1 << 40, 1 << 61)  # the sample's dates are in between


@pytest.fixture
def put(tmp_path):
    """Records a profile; the number of records and the run's warnings."""

    def run(space, resolve):
        path = tmp_path / "run.lap"
        assert _native.recording.start(str(path)) == ""
        writer = _native.xplane.ProfileWriter(resolve, input_hooked=True, dispatch_hooked=True)
        try:
            counts = [writer.put(space, BEGIN, END) for _ in range(2)]
        finally:
            _native.recording.stop()
        command = [LAPTIME, "report", path, "warnings", "--json"]
        report = json.loads(subprocess.run(command, capture_output=True, check=True).stdout)
        return counts, {row[0] for row in report["tables"][0]["rows"]}

    return run


def test_each_op_is_resolved_once(put):
    asked = []

    def resolve(function, ops):
        asked.extend((function, op) for op in ops)
        return [(0, False) for _ in ops]

    counts, warnings = put(SAMPLE.read_bytes(), resolve)
    assert counts[0] == counts[1] > 100
    assert len(asked) == len(set(asked)) > 10
    assert any(function.startswith("__inference_") for function, _ in asked)
    assert not warnings


@pytest.mark.parametrize("answer", [None, [], ["x"], [(-1, False)]])
def test_a_wrong_answer_costs_lines_only(put, answer):
    counts, _ = put(SAMPLE.read_bytes(), lambda function, ops: answer)
    assert counts[0] > 100


def test_a_failing_answer_is_a_warning(put):
    counts, warnings = put(SAMPLE.read_bytes(), lambda function, ops: 1 // 0)
    assert counts[0] > 100
    assert "xplane_lines" in warnings


def test_ctrl_c_reaches_the_program(put):
    def interrupted(function, ops):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        put(SAMPLE.read_bytes(), interrupted)


def test_damage_is_a_warning(put):
    _, warnings = put(SAMPLE.read_bytes()[:-100], lambda function, ops: [])
    assert "xplane_damaged" in warnings


def test_nothing_is_recorded_outside_a_recording():
    writer = _native.xplane.ProfileWriter(list, input_hooked=True, dispatch_hooked=True)
    assert writer.put(SAMPLE.read_bytes(), BEGIN, END) == 0
