"""A small training in plain JAX, with three faults that laptime finds (README.md).

laptime run train.py           the slow program
laptime run train.py --fixed   after its advice
"""

import argparse
import time

import jax
import jax.numpy as jnp
import numpy as np

SIDE, CLASSES = 16, 10
IMAGES, BATCH = 4000, 64


def draw_digits(rng):
    """Images of ten patterns, each with noise, and their labels."""
    patterns = rng.normal(size=(CLASSES, SIDE * SIDE)).astype(np.float32)
    labels = rng.integers(0, CLASSES, IMAGES)
    noise = rng.normal(size=(IMAGES, SIDE * SIDE)).astype(np.float32)
    return patterns[labels] + 2 * noise, labels


def make_parameters(key):
    sizes = (SIDE * SIDE, 128, 128, CLASSES)
    return [
        (jax.random.normal(k, (m, n)) / m**0.5, jnp.zeros(n))
        for k, m, n in zip(jax.random.split(key, len(sizes)), sizes, sizes[1:])
    ]


def logits_of(parameters, images):
    *hidden, (last, bias) = parameters
    for weights, hidden_bias in hidden:
        images = jax.nn.relu(images @ weights + hidden_bias)
    return images @ last + bias


def loss_of(parameters, images, labels):
    likelihoods = jax.nn.log_softmax(logits_of(parameters, images))
    return -jnp.take_along_axis(likelihoods, labels[:, None], 1).mean()


def update(parameters, images, labels, rate):
    loss, gradients = jax.value_and_grad(loss_of)(parameters, images, labels)
    return jax.tree.map(lambda p, g: p - rate * g, parameters, gradients), loss


def normalize(images):
    """Scales each image to mean 0 and deviation 1."""
    result = np.empty_like(images)
    for i, image in enumerate(images):
        result[i] = (image - image.mean()) / image.std()
    return result


def train_slowly(parameters, images, labels, epochs):
    step = jax.jit(update, static_argnames="rate")
    for epoch in range(epochs):
        rate = 0.1 / (1 + epoch)
        total = 0.0
        for begin in range(0, IMAGES, BATCH):
            batch = normalize(images[begin : begin + BATCH])
            parameters, loss = step(parameters, batch, labels[begin : begin + BATCH], rate=rate)
            total += float(loss)
        print(f"epoch {epoch}: loss {total / -(-IMAGES // BATCH):.4f}")
    return parameters


def train_fast(parameters, images, labels, epochs):
    step = jax.jit(update)
    images = normalize(images)
    for epoch in range(epochs):
        rate = np.float32(0.1 / (1 + epoch))
        losses = []
        for begin in range(0, IMAGES - IMAGES % BATCH, BATCH):
            end = begin + BATCH
            parameters, loss = step(parameters, images[begin:end], labels[begin:end], rate)
            losses.append(loss)
        print(f"epoch {epoch}: loss {np.mean(jax.device_get(losses)):.4f}")
    return parameters


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--fixed", action="store_true")
    options.add_argument("--epochs", type=int, default=8)
    chosen = options.parse_args()
    images, labels = draw_digits(np.random.default_rng(0))
    parameters = make_parameters(jax.random.key(0))
    train = train_fast if chosen.fixed else train_slowly
    began = time.perf_counter()
    parameters = train(parameters, images, labels, chosen.epochs)
    seconds = time.perf_counter() - began
    right = (logits_of(parameters, normalize(images)).argmax(1) == labels).mean()
    print(f"{chosen.epochs * IMAGES / seconds:,.0f} images/s; {right:.1%} right")


if __name__ == "__main__":
    main()
