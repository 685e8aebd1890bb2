"""Records sessions of TensorFlow's and JAX's profilers, and prints what JAX's reader finds in them.

Usage: profiled_sessions.py RUN. The output is JSON.
"""

import collections
import json
import os
import re
import sys
import tempfile
import time
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import jax
import jax.numpy as jnp
import numpy as np
import tensorflow as tf
from jax._src.lib import _profiler
from jax.profiler import ProfileData
from laptime import _native
from tensorflow.python.profiler.internal import _pywrap_profiler

STEPS = 10
GRAPH_OP = re.compile(r"[^: ]+:(\w+)")
EAGER = "EagerLocalExecute: "


def tensorflow_step():
    import keras

    model = keras.Sequential(
        [
            keras.layers.Conv2D(16, 3, activation="relu"),
            keras.layers.MaxPooling2D(),
            keras.layers.Flatten(),
            keras.layers.Dense(10),
        ]
    )
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    rows = 64 * STEPS
    data = np.random.rand(rows, 28, 28, 1).astype("float32"), np.random.randint(0, 10, rows)
    dataset = tf.data.Dataset.from_tensor_slices(data).batch(64).prefetch(2)
    return lambda: model.fit(dataset, verbose=0)


def jax_steps():
    @jax.jit
    def step(weights, x):
        def loss(weights):
            return (jnp.tanh(x @ weights[0]) @ weights[1]).var()

        return [w - 0.01 * g for w, g in zip(weights, jax.grad(loss)(weights), strict=True)]

    state = [[jnp.ones((64, 32)), jnp.ones((32, 8))]]

    def steps():
        for _ in range(STEPS):
            state[0] = step(state[0], jnp.ones((16, 64)))
        jax.block_until_ready(state[0])

    return steps


def tensorflow_profile(run):
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        session = _pywrap_profiler.ProfilerSession()
        session.start(folder, {})
        run()
        session.export_to_tb()
        return next(Path(folder).rglob("*.xplane.pb")).read_bytes()


def jax_profile(run):
    options = _profiler.ProfileOptions()
    options.python_tracer_level = 0
    session = _profiler.ProfilerSession(options)
    run()
    return session.stop()


def op_type(event):
    """The type of an op that the event is, or None."""
    if event.name.startswith(EAGER) and not event.name.startswith(
        (f"{EAGER}__inference_", f"{EAGER}__forward_")
    ):
        return event.name.removeprefix(EAGER)
    instruction = dict(event.stats).get("hlo_op")
    if instruction:
        return re.sub(r"(\.\d+|\.clone)+$", "", instruction)
    match = GRAPH_OP.fullmatch(event.name)
    return match[1] if match and not event.name.startswith("end:") else None


def is_wait(op):
    """The wait for a batch, which is recorded by other means."""
    return op.startswith("IteratorGetNext")


def ops_of(space):
    events = [
        event
        for plane in ProfileData.from_serialized_xspace(space).planes
        for line in plane.lines
        for event in line.events
    ]
    ops = [op for op in map(op_type, events) if op and not is_wait(op)]
    return collections.Counter(ops), len(events)


def main(path):
    runs = [(tensorflow_profile, tensorflow_step()), (jax_profile, jax_steps())]
    for profile, run in runs:
        profile(run)  # compiles, and starts the pools
    asked = []

    def resolve(function, ops):
        asked.append((function, len(ops)))
        return [(0, "gradient" in op) for op in ops]

    _native.recording.start(path)
    writer = _native.xplane.ProfileWriter(resolve, input_hooked=True, dispatch_hooked=True)
    expected, results = collections.Counter(), []
    for profile, run in runs:
        begin = _native.torch_ops.clock_point()
        space = profile(run)
        end = _native.torch_ops.clock_point()
        started = time.perf_counter()
        count = writer.put(space, begin, end)
        ms = (time.perf_counter() - started) * 1e3
        assert writer.put(space, end, (end[0] + 1, end[1] + 1)) == 0  # it ended before
        ops, events = ops_of(space)
        expected += ops
        results.append({"events": events, "records": count, "ms": ms, "ops": sum(ops.values())})
    _native.recording.stop()
    print(json.dumps({"ops": expected, "asked": asked, "sessions": results}))


main(sys.argv[1])
