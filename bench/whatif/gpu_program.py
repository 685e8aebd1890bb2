"""A training loop on a GPU with knobs.

Each knob is a mistake that a fix removes, or a size that a change of the code alters. Each line of
its input is a number of seconds. The program steps that long and reports.

    python gpu_program.py --model cnn --feed host --item

The same options give the same program: the seed is fixed, and nothing is read or written. On a CPU
everything is small.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader, Dataset

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "gpu"))
from child import pin, synchronize
from workloads import DEVICE, SMALL, Cnn, Gpt, Residual

IMAGES, CLASSES = 2048 if SMALL else 20000, 10


class Images(Dataset):
    """Images that are made on request. Each costs some rounds of numpy's."""

    def __init__(self, rounds: int) -> None:
        self.rounds = rounds
        self.pixels = np.random.default_rng(0).random((1, 28, 28), dtype=np.float32)

    def __len__(self) -> int:
        return 10**8

    def __getitem__(self, index: int) -> tuple[torch.Tensor, int]:
        pixels = self.pixels
        for _ in range(self.rounds):
            pixels = np.tanh(pixels)
        return torch.from_numpy(pixels), index % CLASSES


Batches = Iterator[tuple[torch.Tensor, torch.Tensor]]


def feed(options: argparse.Namespace, shape: tuple[int, ...]) -> Batches:
    """Endless batches: already made, in host, pinned or device memory, or made by a loader."""
    if options.feed == "loader":
        loader = DataLoader(
            Images(options.rounds),
            options.batch,
            num_workers=options.workers,
            persistent_workers=options.workers > 0,
        )
        for images, labels in loader:
            yield images.to(DEVICE), labels.to(DEVICE)
    rng = np.random.default_rng(0)
    images, labels = (
        rng.random((IMAGES, *shape), dtype=np.float32),
        rng.integers(CLASSES, size=IMAGES),
    )
    yield from {"host": from_host, "pinned": from_pinned, "device": from_device}[options.feed](
        options.batch, images, labels, rng
    )


def from_host(batch: int, images: np.ndarray, labels: np.ndarray, rng: Any) -> Batches:
    while True:
        rows = rng.integers(IMAGES, size=batch)
        chosen, right = images[rows], labels[rows]
        yield torch.from_numpy(chosen).to(DEVICE), torch.from_numpy(right).to(DEVICE)


def from_pinned(batch: int, images: np.ndarray, labels: np.ndarray, rng: Any) -> Batches:
    """Two buffers in turn, so that one is filled while the other is copied."""

    def buffer(array: np.ndarray) -> torch.Tensor:
        return torch.empty(
            (batch, *array.shape[1:]), dtype=torch.from_numpy(array).dtype
        ).pin_memory()

    buffers = [(buffer(images), buffer(labels), torch.cuda.Event()) for _ in range(2)]
    while True:
        for chosen, right, copied in buffers:
            copied.synchronize()
            rows = rng.integers(IMAGES, size=batch)
            np.take(images, rows, axis=0, out=chosen.numpy(), mode="clip")
            np.take(labels, rows, axis=0, out=right.numpy(), mode="clip")
            on_device = chosen.to(DEVICE, non_blocking=True), right.to(DEVICE, non_blocking=True)
            copied.record()
            yield on_device


def from_device(batch: int, images: np.ndarray, labels: np.ndarray, rng: Any) -> Batches:
    images, labels = torch.from_numpy(images).to(DEVICE), torch.from_numpy(labels).to(DEVICE)
    while True:
        rows = torch.randint(IMAGES, (batch,), device=DEVICE)
        yield images[rows], labels[rows]


def make_gpt(options: argparse.Namespace) -> nn.Module:
    shape = (
        {"layers": 2, "width": 64, "heads": 2, "vocabulary": 128, "time": 32}
        if SMALL
        else {"layers": 8, "width": 768, "heads": 12, "vocabulary": 8192, "time": 256}
    )
    model = Gpt(**shape)
    for block in model.blocks:
        width = block.out.in_features
        block.up, block.down = (
            nn.Linear(width, options.inner * width),
            nn.Linear(options.inner * width, width),
        )
    return model


def make_resnet(options: argparse.Namespace) -> nn.Module:
    widths = [16, 32] if SMALL else [64, 128, 256]
    layers: list[nn.Module] = [nn.Conv2d(3, widths[0], 3, 1, 1)]
    for i, width in enumerate(widths):
        layers += [
            Residual(widths[max(0, i - 1)], width, 1 if i == 0 else 2),
            Residual(width, width, 1),
        ]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], CLASSES)
    )


