"""A small dataset in MNIST's own file format, drawn here: the same files on every machine, and no
download.

An idx file is two zero bytes, the type (8: bytes), the number of dimensions, each dimension as four
bytes, then the data.
"""

import os
import random
import struct

SIDE = 14
CLASSES = 10
# What of a seven-segment display is lit: top, upper left, upper right, middle, lower left, lower
# right, bottom.
SEGMENTS = [
    "1110111",
    "0010010",
    "1011101",
    "1011011",
    "0111010",
    "1101011",
    "1101111",
    "1010010",
    "1111111",
    "1111011",
]


def draw(digit, rng):
    """One image: the digit with a random shift, stroke and noise."""
    image = bytearray(rng.randrange(40) for _ in range(SIDE * SIDE))
    top, left, ink = rng.randrange(3), rng.randrange(4), rng.randrange(170, 256)
    strokes = [
        (0, 0, 1, 8),
        (0, 0, 6, 1),
        (0, 7, 6, 1),
        (5, 0, 1, 8),
        (5, 0, 6, 1),
        (5, 7, 6, 1),
        (10, 0, 1, 8),
    ]
    for lit, (row, column, height, width) in zip(SEGMENTS[digit], strokes):
        for y in range(height if lit == "1" else 0):
            for x in range(width):
                image[(top + row + y) * SIDE + left + column + x] = ink
    return image


def write_dataset(folder, count, seed=7):
    """Writes images.idx and labels.idx unless they are there."""
    images_path, labels_path = (
        os.path.join(folder, "images.idx"),
        os.path.join(folder, "labels.idx"),
    )
    if not os.path.exists(labels_path):
        os.makedirs(folder, exist_ok=True)
        rng = random.Random(seed)
        labels = bytes(rng.randrange(CLASSES) for _ in range(count))
        with open(images_path, "wb") as file:
            file.write(struct.pack(">BBBBIII", 0, 0, 8, 3, count, SIDE, SIDE))
            for label in labels:
                file.write(draw(label, rng))
        with open(labels_path, "wb") as file:
            file.write(struct.pack(">BBBBI", 0, 0, 8, 1, count) + labels)
    return images_path, labels_path


def read_idx(path):
    """The dimensions and the bytes of an idx file."""
    with open(path, "rb") as file:
        _, _, kind, rank = struct.unpack(">BBBB", file.read(4))
        if kind != 8:
            raise ValueError(f"{path}: not an idx file of bytes")
        shape = struct.unpack(f">{rank}I", file.read(4 * rank))
        return shape, file.read()


def load_dataset(folder):
    """All images as lists of numbers between 0 and 1, and their labels."""
    (count, height, width), pixels = read_idx(os.path.join(folder, "images.idx"))
    _, labels = read_idx(os.path.join(folder, "labels.idx"))
    size = height * width
    images = [[pixel / 255 for pixel in pixels[i * size : (i + 1) * size]] for i in range(count)]
    return images, labels
