"""Trains on the digits in two ways. Where does the time of the first go?

python -m laptime.kernprof -l -v -z train.py reload      the dataset is loaded again for every step
python -m laptime.kernprof -l -v -z train.py once        it is loaded once; the result is the same
"""

import sys

from digits import CLASSES, SIDE, load_dataset, write_dataset
from laptime import profile
from model import accuracy, new_weights, train_on

FOLDER = "digits"
IMAGES = 1200
BATCH = 8
RATE = 0.05


def train_on_batch(weights, images, labels, step):
    first = step * BATCH % len(images)
    return (
        sum(train_on(weights, images[i], labels[i], RATE) for i in range(first, first + BATCH))
        / BATCH
    )


@profile
def train_reloading(steps):
    weights = new_weights(SIDE * SIDE, CLASSES)
    for step in range(steps):
        images, labels = load_dataset(FOLDER)
        loss = train_on_batch(weights, images, labels, step)
    return weights, loss


@profile
def train_loading_once(steps):
    weights = new_weights(SIDE * SIDE, CLASSES)
    images, labels = load_dataset(FOLDER)
    for step in range(steps):
        loss = train_on_batch(weights, images, labels, step)
    return weights, loss


def main(way, steps=60):
    write_dataset(FOLDER, IMAGES)
    train = {"reload": train_reloading, "once": train_loading_once}[way]
    weights, loss = train(steps)
    images, labels = load_dataset(FOLDER)
    print(f"loss {loss:.6f}, accuracy {accuracy(weights, images, labels):.3f}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1] not in ("reload", "once"):
        sys.exit("train.py: say reload or once, and then how many steps if not 60")
    main(sys.argv[1], *map(int, sys.argv[2:3]))
