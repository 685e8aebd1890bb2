"""Millions of objects that live as long as the program, and cycles in every step. The collector
searches all of them.
"""

import argparse

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--objects", type=int, default=400_000)
options = parser.parse_args()
torch.manual_seed(0)
vocabulary = [
    {"word": str(i), "count": [i], "neighbours": [(i, i + 1)]} for i in range(options.objects)
]
model = nn.Sequential(nn.Linear(128, 512), nn.ReLU(), nn.Linear(512, 128))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
table = torch.randn(len(vocabulary) // 100, 128)


class Example:
    def __init__(self, entry):
        self.entry, self.self = entry, self


def main():
    step = 0
    while True:
        examples = [Example(vocabulary[(step * 61 + i) % len(vocabulary)]) for i in range(800)]
        rows = torch.tensor([example.entry["count"][0] // 100 % len(table) for example in examples])
        x = table[rows]
        loss = F.mse_loss(model(x), x)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1


main()
