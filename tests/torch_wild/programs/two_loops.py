"""Pretraining, then fine-tuning in a second loop with another optimizer, then a third one by hand; no loader."""
import json

import torch

torch.manual_seed(0)
x, y = torch.randn(64, 8), torch.randn(64, 1)
body, head = torch.nn.Linear(8, 8), torch.nn.Linear(8, 1)
counts = {"train": 0}
first = torch.optim.Adam(body.parameters())
for _ in range(12):
    first.zero_grad()
    (body(x) - x).pow(2).mean().backward()
    first.step()
    counts["train"] += 1
second = torch.optim.SGD([*body.parameters(), *head.parameters()], lr=1e-2)
for _ in range(9):
    second.zero_grad()
    loss = (head(body(x)) - y).pow(2).mean()
    loss.backward()
    second.step()
    counts["train"] += 1
print(f"{loss.item():.6f}")
print(json.dumps(counts))
