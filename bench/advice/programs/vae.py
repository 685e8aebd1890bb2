"""An autoencoder with the usual loader. Noise is added to each sample separately."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--hidden", type=int, default=400)
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--fused", action="store_true")
parser.add_argument("--log", type=int, default=1, help="every so many steps")
options = parser.parse_args()


class Noisy(Dataset):
    def __init__(self):
        self.images = torch.rand(6400, 28, 28)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        image = self.images[index]
        image = F.avg_pool2d(torch.roll(image, index % 3, 0).unsqueeze(0), 3, 1, 1).clamp(0, 1)
        return image.flatten()


class Vae(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.into, self.mean, self.spread = (
            nn.Linear(784, hidden),
            nn.Linear(hidden, 20),
            nn.Linear(hidden, 20),
        )
        self.out, self.last = nn.Linear(20, hidden), nn.Linear(hidden, 784)

    def forward(self, x):
        h = F.relu(self.into(x))
        mean, spread = self.mean(h), self.spread(h)
        z = mean + torch.randn_like(mean) * torch.exp(0.5 * spread)
        return torch.sigmoid(self.last(F.relu(self.out(z)))), mean, spread


def train():
    loader = DataLoader(
        Noisy(),
        batch_size=64,
        shuffle=True,
        num_workers=options.workers,
        persistent_workers=options.workers > 0,
    )
    model = Vae(options.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, fused=options.fused)
    log = open("/dev/null", "w")
    step = 0
    while True:
        for x in loader:
            optimizer.zero_grad()
            again, mean, spread = model(x)
            loss = (
                F.binary_cross_entropy(again, x, reduction="sum")
                - 0.5 * (1 + spread - mean**2 - spread.exp()).sum()
            )
            loss.backward()
            optimizer.step()
            step += 1
            if step % options.log == 0:
                print(
                    {
                        name: parameter.grad.abs().sort().values.tolist()[-5:]
                        for name, parameter in model.named_parameters()
                    },
                    file=log,
                )


if __name__ == "__main__":
    torch.manual_seed(0)
    train()
