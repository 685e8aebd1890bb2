"""A GradientTape loop as tutorials have it, at every rung of the ladder (docs/ladder.md).

laptime run ladder.py                            everything wrong at once: what does laptime say?
laptime run ladder.py --load-once --function     two of its answers taken
python ../mnist/climb.py --ladder ladder.py      all, one after the other, predicted and measured
"""

import argparse
import json
import os
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

import keras
import numpy as np
import tensorflow as tf

IMAGES, SIDE, CLASSES = 60000, 28, 10  # as many, and as large, as MNIST's

# What the loop changes when a rule of laptime's fires.
ANSWERS = {
    "reload": "--load-once",
    "eager-loop": "--function",
    "jit-compile": "--jit",
    "cpu-bfloat16": "--bf16",
    "mixed-precision": "--bf16",
    "hidden-sync": "--keep-losses",
    "python-line": "--dataset",
}


def write_digits(folder):
    """digits.npz, unless it is there: noise, brighter in the rows of the class."""
    path = os.path.join(folder, "digits.npz")
    if os.path.exists(path):
        return
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(7)
    labels = rng.integers(CLASSES, size=IMAGES)
    images = rng.integers(0, 160, size=(IMAGES, SIDE, SIDE), dtype=np.uint8)
    for digit in range(CLASSES):
        images[labels == digit, 2 * digit + 4 : 2 * digit + 8] += 90
    np.savez(path, images=images, labels=labels)


def load(folder):
    """All images as numbers between 0 and 1, and their labels."""
    with np.load(os.path.join(folder, "digits.npz")) as digits:
        return digits["images"][..., None].astype("float32") / 255, digits["labels"]


class Network(keras.Model):
    def __init__(self):
        super().__init__()
        self.conv1 = keras.layers.Conv2D(16, 3, activation="relu")
        self.conv2 = keras.layers.Conv2D(32, 3, activation="relu")
        self.pool = keras.layers.MaxPooling2D()
        self.flatten = keras.layers.Flatten()
        self.hidden = keras.layers.Dense(64, activation="relu")
        self.head = keras.layers.Dense(CLASSES, dtype="float32")

    def call(self, images):
        x = self.pool(self.conv1(images))
        x = self.pool(self.conv2(x))
        x = self.hidden(self.flatten(x))
        return self.head(x)


def batches(options):
    """Endless: a random choice of images and labels each time."""
    rng = np.random.default_rng(0)
    if options.load_once or options.dataset:
        images, labels = load(options.data)
    if options.dataset:
        data = tf.data.Dataset.from_tensor_slices((images, labels))
        yield from data.shuffle(IMAGES, seed=0).repeat().batch(options.batch).prefetch(2)
    while True:
        if not options.load_once:
            images, labels = load(options.data)
        rows = rng.integers(len(labels), size=options.batch)
        yield tf.constant(images[rows]), tf.constant(labels[rows])


def make_step(options):
    model = Network()
    loss_of = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = keras.optimizers.Adam(1e-3)

    def train_step(images, labels):
        with tf.GradientTape() as tape:
            loss = loss_of(labels, model(images, training=True))
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    if options.function or options.jit:
        return tf.function(train_step, jit_compile=options.jit)
    return train_step


def train(options):
    """Images a second in the second half, and the last loss."""
    train_step = make_step(options)
    source = batches(options)
    losses, began = [], time.perf_counter()
    for number in range(options.steps):
        if number == options.steps // 2:
            began = time.perf_counter()
        images, labels = next(source)
        loss = train_step(images, labels)
        losses.append(loss if options.keep_losses else float(loss))
    last = float(losses[-1])
    seconds = time.perf_counter() - began
    return (options.steps - options.steps // 2) * options.batch / seconds, last


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", default="digits", help="folder of the dataset, written if it is not there"
    )
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--load-once", action="store_true", help="read the dataset before the loop")
    parser.add_argument("--dataset", action="store_true", help="read batches through tf.data")
    parser.add_argument("--function", action="store_true", help="trace the step: tf.function")
    parser.add_argument("--jit", action="store_true", help="and compile it with XLA")
    parser.add_argument("--bf16", action="store_true", help="the policy mixed_bfloat16")
    parser.add_argument(
        "--keep-losses", action="store_true", help="do not fetch the loss in every step"
    )
    parser.add_argument("--answers", action="store_true", help="print the rules with an option")
    options = parser.parse_args()
    if options.answers:
        print(json.dumps(ANSWERS))
        return
    keras.utils.set_random_seed(0)
    if options.bf16:
        keras.mixed_precision.set_global_policy("mixed_bfloat16")
    write_digits(options.data)
    rate, loss = train(options)
    print(f"{rate:.0f} images/s, loss {loss:.4f}")


if __name__ == "__main__":
    main()
