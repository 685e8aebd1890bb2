"""A VAE whose ops use both processors; its loader has as many workers as the argument says, usually none. A worker takes one from them."""

import json
import sys
import time

import two_cpus  # noqa: F401
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

STEPS, BATCH, WARM = 120, 128, 10


class Digits(Dataset):
    def __init__(self):
        self.images = torch.randint(0, 256, (BATCH * STEPS, 28, 28), dtype=torch.uint8)

    def __len__(self):
        return len(self.images)

    def __getitem__(self, index):
        return (self.images[index].float() / 255).reshape(-1)


class Vae(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(784, 400), nn.ReLU())
        self.mean, self.spread = nn.Linear(400, 20), nn.Linear(400, 20)
        self.decoder = nn.Sequential(nn.Linear(20, 400), nn.ReLU(), nn.Linear(400, 784))

    def forward(self, x):
        hidden = self.encoder(x)
        mean, spread = self.mean(hidden), self.spread(hidden)
        return self.decoder(mean + torch.randn_like(mean) * torch.exp(spread / 2)), mean, spread


def main(workers):
    torch.manual_seed(0)
    model = Vae()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    loader = DataLoader(Digits(), batch_size=BATCH, num_workers=workers)
    for step, images in enumerate(loader):
        output, mean, spread = model(images)
        loss = nn.functional.binary_cross_entropy_with_logits(output, images, reduction="sum")
        loss = loss - 0.5 * torch.sum(1 + spread - mean**2 - spread.exp())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if step == WARM:
            began = time.perf_counter()
    print(f"{(time.perf_counter() - began) / (STEPS - WARM - 1) * 1e3:.3f} ms a step", file=sys.stderr)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    print(json.dumps({"train": STEPS}))
