"""A trainer on a GPU with common habits: each option is a habit or its remedy."""

import argparse
import contextlib

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--model", choices=["cnn", "gpt", "resnet"], default="cnn")
parser.add_argument("--batch", type=int, default=64)
parser.add_argument("--width", type=int, default=64)
parser.add_argument("--depth", type=int, default=4)
parser.add_argument("--feed", choices=["numpy", "pinned", "device", "loader"], default="numpy")
parser.add_argument("--workers", type=int, default=0)
parser.add_argument("--rounds", type=int, default=0, help="of decoding")
parser.add_argument("--decoded", action="store_true")
parser.add_argument("--item", type=int, default=0, help="the loss is read every so many steps")
parser.add_argument("--print", type=int, default=0, help="norms are printed every so many steps")
parser.add_argument("--metric", type=int, default=0)
parser.add_argument("--scalars", choices=["cpu", "gpu", "none"], default="none")
parser.add_argument("--optimizer", choices=["single", "fused", "foreach"], default="foreach")
parser.add_argument("--bf16", action="store_true")
parser.add_argument("--tf32", action="store_true")
parser.add_argument("--compile", choices=["no", "default", "reduce-overhead"], default="no")
parser.add_argument("--channels-last", action="store_true")
parser.add_argument("--benchmark", action="store_true")
parser.add_argument("--validate", type=int, default=0, help="every so many steps")
options = parser.parse_args()
SIDE, CLASSES, WORDS, CONTEXT = 32, 10, 8192, 256


def decode(pixels):
    for _ in range(options.rounds):
        pixels = np.tanh(pixels)
    return pixels


class Images(Dataset):
    def __init__(self):
        self.images = np.random.default_rng(0).random((4096, 3, SIDE, SIDE), dtype=np.float32)
        if options.decoded:
            self.images = np.stack([decode(image) for image in self.images])

    def __len__(self):
        return 10**7

    def __getitem__(self, index):
        image = self.images[index % len(self.images)]
        if not options.decoded:
            image = decode(image)
        return torch.from_numpy(image), index % CLASSES


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first, self.second = nn.Conv2d(width, width, 3, padding=1, bias=False), nn.Conv2d(
            width, width, 3, padding=1, bias=False
        )
        self.norm, self.again = nn.BatchNorm2d(width), nn.BatchNorm2d(width)

    def forward(self, x):
        return F.relu(x + self.again(self.second(F.relu(self.norm(self.first(x))))))


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.before, self.after = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        q, k, v = self.qkv(self.before(x)).view(*x.shape[:2], 3, 8, -1).permute(2, 0, 3, 1, 4)
        x = x + self.out(
            F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(x.shape)
        )
        return x + self.down(F.gelu(self.up(self.after(x))))


class Gpt(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.words = nn.Embedding(WORDS, width)
        self.blocks = nn.Sequential(*(Block(width) for _ in range(depth)))
        self.head = nn.Linear(width, WORDS)

    def forward(self, words):
        return self.head(self.blocks(self.words(words))).flatten(0, 1)


def make_model():
    if options.model == "gpt":
        return Gpt(options.width, options.depth)
    if options.model == "resnet":
        layers = [
            nn.Conv2d(3, options.width, 3, padding=1),
            *(Residual(options.width) for _ in range(options.depth)),
        ]
    else:
        layers = [
            nn.Conv2d(3, options.width, 3),
            nn.ReLU(),
            nn.Conv2d(options.width, options.width, 3, 2),
            nn.ReLU(),
            nn.Conv2d(options.width, options.width, 3),
            nn.ReLU(),
        ]
    return nn.Sequential(
        *layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(options.width, CLASSES)
    )


def batches():
    if options.model == "gpt":
        text = torch.randint(WORDS, (100_000,), device="cuda")
        while True:
            rows = text[
                torch.randint(len(text) - CONTEXT - 1, (options.batch, 1), device="cuda")
                + torch.arange(CONTEXT + 1, device="cuda")
            ]
            yield rows[:, :-1], rows[:, 1:].flatten()
    if options.feed == "loader":
        loader = DataLoader(
            Images(), batch_size=options.batch, num_workers=options.workers, pin_memory=True
        )
        for images, labels in loader:
            yield images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
    images, labels = torch.rand(8192, 3, SIDE, SIDE), torch.randint(CLASSES, (8192,))
    if options.feed == "device":
        images, labels = images.cuda(), labels.cuda()
    if options.feed == "pinned":
        images, labels = images.pin_memory(), labels.pin_memory()
    begin = 0
    while True:
        begin = (begin + options.batch) % (8192 - options.batch + 1)
        rows = slice(begin, begin + options.batch)
        if options.feed == "pinned":
            yield images[rows].cuda(non_blocking=True), labels[rows].cuda(non_blocking=True)
        else:
            yield images[rows].cuda(), labels[rows].cuda()


def metric(rounds):
    total = 0
    for i in range(rounds):
        total += i * i % 7
    return total


def validate(model, some):
    model.eval()
    with torch.no_grad():
        total = sum(F.cross_entropy(model(images), labels) for images, labels in some) / len(some)
    model.train()
    return total.item()


def main():
    torch.manual_seed(0)
    torch.set_float32_matmul_precision("high" if options.tf32 else "highest")
    torch.backends.cudnn.benchmark = options.benchmark
    model = make_model().cuda()
    if options.channels_last:
        model = model.to(memory_format=torch.channels_last)
    run = model if options.compile == "no" else torch.compile(model, mode=options.compile)
    way = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}[
        options.optimizer
    ]
    optimizer = torch.optim.AdamW(model.parameters(), 1e-4, **way)
    log = open("/dev/null", "w")
    step = 0
    held_out = []
    for inputs, labels in batches():
        if len(held_out) < 20:
            held_out.append((inputs, labels))
        if options.channels_last:
            inputs = inputs.to(memory_format=torch.channels_last)
        weights = None
        if options.scalars == "cpu":
            weights = [torch.tensor(float(i)).cuda() for i in range(20)]
        elif options.scalars == "gpu":
            weights = [torch.full((), float(i), device="cuda") for i in range(20)]
        with torch.autocast("cuda", torch.bfloat16) if options.bf16 else contextlib.nullcontext():
            loss = F.cross_entropy(run(inputs), labels)
            if weights:
                loss = loss * sum(weights)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        step += 1
        if options.metric:
            metric(options.metric)
        if options.item and step % options.item == 0:
            shown = loss.item()
        if options.print and step % options.print == 0:
            print(
                step, [parameter.grad.norm().item() for parameter in model.parameters()], file=log
            )
        if options.validate and step % options.validate == 0:
            validate(model, held_out)


if __name__ == "__main__":
    main()
