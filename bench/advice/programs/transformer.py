"""A small language model on made-up text: many parameters, long products."""

import argparse
import contextlib

import torch
from torch import nn
from torch.nn import functional as F

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=128)
parser.add_argument("--layers", type=int, default=4)
parser.add_argument("--batch", type=int, default=8)
parser.add_argument("--fused", action="store_true")
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--metric", choices=["python", "tensor", "none"], default="none")
options = parser.parse_args()
torch.manual_seed(0)
text = torch.randint(256, (200_000,))
embed = nn.Embedding(256, options.width)
blocks = nn.TransformerEncoder(
    nn.TransformerEncoderLayer(options.width, 4, 4 * options.width, batch_first=True),
    options.layers,
)
head = nn.Linear(options.width, 256)
model = nn.ModuleList([embed, blocks, head])
optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, fused=options.fused)
mask = nn.Transformer.generate_square_subsequent_mask(64)


def perplexities(output, targets):
    found = []
    for row, target in zip(output.detach(), targets):
        found.append(torch.exp(F.cross_entropy(row, target)).item())
    return found


def main():
    while True:
        starts = torch.randint(len(text) - 65, (options.batch,))
        rows = torch.stack([text[start : start + 65] for start in starts])
        with torch.autocast("cpu", torch.bfloat16) if options.bf16 else contextlib.nullcontext():
            output = head(blocks(embed(rows[:, :-1]), mask=mask, is_causal=True))
            loss = F.cross_entropy(output.flatten(0, 1), rows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if options.metric == "python":
            perplexities(output, rows[:, 1:])


main()
