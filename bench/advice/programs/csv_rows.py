"""A table in a CSV file that every step parses again."""

import csv
import tempfile

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

PATH = tempfile.mkdtemp() + "/table.csv"


def make(rows=600, columns=24):
    random = np.random.default_rng(0)
    with open(PATH, "w", newline="") as file:
        csv.writer(file).writerows(
            [*(f"{x:.4f}" for x in row), int(row.sum() > columns / 2)]
            for row in random.random((rows, columns))
        )


def read_rows():
    with open(PATH, newline="") as file:
        return [[float(cell) for cell in row] for row in csv.reader(file)]


def main():
    torch.manual_seed(0)
    make()
    model = nn.Sequential(
        nn.Linear(24, 256), nn.Tanh(), nn.Linear(256, 256), nn.Tanh(), nn.Linear(256, 1)
    )
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    table = None
    while True:
        table = torch.tensor(read_rows())
        rows = table[torch.randperm(len(table))[:128]]
        loss = F.binary_cross_entropy_with_logits(model(rows[:, :-1]).squeeze(1), rows[:, -1])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


main()
