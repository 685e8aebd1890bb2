"""Keras's fit on the backend of KERAS_BACKEND: a small convolutional network."""

import keras
import numpy as np
from measured import STEPS, Clock, own_profiler

keras.utils.set_random_seed(0)
rng = np.random.default_rng(0)
images = rng.random((64 * STEPS // 4, 28, 28, 1), dtype="float32")
labels = rng.integers(0, 10, len(images))
model = keras.Sequential(
    [
        keras.layers.Conv2D(16, 3, activation="relu"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(10),
    ]
)
model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
clock = Clock()


class Timed(keras.callbacks.Callback):
    def on_train_batch_begin(self, batch, logs=None):
        clock.tick()


with own_profiler("tensorflow"):
    model.fit(images, labels, batch_size=64, epochs=4, verbose=0, callbacks=[Timed()])
clock.report(model.get_weights())
