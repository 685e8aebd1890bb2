"""Two optimizers in turn on random noise, no loader; the generator's loss flows through the discriminator."""
import json

import torch
from torch import nn

torch.manual_seed(0)
generator, discriminator = nn.Linear(4, 8), nn.Linear(8, 1)
of_generator = torch.optim.Adam(generator.parameters(), lr=1e-3)
of_discriminator = torch.optim.Adam(discriminator.parameters(), lr=1e-3)
judge = nn.BCEWithLogitsLoss()
ones, zeros = torch.ones(16, 1), torch.zeros(16, 1)
STEPS = 25
for _ in range(STEPS):
    real, fake = torch.randn(16, 8), generator(torch.randn(16, 4))
    of_discriminator.zero_grad()
    judge(discriminator(real), ones).backward()
    loss = judge(discriminator(fake.detach()), zeros)
    loss.backward()
    of_discriminator.step()
    of_generator.zero_grad()
    judge(discriminator(fake), ones).backward()
    of_generator.step()
print(f"{loss.item():.6f}")
print(json.dumps({"train": STEPS}))
