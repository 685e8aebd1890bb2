"""A GradientTape loop over a dataset: `tape.py eager` or `tape.py function`."""

import sys

import numpy as np
import tensorflow as tf
from measured import STEPS, Clock, own_profiler

tf.random.set_seed(0)
rng = np.random.default_rng(0)
images = rng.random((6400, 784), dtype="float32")
labels = rng.integers(0, 10, len(images))
dataset = tf.data.Dataset.from_tensor_slices((images, labels)).repeat().batch(64).take(STEPS)
weights = [
    tf.Variable(tf.random.normal(shape) * 0.05) for shape in ((784, 256), (256, 256), (256, 10))
]


def train_step(x, y):
    with tf.GradientTape() as tape:
        hidden = tf.nn.relu(tf.nn.relu(x @ weights[0]) @ weights[1])
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(y, hidden @ weights[2])
        loss = tf.reduce_mean(losses)
    for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
        weight.assign_sub(0.1 * gradient)
    return loss


if sys.argv[1] == "function":
    train_step = tf.function(train_step)
clock = Clock()
with own_profiler("tensorflow"):
    for x, y in dataset:
        clock.tick()
        train_step(x, y)
clock.report([weight.numpy() for weight in weights])
