"""Workers that live as long as their loader, which lives until the program ends."""
import json

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=1e-2)
training = DataLoader(TensorDataset(torch.randn(80, 8), torch.randn(80, 1)), batch_size=8, num_workers=2, persistent_workers=True)
counts = {"train": 0}
for _ in range(3):
    for x, y in training:
        optimizer.zero_grad()
        (model(x) - y).pow(2).mean().backward()
        optimizer.step()
        counts["train"] += 1
print(json.dumps(counts))
