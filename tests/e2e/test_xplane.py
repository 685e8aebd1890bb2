"""xplane files through `laptime import`, judged by JAX's own reader."""

import collections
import json
import re
import subprocess

import pytest
from test_cli import LAPTIME, ROOT

SAMPLES = ROOT / "tests" / "golden" / "import" / "samples"
CALL = re.compile(r"PjitFunction\((.*)\)|EagerLocalExecute: __(?:inference|forward)_(.+?)(?:_\d+)?")
profiler = pytest.importorskip("jax.profiler")


def laptime(*arguments):
    done = subprocess.run([LAPTIME, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def imported(path, folder):
    """Run facts, step count and warnings of what laptime makes of a file."""
    laptime("import", path, "-o", folder / "x.lap")
    report = json.loads(laptime("report", folder / "x.lap", "run", "steps", "warnings", "--json"))
    rows = {table["name"]: table["rows"] for table in report["tables"]}
    facts = {key: value for key, value, _ in rows["run"]}
    return facts, len(rows["steps"]), {row[0]: row[2] for row in rows["warnings"]}


def function_of(event):
    """The compiled function that the event is a call of, or None."""
    if any(key == "tf_function_call" for key, _ in event.stats):
        return event.name
    match = CALL.fullmatch(event.name)
    return match and next(filter(None, match.groups()))


def judged(path):
    """Events and steps by JAX's reader, without those that laptime leaves out."""
    counts = collections.Counter()
    data = profiler.ProfileData.from_file(str(path))
    for plane in data.planes:
        for line in plane.lines:
            if plane.name.startswith("/device:GPU") and not line.name.startswith("Stream"):
                continue
            last_call = ("", 0)
            for event in line.events:
                name, end = event.name, event.start_ns + event.duration_ns
                if name.startswith(("ThreadpoolListener::", "end: ")):
                    counts["thread_pool_events"] += 1
                elif function_of(event) == last_call[0] and end <= last_call[1]:
                    counts["twofold"] += 1
                else:
                    counts["spans"] += 1
                    counts["steps"] += any(key == "step_num" for key, _ in event.stats)
                    if function_of(event):
                        last_call = (function_of(event), end)
    return counts


def check(path, folder):
    facts, steps, warnings = imported(path, folder)
    counts = judged(path)
    assert facts["spans"] == counts["spans"] > 0
    assert steps == counts["steps"]
    assert warnings.get("thread_pool_events", 0) == counts["thread_pool_events"]


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.xplane.pb")), ids=lambda path: path.stem)
def test_samples_have_as_many_events(sample, tmp_path):
    check(sample, tmp_path)


def test_a_fresh_profile_has_as_many_events(tmp_path):
    import jax
    import jax.numpy as jnp

    step = jax.jit(lambda x: jnp.tanh(x @ x).sum())
    with profiler.trace(str(tmp_path / "logs")):
        for number in range(5):
            with profiler.StepTraceAnnotation("train", step_num=number):
                step(jnp.ones((64, 64))).block_until_ready()
    (profile,) = (tmp_path / "logs").glob("plugins/profile/*/*.xplane.pb")
    check(profile, tmp_path)
