"""A GAN whose parameters are updated by hand: two backwards from different lines in each step."""
import json

import torch
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(4, 8), nn.Linear(8, 1)
judge = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)


def update(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 1e-2 * parameter.grad
    generator.zero_grad()
    discriminator.zero_grad()


STEPS = 25
for _ in range(STEPS):
    fake = generator(torch.randn(16, 4))
    loss = judge(discriminator(torch.randn(16, 8)), ones) + judge(discriminator(fake.detach()), zeros)
    loss.backward()
    update(discriminator)
    judge(discriminator(fake), ones).backward()
    update(generator)
print(f"{loss.item():.6f}")
print(json.dumps({"train": STEPS}))
