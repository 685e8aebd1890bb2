"""Parameters updated by hand, no loader, no torch.optim."""
import json

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
x, y = torch.randn(256, 64), torch.randn(256, 1)
STEPS = 30
for _ in range(STEPS):
    loss = (model(x) - y).pow(2).mean()
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter -= 1e-2 * parameter.grad
print(f"{loss.item():.6f}")
print(json.dumps({"train": STEPS}))
