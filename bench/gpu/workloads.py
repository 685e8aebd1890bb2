"""Trainings for the GPU's figures: ``step = make(name)``; ``step()`` is one training step.

With DEVICE=cpu everything is small.

eager    a CNN on 28x28 images, batch 64: launch-bound, about 280 ops and 93 kernels a step
gpt      12 transformer blocks in bfloat16: GPU-bound
resnet   residual convolutions on 64x64 images: GPU-bound
compile  the CNN through torch.compile
graphs   the CNN through torch.compile with CUDA graphs
compiled a GPT through torch.compile as people train it (compiled_gpt.py); a GPU only
views    a model full of views, checkpointing, own Functions, in-place ops, autocast and
         accumulated gradients
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.checkpoint import checkpoint

DEVICE = os.environ.get("DEVICE", "cuda")
SMALL = DEVICE == "cpu"
IMAGES = 8192


class Cnn(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 32, 3)
        self.conv2 = nn.Conv2d(32, 64, 3)
        self.conv3 = nn.Conv2d(64, 64, 3)
        self.linear1 = nn.Linear(576, 128)
        self.linear2 = nn.Linear(128, 10)

    def forward(self, x):
        x = F.relu(self.conv1(x))
        x = F.max_pool2d(x, 2)
        x = F.relu(self.conv2(x))
        x = F.max_pool2d(x, 2)
        x = F.relu(self.conv3(x))
        x = x.flatten(1)
        x = F.relu(self.linear1(x))
        return self.linear2(x)


class Block(nn.Module):
    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1 = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)
        self.norm2 = nn.LayerNorm(width)
        self.up = nn.Linear(width, 4 * width)
        self.down = nn.Linear(4 * width, width)

    def forward(self, x):
        batch, time, width = x.shape
        q, k, v = (
            self.qkv(self.norm1(x))
            .view(batch, time, 3, self.heads, width // self.heads)
            .permute(2, 0, 3, 1, 4)
        )
        a = F.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(a.transpose(1, 2).reshape(batch, time, width))
        y = F.gelu(self.up(self.norm2(x)))
        return x + self.down(y)


class Gpt(nn.Module):
    def __init__(self, layers: int, width: int, heads: int, vocabulary: int, time: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, width)
        self.position = nn.Parameter(torch.zeros(time, width))
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.head = nn.Linear(width, vocabulary)

    def forward(self, x):
        x = self.embedding(x) + self.position
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


class Residual(nn.Module):
    def __init__(self, inner: int, outer: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(inner, outer, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(outer)
        self.conv2 = nn.Conv2d(outer, outer, 3, 1, 1, bias=False)
        self.norm2 = nn.BatchNorm2d(outer)
        self.short = (
            nn.Conv2d(inner, outer, 1, stride, bias=False)
            if stride != 1 or inner != outer
            else nn.Identity()
        )

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        y = self.norm2(self.conv2(y))
        return F.relu(y + self.short(x))


class Twice(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return x * 2

    @staticmethod
    def backward(context, gradient):
        return gradient * 2


class Views(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.linear1 = nn.Linear(256, 512)
        self.linear2 = nn.Linear(512, 256)
        self.scale = nn.Parameter(torch.ones(4, 64))

    def middle(self, x):
        y = F.gelu(self.linear1(x))
        return self.linear2(y)

    def forward(self, x):
        y = x.view(-1, 4, 64)
        y = y * self.scale.unsqueeze(0)
        y = y.transpose(1, 2).reshape(-1, 256)
        y = checkpoint(self.middle, y, use_reentrant=False)
        y = Twice.apply(y)
        y = y.chunk(2, dim=1)[0]
        y = torch.cat([y, y.flip(1)], dim=1)
        y += 1
        return y.pow(2).mean()


def make(name: str) -> Callable[[], None]:
    torch.manual_seed(0)
    np.random.seed(0)
    return {
        "eager": _images,
        "compile": _images,
        "graphs": _images,
        "gpt": _gpt,
        "resnet": _resnet,
        "views": _views,
        "compiled": _compiled,
    }[name](name)


def _images(name: str) -> Callable[[], None]:
    images = np.random.rand(IMAGES, 28, 28).astype(np.float32)
    labels = np.random.randint(0, 10, IMAGES)
    model = Cnn().to(DEVICE)
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    run = {
        "eager": lambda: model,
        "compile": lambda: torch.compile(model),
        "graphs": lambda: torch.compile(model, mode="reduce-overhead"),
    }[name]()

    def step() -> None:
        chosen = np.random.choice(IMAGES, 64)
        x = torch.from_numpy(images[chosen]).unsqueeze(1).to(DEVICE)
        y = torch.from_numpy(labels[chosen]).to(DEVICE)
        z = run(x)
        loss = F.cross_entropy(z, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def _gpt(_: str) -> Callable[[], None]:
    shape = (
        {"layers": 2, "width": 64, "heads": 2, "vocabulary": 128, "time": 32}
        if SMALL
        else {"layers": 12, "width": 1024, "heads": 16, "vocabulary": 16384, "time": 1024}
    )
    model = Gpt(**shape).to(DEVICE, torch.bfloat16)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, fused=not SMALL)
    tokens = torch.randint(0, 128, (2, 32) if SMALL else (16, 1024), device=DEVICE)

    def step() -> None:
        y = model(tokens)
        loss = F.cross_entropy(y.flatten(0, 1).float(), tokens.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def _resnet(_: str) -> Callable[[], None]:
    widths = [16, 32] if SMALL else [64, 128, 256, 512]
    layers = [nn.Conv2d(3, widths[0], 3, 1, 1)]
    for i, width in enumerate(widths):
        layers += [
            Residual(widths[max(0, i - 1)], width, 1 if i == 0 else 2),
            Residual(width, width, 1),
        ]
    model = nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(widths[-1], 100)
    ).to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), 0.01, momentum=0.9)
    batch = 2 if SMALL else 256
    x, y = (
        torch.rand(batch, 3, 64, 64, device=DEVICE),
        torch.randint(0, 100, (batch,), device=DEVICE),
    )

    def step() -> None:
        z = model(x)
        loss = F.cross_entropy(z, y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()

    return step


def _compiled(_: str) -> Callable[[], None]:
    from compiled_gpt import make_update

    return make_update()


def _views(_: str) -> Callable[[], None]:
    model = Views().to(DEVICE)
    optimizer = torch.optim.SGD(model.parameters(), 1e-3)
    x = torch.rand(512 if SMALL else 8192, 256, device=DEVICE)

    def step() -> None:
        optimizer.zero_grad()
        for _ in range(2):
            with torch.autocast(DEVICE, torch.bfloat16):
                loss = model(x)
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()

    return step
