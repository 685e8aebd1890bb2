"""The stage of a tf.data pipeline that limits, in programs whose answer is known."""

import pytest
from recorded import Recorded

PROGRAM = """
    import time
    import numpy as np
    import tensorflow as tf

    def slow(x):
        time.sleep(0.003)
        return x

    def generate():
        for i in range(160):
            time.sleep({generate})
            yield np.full(8, i, "float32")

    dataset = {dataset}
    w = tf.Variable(tf.ones((8, 1)))

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(x @ w)
        w.assign_sub(0.1 * tape.gradient(loss, w))

    for x in dataset:
        step(x)
"""

GENERATOR = "tf.data.Dataset.from_generator(generate, output_signature=tf.TensorSpec((8,)))"
ARRAYS = 'tf.data.Dataset.from_tensor_slices(np.ones((160, 8), "float32"))'
SLOW = ".map(lambda x: tf.ensure_shape(tf.py_function(slow, [x], tf.float32), (8,)))"


@pytest.mark.parametrize(
    ("dataset", "generate", "limits"),
    [
        (f"{ARRAYS}{SLOW}.batch(16).prefetch(2)", 0, "MapAndBatch"),
        (f"{GENERATOR}.map(lambda x: x * 2).batch(16).prefetch(2)", 0.003, "Generator"),
        (f"{GENERATOR}{SLOW}.batch(16)", 0, "MapAndBatch"),
    ],
)
def test_the_stage_that_limits(tmp_path, dataset, generate, limits):
    recorded = Recorded(tmp_path, PROGRAM.format(dataset=dataset, generate=generate))
    stages = recorded.rows("pipeline")
    (stage,) = [row for row in stages if row["limits"]]
    assert stage["stage"] == limits
    batches = 160 if limits == "Generator" else 10
    assert stage["calls"] == pytest.approx(batches, rel=0.1, abs=1)
    if limits == "Generator":  # the stages around it wait for it on other threads
        assert stage["self_ns"] == pytest.approx(160 * 3.2e6, rel=0.3)


def test_ops_of_map_functions_are_not_ops_of_the_step(tmp_path):
    work = "tf.linalg.matmul(tf.ones((300, 300)) * x[0], tf.ones((300, 300)))[0, :8]"
    dataset = f"{ARRAYS}.map(lambda x: {work}, num_parallel_calls=2).batch(16)"
    recorded = Recorded(tmp_path, PROGRAM.format(dataset=dataset, generate=0))
    shares = {row["category"]: row["share"] for row in recorded.rows("breakdown")}
    assert max(shares, key=shares.__getitem__) == "input wait"
    assert shares["forward ops"] < 0.2
