"""A thread trains: the main thread waits for it."""
import json
import threading

import keras
import numpy as np
import tensorflow as tf

import laptime

x, y = np.ones((80, 8), "float32"), np.ones((80, 1), "float32")
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(10)
w = tf.Variable(tf.ones((8, 1)))


@tf.function
def step(a, b):
    with tf.GradientTape() as tape:
        loss = tf.reduce_mean((a @ w - b) ** 2)
    w.assign_sub(0.01 * tape.gradient(loss, w))


def train():
    for a, b in data:
        step(a, b)


def fit():
    model = keras.Sequential([keras.Input((8,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    model.fit(x, y, batch_size=10, verbose=0)


for name, work in {"loop": train, "fit": fit}.items():
    with laptime.scope(f"case: {name}"):
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
print(json.dumps({"cases": [["loop", [["train", 8]]], ["fit", [["train", 8]]]]}))
