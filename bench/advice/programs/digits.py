"""A first notebook: digits from a file, an accuracy by hand, a printed line for each step."""

import tempfile

import numpy as np
import torch
from torch import nn

path = tempfile.mkdtemp() + "/digits.npz"
random = np.random.default_rng(0)
np.savez(
    path, images=random.random((4000, 784), dtype=np.float32), labels=random.integers(0, 10, 4000)
)


def load_digits():
    with np.load(path) as data:
        return torch.from_numpy(data["images"]), torch.from_numpy(data["labels"])


def accuracy(output, labels):
    right = 0
    for row, label in zip(output.tolist(), labels.tolist()):
        if row.index(max(row)) == label:
            right += 1
    return right / len(labels)


model = nn.Sequential(
    nn.Linear(784, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
loss_of = nn.CrossEntropyLoss()
log = open("/dev/null", "w")
before_loop = None
step = 0
while True:
    images, labels = load_digits()
    rows = torch.randint(len(images), (256,))
    output = model(images[rows])
    loss = loss_of(output, labels[rows])
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    right = accuracy(output, labels[rows])
    for name, parameter in model.named_parameters():
        print(
            step,
            name,
            parameter.grad.norm().item(),
            parameter.detach().mean().item(),
            file=log,
            flush=True,
        )
    step += 1