def make_model(options: argparse.Namespace) -> tuple[nn.Module, Batches]:
    if options.model == "gpt":
        model = make_gpt(options)
        tokens = torch.randint(0, 128, (options.batch, len(model.position)), device=DEVICE)
        return model, iter(lambda: (tokens, tokens.flatten()), None)
    if options.model == "resnet":
        images = torch.rand(options.batch, 3, 64, 64, device=DEVICE)
        if options.channels_last:
            images = images.to(memory_format=torch.channels_last)
        labels = torch.randint(0, CLASSES, (options.batch,), device=DEVICE)
        return make_resnet(options), iter(lambda: (images, labels), None)
    return Cnn(), feed(options, (1, 28, 28))


def metric(rounds: int) -> int:
    total = 0
    for i in range(rounds):
        total += i * i % 7
    return total


def make_update(
    options: argparse.Namespace, model: nn.Module
) -> Callable[[Any, Any], torch.Tensor]:
    way = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}[
        options.optimizer
    ]
    optimizer = torch.optim.Adam(model.parameters(), 1e-4, capturable=options.graph, **way)

    def update(inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        with torch.autocast(DEVICE, torch.bfloat16, enabled=options.bf16):
            output = model(inputs)
            loss = F.cross_entropy(output.flatten(0, -2).float(), labels)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return captured(update, options) if options.graph else update


def captured(
    update: Callable[[Any, Any], torch.Tensor], options: argparse.Namespace
) -> Callable[[Any, Any], torch.Tensor]:
    """The whole update as one CUDA graph, captured with the first batch."""
    state: dict[str, Any] = {}

    def replay(inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        if not state:
            state["inputs"], state["labels"], state["graph"] = (
                inputs.clone(),
                labels.clone(),
                torch.cuda.CUDAGraph(),
            )
            beside = torch.cuda.Stream()
            beside.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(beside):
                for _ in range(5):
                    update(state["inputs"], state["labels"])
            torch.cuda.current_stream().wait_stream(beside)
            with torch.cuda.graph(state["graph"]):
                state["loss"] = update(state["inputs"], state["labels"])
        state["inputs"].copy_(inputs)
        state["labels"].copy_(labels)
        state["graph"].replay()
        return state["loss"]

    return replay


def make_step(options: argparse.Namespace) -> Callable[[], None]:
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high" if options.tf32 else "highest")
    model, batches = make_model(options)
    model = model.to(DEVICE)
    if options.channels_last:
        model = model.to(memory_format=torch.channels_last)
    update = make_update(options, model)
    kept: list[Any] = [None]

    def step() -> None:
        inputs, labels = next(batches)
        loss = update(inputs, labels)
        if options.metric:
            metric(options.metric)
        kept[0] = loss.item() if options.item else loss

    return step


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=["cnn", "gpt", "resnet"], default="cnn")
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument(
        "--inner", type=int, default=4, help="width inside a transformer's block, as a factor"
    )
    parser.add_argument("--feed", choices=["host", "pinned", "device", "loader"], default="device")
    parser.add_argument(
        "--rounds", type=int, default=0, help="of work for a sample of the loader's"
    )
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument(
        "--item", action=argparse.BooleanOptionalAction, help="read the loss in every step"
    )
    parser.add_argument(
        "--metric", type=int, default=0, help="rounds of a metric in pure Python, each step"
    )
    parser.add_argument("--optimizer", choices=["single", "foreach", "fused"], default="foreach")
    parser.add_argument("--tf32", action="store_true")
    parser.add_argument("--bf16", action="store_true")
    parser.add_argument("--channels-last", action="store_true")
    parser.add_argument(
        "--warmup",
        type=int,
        default=3 if SMALL else 30,
        help="steps before it reports that it is ready",
    )
    parser.add_argument("--graph", action="store_true", help="the update as a CUDA graph")
    return parser.parse_args()


def report(**values: Any) -> None:
    print(json.dumps(values), flush=True)


def turn(step: Callable[[], None], seconds: float) -> None:
    count, began = 0, time.perf_counter()
    while time.perf_counter() - began < seconds:
        step()
        count += 1
    synchronize()
    report(steps=count, step_ns=(time.perf_counter() - began) / count * 1e9)


def main() -> None:
    options = parse()
    step = make_step(options)
    for _ in range(options.warmup):
        step()
    synchronize()
    pin()
    report(ready=True)
    for line in sys.stdin:
        if line.strip() == "end":
            break
        turn(step, float(line))


if __name__ == "__main__":
    main()
    sys.stdout.flush()
