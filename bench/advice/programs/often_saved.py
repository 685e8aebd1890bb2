"""A model that is saved every few steps."""

import argparse
import os
import tempfile

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--every", type=int, default=10)
parser.add_argument("--width", type=int, default=768)
options = parser.parse_args()
torch.manual_seed(0)
path = os.path.join(tempfile.mkdtemp(), "model.pt")
model = nn.Sequential(
    *(layer for _ in range(4) for layer in (nn.Linear(options.width, options.width), nn.GELU()))
)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-3, momentum=0.9)
step = 0
while True:
    x = torch.randn(64, options.width)
    loss = F.mse_loss(model(x), x)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    step += 1
    if step % options.every == 0:
        torch.save(
            {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path
        )
