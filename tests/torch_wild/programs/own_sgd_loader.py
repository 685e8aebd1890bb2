"""Parameters updated by hand from a loader's batches; validation after each epoch."""
import json

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
training = DataLoader(TensorDataset(torch.randn(80, 8), torch.randn(80, 1)), batch_size=8, shuffle=True)
validation = DataLoader(TensorDataset(torch.randn(24, 8), torch.randn(24, 1)), batch_size=8)
counts = {"train": 0, "validation": 0}
for _ in range(3):
    model.train()
    for x, y in training:
        loss = (model(x) - y).pow(2).mean()
        loss.backward()
        with torch.no_grad():
            for parameter in model.parameters():
                parameter -= 1e-2 * parameter.grad
                parameter.grad = None
        counts["train"] += 1
    model.eval()
    with torch.inference_mode():
        for x, y in validation:
            (model(x) - y).pow(2).mean()
            counts["validation"] += 1
print(f"{loss.item():.6f}")
print(json.dumps(counts))
