"""Two blocks of a transformer."""

import torch
from torch import nn

torch.set_num_threads(1)
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
model = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
x = torch.randn(8, 32, 64)
for _ in range(400):
    optimizer.zero_grad()
    model(x).square().mean().backward()
    optimizer.step()
