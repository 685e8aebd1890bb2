"""Ops of traced functions lead to their lines, in called functions and control flow too."""

import pytest
from recorded import Recorded

FLOW = """
    import numpy as np
    import tensorflow as tf

    w = tf.Variable(tf.random.normal((256, 256)) * 0.05)

    @tf.function
    def inner(h):
        return tf.nn.softmax(tf.matmul(h, w))

    def flow(h):
        i = tf.constant(0)
        while i < 3:
            h = tf.tanh(h)
            i += 1
        def body(i, h):
            h = tf.sin(h)
            return i + 1, h

        def positive():
            return tf.exp(h)

        h = tf.while_loop(lambda i, h: i < 2, body, (tf.constant(0), h))[1]
        return tf.cond(tf.reduce_sum(h) > -1e9, positive, lambda: h * 3.0)

    @tf.function
    def step(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(flow(inner(x)))
        g = tape.gradient(loss, w)
        w.assign_sub(0.01 * g)
        return loss

    x = tf.random.normal((128, 256))
    for _ in range(12):
        step(x)
"""

FIT = """
    import numpy as np
    import keras

    x = np.random.rand(64 * 12, 100).astype("float32")
    y = np.random.randint(0, 10, 64 * 12)
    inputs = keras.Input((100,))
    h = keras.layers.Dense(200, activation="tanh", name="first")(inputs)
    h = keras.layers.Dense(200, activation="relu", name="first_1")(h)
    outputs = keras.layers.Dense(10)(h)
    model = keras.Model(inputs, outputs, name="net")
    model.compile("sgd", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    model.fit(x, y, batch_size=64, epochs=2, verbose=0)
"""


@pytest.fixture(scope="module")
def flow(tmp_path_factory):
    return Recorded(tmp_path_factory.mktemp("flow"), FLOW)


@pytest.fixture(scope="module")
def fit(tmp_path_factory):
    return Recorded(tmp_path_factory.mktemp("fit"), FIT)


def test_nearly_all_time_has_a_line(flow, fit):
    assert flow.share_with_line() >= 0.95
    assert fit.share_with_line() >= 0.95


def test_ops_of_control_flow_have_their_own_lines(flow):
    assert flow.lines_of("Tanh") == flow.lines_of("TanhGrad") == {"h = tf.tanh(h)"}
    assert flow.lines_of("Sin") == flow.lines_of("Cos") == {"h = tf.sin(h)"}
    assert flow.lines_of("Exp") == {"return tf.exp(h)"}


def test_ops_of_called_functions_have_their_own_lines(flow):
    assert flow.lines_of("_MklMatMul") | flow.lines_of("MatMul") - {None} == {
        "return tf.nn.softmax(tf.matmul(h, w))"
    }


def test_layers_of_a_functional_model_have_the_line_that_made_them(fit):
    first = 'h = keras.layers.Dense(200, activation="tanh", name="first")(inputs)'
    second = 'h = keras.layers.Dense(200, activation="relu", name="first_1")(h)'
    assert fit.lines_of("TanhGrad") == {first}
    assert fit.modules_of("TanhGrad") == {"net/first"}
    assert fit.lines_of("ReluGrad") == {second}
    assert fit.modules_of("ReluGrad") == {"net/first_1"}
