"""Four backwards for one optimizer step, slices of a tensor instead of a loader."""
import json

import torch

torch.manual_seed(0)
x, y = torch.randn(256, 16), torch.randn(256, 1)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
counts = {"train": 0}
for _ in range(4):
    for i in range(16):
        rows = slice(16 * i, 16 * i + 16)
        loss = (model(x[rows]) - y[rows]).pow(2).mean() / 4
        loss.backward()
        if i % 4 == 3:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            counts["train"] += 1
print(f"{loss.item():.6f}")
print(json.dumps(counts))
