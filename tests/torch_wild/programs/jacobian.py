"""A Jacobian in each step: torch asks for gradients many times for one line of the program's."""
import json

import torch

torch.manual_seed(0)
weights = torch.randn(6, 6, requires_grad=True)
x = torch.randn(6)
STEPS = 15
for _ in range(STEPS):
    jacobian = torch.autograd.functional.jacobian(lambda v: torch.tanh(weights @ v), x, create_graph=True)
    loss = jacobian.pow(2).sum()
    loss.backward()
    with torch.no_grad():
        weights -= 1e-3 * weights.grad
        weights.grad = None
print(f"{loss.item():.6f}")
print(json.dumps({"train": STEPS}))
