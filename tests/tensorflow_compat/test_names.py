"""The replacements have the originals' names and signatures."""

import inspect

import jax.profiler
import keras
import pytest
import tensorflow as tf
from laptime.compat import jax_profiler, tf_profiler
from laptime.compat.keras import TensorBoard
from laptime.compat.keras.batch_range import batch_range
from laptime.compat.keras.host_spans import HostSpans

TF = tf.profiler.experimental
PAIRS = [
    (getattr(ours, name), getattr(theirs, name))
    for ours, theirs, names in (
        (tf_profiler, TF, "start stop Profile ProfilerOptions Trace"),
        (tf_profiler.client, TF.client, "trace monitor"),
        (tf_profiler.server, TF.server, "start"),
        (
            jax_profiler,
            jax.profiler,
            "trace start_trace stop_trace start_server stop_server annotate_function"
            " StepTraceAnnotation save_device_memory_profile device_memory_profile",
        ),
    )
    for name in names.split()
]


@pytest.mark.parametrize("ours, theirs", [*PAIRS, (TensorBoard, keras.callbacks.TensorBoard)])
def test_signatures_are_equal(ours, theirs):
    assert inspect.signature(ours) == inspect.signature(theirs)


def test_install_and_uninstall():
    original = jax.profiler.TraceAnnotation
    jax_profiler.install()
    assert jax.profiler.TraceAnnotation is jax_profiler.TraceAnnotation
    jax_profiler.uninstall()
    assert jax.profiler.TraceAnnotation is original
    tf_profiler.install()
    assert TF.Trace is tf_profiler.Trace
    tf_profiler.uninstall()
    assert TF.Trace is not tf_profiler.Trace


@pytest.mark.parametrize(
    "given, batches",
    [(5, (5, 5)), ("5", (5, 5)), ("2,20", (2, 20)), ([2, 20], (2, 20)), (0, (0, 0))],
)
def test_profile_batch(given, batches):
    assert batch_range(given) == batches


@pytest.mark.parametrize("given", [-1, (5, 2), (1, 2, 3), None])
def test_a_wrong_profile_batch(given):
    with pytest.raises(ValueError, match="profile_batch must be"):
        batch_range(given)


def test_the_own_file_can_be_read():
    spans = HostSpans()
    for number in (1, 2):
        step = spans.begin("train", number)
        spans.end(spans.begin("model/dense", None))
        spans.end(step)
    data = jax_profiler.ProfileData.from_serialized_xspace(spans.space("host"))
    (line,) = next(iter(data.planes)).lines
    events = [(event.name, dict(event.stats)) for event in line.events]
    assert ("train", {"step_num": 2, "_r": 1}) in events and ("model/dense", {}) in events
