"""Many ways to run Keras, each a case whose phases are known. Prints the truth as JSON.

Each backend also reads the kinds of input that are its own.
"""
import json
import tempfile
import time

import keras
import laptime
import numpy as np

BACKEND = keras.backend.backend()
truth = []
x, y = np.random.rand(100, 8).astype("float32"), np.random.rand(100, 1).astype("float32")


def model_of(**options):
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(4), keras.layers.Dense(1)])
    model.compile("sgd", "mse", **options)
    return model


def case(name, *phases):
    """``phases``: (phase, batches) in order."""
    truth.append([name, [list(phase) for phase in phases]])
    return laptime.scope(f"case: {name}")


T, V, I = "train", "validation", "inference"
quiet = {"verbose": 0}

with case("validation_split", (T, 8), (V, 2), (T, 8), (V, 2)):
    model_of().fit(x, y, batch_size=10, epochs=2, validation_split=0.2, **quiet)

with case("last partial batch", (T, 4), (V, 4)):
    model_of().fit(x, y, batch_size=32, epochs=1, validation_data=(x, y), validation_freq=1, **quiet)

with case("validation_freq", (T, 20), (V, 2), (T, 20), (V, 2)):
    model_of().fit(x, y, batch_size=10, epochs=4, validation_data=(x, y), validation_freq=2, validation_batch_size=50, **quiet)

with case("twice, initial_epoch", (T, 30)):
    model = model_of()
    model.fit(x, y, batch_size=10, class_weight=None, sample_weight=np.ones(100), **quiet)
    model.fit(x, y, batch_size=10, initial_epoch=2, epochs=4, **quiet)

with case("EarlyStopping, ModelCheckpoint", (T, 20)):
    stop = keras.callbacks.EarlyStopping(monitor="loss", min_delta=10, patience=1)
    with tempfile.TemporaryDirectory() as folder:
        save = keras.callbacks.ModelCheckpoint(folder + "/m.keras")
        model_of().fit(x, y, batch_size=10, epochs=5, callbacks=[stop, save], **quiet)

with case("steps_per_epoch", (T, 6)):
    model_of().fit(x, y, batch_size=10, steps_per_epoch=3, epochs=2, **quiet)

with case("steps_per_execution", (T, 13), (V, 4), (T, 13), (V, 4)):
    model_of(**({} if BACKEND == 'torch' else {'steps_per_execution': 5})).fit(x, y, batch_size=8, epochs=2, validation_data=(x, y), validation_batch_size=25, **quiet)

with case("train_on_batch", (T, 5)):
    model = model_of()
    for i in range(5):
        model.train_on_batch(x[:10], y[:10])
with case("evaluate", (V, 5)):
    model.evaluate(x, y, batch_size=20, **quiet)
with case("predict", (I, 4)):
    model.predict(x, batch_size=25, **quiet)


class Batches(keras.utils.PyDataset):
    def __len__(self):
        return 7

    def __getitem__(self, i):
        return x[:10], y[:10]


with case("PyDataset", (T, 14)):
    model.fit(Batches(workers=1), epochs=2, **quiet)
with case("PyDataset with workers", (T, 14)):
    model.fit(Batches(workers=2, use_multiprocessing=False), epochs=2, **quiet)


def generate(n=6):
    for _ in range(n):
        yield x[:10], y[:10]


with case("generator", (T, 6)):
    model.fit(generate(), **quiet)


def endless():
    while True:
        yield x[:10], y[:10]


with case("endless generators", (T, 4), (V, 3), (T, 4), (V, 3)):
    model.fit(endless(), steps_per_epoch=4, epochs=2, validation_data=endless(), validation_steps=3, **quiet)

if BACKEND == "tensorflow":
    import tensorflow as tf

    with case("tf.data", (T, 10), (V, 4), (T, 10), (V, 4)):
        data = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
        model.fit(data, epochs=2, validation_data=data.take(4), **quiet)
    with case("tf.data repeated", (T, 10)):
        model.fit(data.repeat(), steps_per_epoch=5, epochs=2, **quiet)

if BACKEND == "torch":
    import torch

    with case("DataLoader", (T, 10), (V, 10), (T, 10), (V, 10)):
        loader = torch.utils.data.DataLoader(
            torch.utils.data.TensorDataset(torch.tensor(x), torch.tensor(y)), batch_size=10
        )
        model.fit(loader, epochs=2, validation_data=loader, **quiet)

with case("run_eagerly", (T, 10), (V, 2)):
    model_of(run_eagerly=True).fit(x, y, batch_size=10, validation_data=(x[:20], y[:20]), validation_batch_size=10, **quiet)
if BACKEND != "torch":
    with case("jit_compile", (T, 10)):
        model_of(jit_compile=True).fit(x, y, batch_size=10, **quiet)


class Within(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        other.fit(x[:30], y[:30], batch_size=10, **quiet)


class Predicts(keras.callbacks.Callback):
    def on_epoch_end(self, epoch, logs=None):
        self.model.predict(x[:30], batch_size=10, **quiet)


with case("fit in a callback", (T, 26)):
    other = model_of()
    model_of().fit(x, y, batch_size=10, epochs=2, callbacks=[Within()], **quiet)
with case("predict in a callback", (T, 10), (I, 3), (T, 10), (I, 3)):
    model_of().fit(x, y, batch_size=10, epochs=2, callbacks=[Predicts()], **quiet)


class Raises(keras.callbacks.Callback):
    def on_train_batch_end(self, batch, logs=None):
        if batch == 4:
            raise RuntimeError("stop")


with case("a callback raises", (T, 10)):
    for _ in range(2):
        try:
            model_of().fit(x, y, batch_size=10, callbacks=[Raises()], **quiet)
        except RuntimeError:
            pass
with case("after an exception", (T, 5), (V, 5)):
    model_of().fit(x, y, batch_size=10, validation_split=0.5, **quiet)

if BACKEND == "tensorflow":

    class Custom(keras.Model):
        def __init__(self):
            super().__init__()
            self.dense = keras.layers.Dense(1)

        def call(self, x):
            return self.dense(x)

        def train_step(self, data):
            x, y = data
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean((self(x) - y) ** 2)
            self.optimizer.apply_gradients(
                zip(tape.gradient(loss, self.trainable_variables), self.trainable_variables)
            )
            return {"loss": loss}

    with case("custom train_step", (T, 20)):
        for eagerly in (False, True):
            model = Custom()
            model.compile("adam", run_eagerly=eagerly)
            model.fit(x, y, batch_size=10, **quiet)

slept = []


def sleep():
    start = time.perf_counter()
    time.sleep(0.03)
    slept.append(time.perf_counter() - start)


def sleeping():
    for _ in range(10):
        sleep()
        yield x[:10], y[:10]


with case("input that sleeps", (T, 10)):
    if BACKEND == "tensorflow":

        def slow(i):
            sleep()
            return x[:10], y[:10]

        numbers = tf.data.Dataset.range(10)
        batches = numbers.map(lambda i: tf.py_function(slow, [i], (tf.float32, tf.float32)))
        model_of().fit(
            batches.map(lambda a, b: (tf.ensure_shape(a, (10, 8)), tf.ensure_shape(b, (10, 1)))),
            **quiet,
        )
    else:
        model_of().fit(sleeping(), **quiet)
        slept.pop(0)  # Keras takes one batch before the loop begins

print(json.dumps({"cases": truth, "slept_ms": sum(slept) * 1e3}))
