"""Gradients from torch.func, parameters updated by hand: the way of JAX."""
import json

import torch

torch.manual_seed(0)
x, y = torch.randn(64, 8), torch.randn(64, 1)
weights = {"w": torch.randn(8, 1), "b": torch.zeros(1)}


def loss_of(weights):
    return (x @ weights["w"] + weights["b"] - y).pow(2).mean()


STEPS = 20
for _ in range(STEPS):
    gradients, loss = torch.func.grad_and_value(loss_of)(weights)
    weights = {name: value - 1e-2 * gradients[name] for name, value in weights.items()}
print(f"{loss.item():.6f}")
print(json.dumps({"train": STEPS}))
