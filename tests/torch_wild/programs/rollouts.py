"""Set-up, then rollouts between the loops over batches, then a tail: most of the time is outside of steps."""
import json
import time

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)


def roll_out():
    time.sleep(0.1)
    return TensorDataset(torch.randn(64, 8), torch.randn(64, 1))


def write_report():
    time.sleep(0.3)


for epoch in range(5):
    for x, y in DataLoader(roll_out(), 16):
        time.sleep(0.002)
        optimizer.zero_grad()
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
write_report()
print(f"{loss.item():.6f}")
print(json.dumps({"train": 20}))
