"""One training loop at every rung of the ladder, from its naive worst to its best (docs/ladder.md).

laptime run ladder.py                             everything wrong at once: what does laptime say?
laptime run ladder.py --load-once --batch 1024    two of its answers taken
python climb.py                                   all, one after the other, predicted and measured
"""

import argparse
import json
import os
import random
import time

import numpy as np
import torch
from digits import CLASSES, SIDE, draw, read_idx
from torch import nn
from torch.nn import functional as F

IMAGES = 60000  # as many, and as large, as MNIST's
ZOOM = 2

# What the loop changes when a rule of laptime's fires.
ANSWERS = {
    "reload": "--load-once",
    "hidden-sync": "--keep-losses",
    "pageable-copy": "--on-device",
    "tiny-copies": "--on-device",
    "python-line": "--on-device",
    "launch-bound": "--compile",
    "single-tensor-optimizer": "--fused",
    "tf32": "--tf32",
    "mixed-precision": "--bf16",
    "cpu-bfloat16": "--bf16",
}


def write_digits(folder):
    """images.idx and labels.idx, unless they are there: a few hundred drawn digits, shifted and
    with noise.
    """
    if os.path.exists(os.path.join(folder, "labels.idx")):
        return
    os.makedirs(folder, exist_ok=True)
    rng, drawing = np.random.default_rng(7), random.Random(7)
    kinds = np.arange(40 * CLASSES) % CLASSES
    small = np.array(
        [
            np.frombuffer(bytes(draw(digit, drawing)), np.uint8).reshape(SIDE, SIDE)
            for digit in kinds
        ]
    )
    drawn = small.repeat(ZOOM, 1).repeat(ZOOM, 2)
    chosen = rng.integers(len(drawn), size=IMAGES)
    images = np.clip(
        drawn[chosen].astype(np.int16)
        + rng.integers(-20, 20, size=(IMAGES, SIDE * ZOOM, SIDE * ZOOM)),
        0,
        255,
    ).astype(np.uint8)
    for name, array in (("images", images), ("labels", kinds[chosen].astype(np.uint8))):
        with open(os.path.join(folder, f"{name}.idx"), "wb") as file:
            file.write(
                bytes([0, 0, 8, array.ndim])
                + np.array(array.shape, ">u4").tobytes()
                + array.tobytes()
            )


def load(folder):
    """All images as numbers between 0 and 1, and their labels."""
    shape, pixels = read_idx(os.path.join(folder, "images.idx"))
    _, labels = read_idx(os.path.join(folder, "labels.idx"))
    images = np.frombuffer(pixels, np.uint8).reshape(shape[0], 1, *shape[1:])
    return images.astype(np.float32) / 255, np.frombuffer(labels, np.uint8).astype(np.int64)


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 64, 3)
        self.hidden = nn.Linear(64 * 9, 64)
        self.head = nn.Linear(64, CLASSES)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.conv1(images)), 2)
        x = F.max_pool2d(F.relu(self.conv2(x)), 2)
        x = F.relu(self.conv3(x))
        return self.head(F.relu(self.hidden(x.flatten(1))))


def batches(options):
    """Endless: images and labels on the device, a random choice each time."""
    if options.on_device:
        images, labels = (
            torch.from_numpy(array).to(options.device) for array in load(options.data)
        )
        while True:
            rows = torch.randint(len(labels), (options.batch,), device=options.device)
            yield images[rows], labels[rows]
    rng = np.random.default_rng(0)
    if options.load_once:
        images, labels = load(options.data)
    while True:
        if not options.load_once:
            images, labels = load(options.data)
        rows = rng.integers(len(labels), size=options.batch)
        yield (
            torch.from_numpy(images[rows]).to(options.device),
            torch.from_numpy(labels[rows]).to(options.device),
        )


def make_step(options):
    model = Network().to(options.device)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=options.fused or None)
    forward = torch.compile(model) if options.compile else model

    def step(images, labels):
        with torch.autocast(options.device, torch.bfloat16, enabled=options.bf16):
            loss = F.cross_entropy(forward(images), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


def train(options):
    """Images a second in the second half, and the last loss."""
    step = make_step(options)
    source = batches(options)
    losses, began = [], time.perf_counter()
    for number in range(options.steps):
        if number == options.steps // 2:
            losses[-1].item()  # the GPU has done what came before
            began = time.perf_counter()
        images, labels = next(source)
        loss = step(images, labels)
        losses.append(loss if options.keep_losses else torch.tensor(loss.item()))
    last = losses[-1].item()
    return (options.steps - options.steps // 2) * options.batch / (
        time.perf_counter() - began
    ), last


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--data", default="mnist", help="folder of the dataset, written if it is not there"
    )
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--load-once", action="store_true", help="read the dataset before the loop")
    parser.add_argument("--on-device", action="store_true", help="and keep it where the model is")
    parser.add_argument(
        "--keep-losses", action="store_true", help="do not fetch the loss in every step"
    )
    parser.add_argument("--compile", action="store_true", help="torch.compile")
    parser.add_argument("--fused", action="store_true", help="the optimizer as one kernel")
    parser.add_argument("--tf32", action="store_true", help="tensor cores for float32 products")
    parser.add_argument("--bf16", action="store_true", help="autocast to bfloat16")
    parser.add_argument("--answers", action="store_true", help="print the rules with an option")
    options = parser.parse_args()
    if options.answers:
        print(json.dumps(ANSWERS))
        return
    if options.tf32:
        torch.set_float32_matmul_precision("high")
    torch.manual_seed(0)
    write_digits(options.data)
    rate, loss = train(options)
    print(f"{rate:.0f} images/s, loss {loss:.4f}")


if __name__ == "__main__":
    main()
