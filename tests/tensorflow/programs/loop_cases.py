"""Loops written by hand, each a case whose phases are known. Prints the truth as JSON."""
import json
import time

import keras
import laptime
import numpy as np
import tensorflow as tf

truth = []
x, y = np.random.rand(80, 8).astype("float32"), np.random.rand(80, 1).astype("float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)


def case(name, *phases):
    truth.append([name, [list(phase) for phase in phases]])
    return laptime.scope(f"case: {name}")


class Net(tf.Module):
    def __init__(self):
        self.w = tf.Variable(tf.random.normal((8, 4)))
        self.v = tf.Variable(tf.random.normal((4, 1)))

    def __call__(self, x):
        return tf.nn.relu(x @ self.w) @ self.v


def step_of(net):
    def step(a, b):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((net(a) - b) ** 2)
        for variable, gradient in zip((net.w, net.v), tape.gradient(loss, (net.w, net.v))):
            variable.assign_sub(0.01 * gradient)
        return loss

    return step


T, V, I = "train", "validation", "inference"

net = Net()
with case("inference before any training", (I, 8)):
    for a, _ in data:
        net(a)

step = step_of(net)
with case("eager", (T, 16)):
    for epoch in range(2):
        for a, b in data:
            step(a, b)

fast = tf.function(step)
with case("function", (T, 16)):
    for epoch in range(2):
        for a, b in data:
            loss = fast(a, b)

with case("no dataset", (T, 6)):
    for i in range(6):
        fast(tf.constant(x[:10]), tf.constant(y[:10]))

with case("eager without a dataset", (T, 6)):
    for i in range(6):
        step(tf.constant(x[:10]), tf.constant(y[:10]))


@tf.function
def evaluate(a, b):
    return tf.reduce_mean((net(a) - b) ** 2)


validation = data.take(3)
with case("validation", (T, 8), (V, 3), (T, 8), (V, 3)):
    for epoch in range(2):
        for a, b in data:
            fast(a, b)
        for a, b in validation:
            evaluate(a, b)

with case("eager validation", (T, 8), (V, 3)):
    for a, b in data:
        step(a, b)
    for a, b in validation:
        net(a)

with case("zip", (T, 8)):
    for (a, b), (c, d) in zip(data, data):
        fast(a, b)

with case("iterator by hand", (T, 12)):
    iterator = iter(data.repeat())
    for i in range(12):
        a, b = next(iterator)
        fast(a, b)
    del iterator

with case("take, get_next", (T, 5)):
    iterator = iter(data.take(5))
    for i in range(5):
        a, b = iterator.get_next()
        fast(a, b)
    del iterator

with case("as_numpy_iterator", (T, 8)):
    for a, b in data.as_numpy_iterator():
        fast(tf.constant(a), tf.constant(b))

keras_net = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(1)])
optimizer = keras.optimizers.Adam()
loss_of = keras.losses.MeanSquaredError()


def keras_step(a, b):
    with tf.GradientTape() as tape:
        loss = loss_of(b, keras_net(a, training=True))
    gradients = tape.gradient(loss, keras_net.trainable_variables)
    optimizer.apply_gradients(zip(gradients, keras_net.trainable_variables))
    return loss


with case("Keras model, eager", (T, 8), (V, 3)):
    for a, b in data:
        keras_step(a, b)
    for a, b in validation:
        keras_net(a)

keras_fast = tf.function(keras_step)
with case("Keras model, function", (T, 8), (V, 3)):
    for a, b in data:
        keras_fast(a, b)
    for a, b in validation:
        keras_net(a)

first, second = Net(), Net()
steps = [tf.function(step_of(first)), tf.function(step_of(second))]
with case("two functions", (T, 8)):
    for a, b in data:
        for one in steps:
            one(a, b)

with case("two functions, no dataset", (T, 8)):
    for i in range(8):
        for one in steps:
            one(tf.constant(x[:10]), tf.constant(y[:10]))

optimizers = [keras.optimizers.SGD(), keras.optimizers.SGD()]
with case("GAN, eager", (T, 8)):
    for a, b in data:
        for net_, opt in zip((first, second), optimizers):
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((net_(a) - b) ** 2)
            opt.apply_gradients(zip(tape.gradient(loss, [net_.w, net_.v]), [net_.w, net_.v]))

with case("accumulation, eager", (T, 4)):
    total = None
    for i, (a, b) in enumerate(data):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((first(a) - b) ** 2)
        gradients = tape.gradient(loss, [first.w, first.v])
        total = gradients if total is None else [s + g for s, g in zip(total, gradients)]
        if i % 2:
            optimizers[0].apply_gradients(zip(total, [first.w, first.v]))
            total = None


large = tf.ones((600, 600))


@tf.function
def epoch_over_iterator(iterator, count):
    loss = 0.0
    for _ in tf.range(count):
        a, b = next(iterator)
        loss = step_of(net)(a, b) + tf.reduce_sum(large @ (large * loss))
    return loss


with case("epoch in a function, range", (T, 16)):
    for _ in range(2):
        epoch_over_iterator(iter(data), tf.constant(8))


@tf.function
def epoch_for_iterator(iterator):
    loss = 0.0
    for a, b in iterator:
        loss = step_of(net)(a, b) + tf.reduce_sum(large @ (large * loss))
    return loss


with case("epoch in a function, iterator", (T, 16)):
    for _ in range(2):
        epoch_for_iterator(iter(data))

scaled = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD())
with case("LossScaleOptimizer", (T, 8)):
    for a, b in data:
        with tf.GradientTape() as tape:
            loss = scaled.scale_loss(tf.reduce_mean((first(a) - b) ** 2))
        scaled.apply_gradients(zip(tape.gradient(loss, [first.w, first.v]), [first.w, first.v]))

strategy = tf.distribute.MirroredStrategy(["/cpu:0"])
with strategy.scope():
    replica_net = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    replica_optimizer = keras.optimizers.SGD()


def replica_step(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((replica_net(a) - b) ** 2)
    gradients = tape.gradient(loss, replica_net.trainable_variables)
    replica_optimizer.apply_gradients(zip(gradients, replica_net.trainable_variables))
    return loss


@tf.function
def distributed(a, b):
    return strategy.run(replica_step, args=(a, b))


with case("strategy.run", (T, 8)):
    for a, b in strategy.experimental_distribute_dataset(data):
        distributed(a, b)

with case("fit after loops", (T, 8)):
    keras_net.compile("sgd", "mse")
    keras_net.fit(data, verbose=0)

with case("loop after fit", (T, 8)):
    for a, b in data:
        fast(a, b)

with case("input that sleeps", (T, 10)):

    def slow(i):
        time.sleep(0.03)
        return x[:10], y[:10]

    numbers = tf.data.Dataset.range(10)
    iterator = iter(numbers.map(lambda i: tf.py_function(slow, [i], (tf.float32, tf.float32))))
    waited = 0
    for i in range(10):
        start = time.perf_counter()
        a, b = next(iterator)
        waited += time.perf_counter() - start
        fast(a, b)
    del iterator

with case("inference after training", (V, 8)):
    for a, b in data.map(lambda a, b: (a, b)):
        keras_net(a)

with case("Trace", (T, 8)):
    for i, (a, b) in enumerate(data):
        with tf.profiler.experimental.Trace("train", step_num=i, _r=1):
            fast(a, b)

with case("marked validation", (V, 3)):
    for i, (a, b) in enumerate(validation):
        with tf.profiler.experimental.Trace("eval", step_num=i):
            fast(a, b)

print(json.dumps({"cases": truth, "slept_ms": waited * 1e3}))
