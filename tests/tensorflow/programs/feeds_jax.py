"""TensorFlow only reads the input of a JAX program."""
import json

import jax
import numpy as np
import tensorflow as tf

import laptime

x = np.ones((80, 8), "float32")
data = tf.data.Dataset.from_tensor_slices(x).batch(10)


@jax.jit
def step(w, a):
    return w - 0.1 * jax.grad(lambda w: (a @ w).sum())(w)


w = np.ones(8, "float32")
with laptime.scope("case: jax"):
    for _ in range(3):
        for a in data.as_numpy_iterator():
            w = step(w, a)
    w = step(w, a)  # ends the step before
print(json.dumps({"cases": [["jax", [["train", 24]]]]}))
