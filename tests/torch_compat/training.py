"""A small training, the same every time, to be profiled by torch's profiler and by laptime's."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.profiler import record_function


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.features = nn.Sequential(nn.Conv2d(1, 4, 3), nn.ReLU(), nn.MaxPool2d(2))
        self.classifier = nn.Linear(4 * 13 * 13, 10)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        return self.classifier(self.features(images).flatten(1))


class Training:
    def __init__(self, batch: int = 8) -> None:
        torch.manual_seed(0)
        self.model = Net()
        self.optimizer = torch.optim.SGD(self.model.parameters(), lr=0.01, momentum=0.9)
        self.images = torch.randn(batch, 1, 28, 28)
        self.labels = torch.randint(0, 10, (batch,))
        self.step()  # the first step makes gradients and momenta

    def step(self) -> None:
        self.optimizer.zero_grad()
        with record_function("forward"):
            loss = nn.functional.cross_entropy(self.model(self.images), self.labels)
        loss.backward()
        self.optimizer.step()


def run(profiler: Any, steps: int = 3, **options: Any) -> Any:
    """The profiler after `steps` steps of a new training."""
    training = Training()
    with profiler(activities=[torch.profiler.ProfilerActivity.CPU], **options) as profile:
        for _ in range(steps):
            training.step()
            if "schedule" in options:
                profile.step()
    return profile
