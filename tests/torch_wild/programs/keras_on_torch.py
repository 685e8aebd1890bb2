"""Keras with its torch backend: its own optimizer, its own loop."""
import json
import os

os.environ["KERAS_BACKEND"] = "torch"
import keras
import numpy

keras.utils.set_random_seed(0)
x, y = numpy.random.rand(96, 8).astype("float32"), numpy.random.rand(96, 1).astype("float32")
model = keras.Sequential([keras.layers.Dense(8, activation="relu"), keras.layers.Dense(1)])
model.compile(optimizer=keras.optimizers.Adam(1e-3), loss="mse")
model.fit(x, y, batch_size=16, epochs=3, validation_data=(x[:32], y[:32]), verbose=0)
print(json.dumps({"train": 18, "validation": 6}))
