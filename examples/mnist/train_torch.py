"""A small convolutional network that learns the digits with PyTorch. Where does its time go?

laptime run train_torch.py                    nothing in here knows of laptime
laptime run train_torch.py --workers 2        the same, with the dataset read by two processes
"""

import argparse
import os

import torch
from digits import CLASSES, SIDE, read_idx, write_dataset
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset, random_split

IMAGES = 6000
BATCH = 64


class Digits(Dataset):
    """The idx files as tensors, one image at a time."""

    def __init__(self, folder):
        _, self.pixels = read_idx(os.path.join(folder, "images.idx"))
        _, self.labels = read_idx(os.path.join(folder, "labels.idx"))

    def __len__(self):
        return len(self.labels)

    def __getitem__(self, index):
        size = SIDE * SIDE
        image = torch.tensor(
            list(self.pixels[index * size : (index + 1) * size]), dtype=torch.float32
        )
        return image.view(1, SIDE, SIDE) / 255, self.labels[index]


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = nn.Conv2d(1, 16, 3, padding=1)
        self.second = nn.Conv2d(16, 32, 3, padding=1)
        self.head = nn.Linear(32 * (SIDE // 4) ** 2, CLASSES)

    def forward(self, images):
        x = F.max_pool2d(F.relu(self.first(images)), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.head(x.flatten(1))


def train(model, optimizer, batches):
    model.train()
    for images, labels in batches:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
    return loss.item()


def accuracy(model, batches):
    model.eval()
    hits = 0
    with torch.no_grad():
        for images, labels in batches:
            hits += (model(images).argmax(1) == labels).sum().item()
    return hits / len(batches.dataset)


def main():
    parser = argparse.ArgumentParser(description="Trains a small network on generated digits.")
    parser.add_argument(
        "--data", default="digits", help="folder of the dataset, written if it is not there"
    )
    parser.add_argument("--epochs", type=int, default=2)
    parser.add_argument("--workers", type=int, default=0, help="processes that read the dataset")
    options = parser.parse_args()

    torch.manual_seed(0)
    write_dataset(options.data, IMAGES)
    training, held_out = random_split(Digits(options.data), [0.9, 0.1])
    model = Network()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    batches = DataLoader(training, BATCH, shuffle=True, num_workers=options.workers)
    for epoch in range(options.epochs):
        loss = train(model, optimizer, batches)
        print(
            f"epoch {epoch}: loss {loss:.6f}, accuracy"
            f" {accuracy(model, DataLoader(held_out, BATCH)):.3f}"
        )


if __name__ == "__main__":
    main()
