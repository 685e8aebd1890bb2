"""A GAN: two optimizers, a draw of samples in every step."""

import torch
from torch import nn

torch.set_num_threads(1)
maker = nn.Sequential(nn.Linear(32, 128), nn.ReLU(), nn.Linear(128, 256))
judge = nn.Sequential(nn.Linear(256, 128), nn.LeakyReLU(0.2), nn.Linear(128, 1))
of_maker, of_judge = torch.optim.Adam(maker.parameters()), torch.optim.Adam(judge.parameters())
loss, real = nn.functional.binary_cross_entropy_with_logits, torch.randn(64, 256)
ones, zeros = torch.ones(64, 1), torch.zeros(64, 1)
for _ in range(1000):
    made = maker(torch.randn(64, 32))
    of_judge.zero_grad()
    (loss(judge(real), ones) + loss(judge(made.detach()), zeros)).backward()
    of_judge.step()
    of_maker.zero_grad()
    loss(judge(made), ones).backward()
    of_maker.step()
