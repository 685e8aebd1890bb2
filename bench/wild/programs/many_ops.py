"""Thousands of ops on a few numbers in each step."""

import torch

torch.set_num_threads(1)
weights = torch.zeros(16, requires_grad=True)
optimizer = torch.optim.SGD([weights], lr=0.01)
x = torch.randn(16)
for _ in range(250):
    optimizer.zero_grad()
    value = x
    for _ in range(300):
        value = (value * weights + x).tanh()
    value.sum().backward()
    optimizer.step()
