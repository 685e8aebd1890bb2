"""As nanoGPT does: batches from a tensor, an evaluation of several batches now and then. Each evaluation is one step of validation."""
import json

import torch

torch.manual_seed(0)
data = torch.randn(4096, 16)
target = data.sum(1, keepdim=True)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
counts = {"train": 0, "validation": 0}


def batch():
    rows = torch.randint(len(data), (32,))
    return data[rows], target[rows]


@torch.no_grad()
def estimate_loss():
    model.eval()
    losses = [(model(x) - y).pow(2).mean().item() for x, y in (batch() for _ in range(10))]
    model.train()
    counts["validation"] += 1
    return sum(losses) / len(losses)


for step in range(40):
    if step % 10 == 0:
        print(f"{estimate_loss():.6f}")
    x, y = batch()
    optimizer.zero_grad(set_to_none=True)
    (model(x) - y).pow(2).mean().backward()
    optimizer.step()
    counts["train"] += 1
print(f"{estimate_loss():.6f}")
print(json.dumps(counts))
