"""Trains a GPT of six blocks under torch.compile: accumulation 4, bf16, clipping, an evaluation
every 20 steps.
"""

import json
import time

import torch
from torch import nn
from torch.nn import functional as F

VOCABULARY, CONTEXT, WIDTH, HEADS, BLOCKS = 8192, 256, 512, 8, 6
BATCH, ACCUMULATION, WARM, STEPS, EVALUATE_EVERY = 16, 4, 40, 240, 20


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.before, self.after = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x):
        batch, length, _ = x.shape
        q, k, v = self.qkv(self.before(x)).view(batch, length, 3, HEADS, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(
            F.scaled_dot_product_attention(q, k, v, is_causal=True)
            .transpose(1, 2)
            .reshape(batch, length, -1)
        )
        return x + self.down(F.gelu(self.up(self.after(x))))


class Gpt(nn.Module):
    def __init__(self):
        super().__init__()
        self.tokens, self.places = nn.Embedding(VOCABULARY, WIDTH), nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(BLOCKS))
        self.norm, self.head = nn.LayerNorm(WIDTH), nn.Linear(WIDTH, VOCABULARY)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places.weight
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def get_batch(data):
    starts = torch.randint(len(data) - CONTEXT - 1, (BATCH,))
    rows = (
        torch.stack([data[start : start + CONTEXT + 1] for start in starts])
        .pin_memory()
        .cuda(non_blocking=True)
    )
    return rows[:, :-1], rows[:, 1:]


def loss_of(model, data):
    tokens, targets = get_batch(data)
    with torch.autocast("cuda", torch.bfloat16):
        return F.cross_entropy(model(tokens).flatten(0, 1), targets.flatten())


@torch.no_grad()
def evaluate(model, data):
    model.eval()
    loss = sum(loss_of(model, data).item() for _ in range(4)) / 4
    model.train()
    return loss


def make_update():
    """One step: the accumulated gradients of four batches, an evaluation every 20 steps."""
    torch.manual_seed(0)
    data = torch.randint(VOCABULARY, (200_000,))
    model = torch.compile(Gpt().cuda())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=True)
    done = 0

    def update():
        nonlocal done
        for _ in range(ACCUMULATION):
            loss = loss_of(model, data) / ACCUMULATION
            loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        done += 1
        if done % EVALUATE_EVERY == 0:
            evaluate(model, data)

    return update


def main():
    update = make_update()
    begin = 0.0
    for step in range(STEPS):
        if step == WARM:
            torch.cuda.synchronize()
            begin = time.perf_counter()
        update()
    torch.cuda.synchronize()
    print(json.dumps({"steady_s": time.perf_counter() - begin}))


if __name__ == "__main__":
    main()
