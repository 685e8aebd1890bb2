"""Eager ops have the line and the layer that called them, gradients those of their forward op."""

import pytest
from recorded import Recorded

TAPE = """
    import numpy as np
    import tensorflow as tf

    x = tf.constant(np.random.rand(64, 784).astype("float32"))
    w1 = tf.Variable(tf.random.normal((784, 256)) * 0.05)
    w2 = tf.Variable(tf.random.normal((256, 10)) * 0.05)

    @tf.custom_gradient
    def doubled(y):
        def gradient(upstream):
            return tf.cos(upstream) * 2.0
        return y * 2.0, gradient

    for _ in range(12):
        with tf.GradientTape() as tape:
            h = x @ w1
            h = tf.nn.relu(h)
            h = doubled(h)
            loss = tf.reduce_mean(h @ w2)
        g = tape.gradient(loss, [w1, w2])
        w1.assign_sub(0.1 * g[0])
        w2.assign_sub(0.1 * g[1])
    print(float(loss))
"""

LAYERS = """
    import numpy as np
    import tensorflow as tf
    import keras

    class Block(keras.layers.Layer):
        def __init__(self):
            super().__init__(name="block")
            self.inner = keras.layers.Dense(64, name="inner")

        def call(self, x):
            return tf.nn.relu(self.inner(x))

    class Net(keras.Model):
        def __init__(self):
            super().__init__(name="net")
            self.block = Block()
            self.out = keras.layers.Dense(10, name="out")

        def call(self, x):
            x = self.block(x)
            return self.out(x)

    x = np.random.rand(64, 100).astype("float32")
    model = Net()
    optimizer = keras.optimizers.SGD(0.1)
    for _ in range(12):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x))
        g = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(g, model.trainable_variables))
"""


@pytest.fixture(scope="module")
def tape(tmp_path_factory):
    return Recorded(tmp_path_factory.mktemp("tape"), TAPE)


@pytest.fixture(scope="module")
def layers(tmp_path_factory):
    return Recorded(tmp_path_factory.mktemp("layers"), LAYERS)


def test_nearly_all_time_has_a_line(tape, layers):
    assert tape.share_with_line() >= 0.95
    assert layers.share_with_line() >= 0.95
    assert "eager_lines" not in tape.warnings | layers.warnings


def test_gradients_have_the_line_of_their_forward_op(tape):
    assert tape.lines_of("MatMul") == {"h = x @ w1", "loss = tf.reduce_mean(h @ w2)"}
    assert tape.lines_of("ReluGrad") == tape.lines_of("Relu") == {"h = tf.nn.relu(h)"}


def test_a_gradient_of_the_programs_own_has_its_own_line(tape):
    assert tape.lines_of("Cos") == {"return tf.cos(upstream) * 2.0"}


def test_forward_and_backward_are_told_apart(tape):
    shares = {row["category"]: row["share"] for row in tape.rows("breakdown")}
    assert shares["forward ops"] > 0.05
    assert shares["backward"] > 0.05
    assert sum(shares.values()) == pytest.approx(1, abs=0.01)


def test_layers_are_modules(layers):
    assert layers.modules_of("BiasAdd") == {"net/block/inner", "net/out"}
    assert layers.modules_of("BiasAddGrad") == {"net/block/inner", "net/out"}
    assert layers.modules_of("Relu") == {"net/block"}
    assert layers.lines_of("Relu") == {"return tf.nn.relu(self.inner(x))"}
    assert layers.lines_of("BiasAddGrad") == {
        "return tf.nn.relu(self.inner(x))",
        "return self.out(x)",
    }


def test_the_output_is_the_same(tmp_path):
    source = TAPE.replace("import numpy as np", "import numpy as np; np.random.seed(0)").replace(
        "import tensorflow as tf", "import tensorflow as tf; tf.random.set_seed(0)"
    )
    (tmp_path / "with").mkdir()
    (tmp_path / "without").mkdir()
    outputs = [
        Recorded(tmp_path / "with", source).output,
        Recorded(tmp_path / "without", source, "--no-ops").output,
    ]
    assert outputs[0] == outputs[1]
