"""A training loop with knobs. Each knob is a mistake that a fix removes, or a size that a change of
the code alters.

    laptime run program.py --model mlp --workers 2

The same options give the same program: the seed is fixed, and nothing is read or written.
"""

import argparse
import hashlib
import logging
import pathlib
import time

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

FEATURES, CLASSES = 256, 10
WARM = 20  # steps


class Samples(Dataset):
    """Numbers that are made on request. Each costs a checksum over some bytes, and a sleep like
    that of a slow disk.
    """

    def __init__(self, count, kilobytes, sleep_us):
        self.count, self.bytes, self.sleep_s = count, bytes(1000 * kilobytes), sleep_us / 1e6

    def __len__(self):
        return self.count

    def __getitem__(self, index):
        if self.bytes:
            hashlib.sha256(self.bytes).digest()
        if self.sleep_s:
            time.sleep(self.sleep_s)
        generator = torch.Generator().manual_seed(index)
        return torch.randn(FEATURES, generator=generator), index % CLASSES


class Mlp(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Linear(FEATURES, hidden)
        self.second = nn.Linear(hidden, hidden)
        self.third = nn.Linear(hidden, CLASSES)

    def forward(self, x):
        x = F.relu(self.first(x))
        x = F.relu(self.second(x))
        return self.third(x)


class Conv(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.first = nn.Conv2d(1, 16, 3, padding=1)
        self.second = nn.Conv2d(16, hidden, 3, padding=1)
        self.head = nn.Linear(hidden * 16, CLASSES)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.first(x.view(-1, 1, 16, 16))), 2)
        x = F.max_pool2d(F.relu(self.second(x)), 2)
        return self.head(x.flatten(1))


class Deep(nn.Module):
    """Many small layers, which an optimizer updates one by one."""

    def __init__(self, hidden):
        super().__init__()
        self.layers = nn.ModuleList(
            nn.Linear(FEATURES if i == 0 else hidden, hidden) for i in range(24)
        )
        self.head = nn.Linear(hidden, CLASSES)

    def forward(self, x):
        for layer in self.layers:
            x = torch.tanh(layer(x))
        return self.head(x)


MODELS = {"mlp": Mlp, "conv": Conv, "deep": Deep}
OPTIMIZERS = {"single": {"foreach": False}, "foreach": {"foreach": True}, "fused": {"fused": True}}


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--model", choices=MODELS, default="mlp")
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--batch", type=int, default=64)
    parser.add_argument("--steps", type=int, default=250)
    parser.add_argument("--workers", type=int, default=0)
    parser.add_argument(
        "--sample-kb", type=int, default=0, help="kilobytes that a sample's checksum is made over"
    )
    parser.add_argument("--sample-sleep-us", type=int, default=0)
    parser.add_argument(
        "--step-kb", type=int, default=0, help="kilobytes that a checksum in the loop is made over"
    )
    parser.add_argument(
        "--metric", type=int, default=0, help="rounds of a metric in pure Python, each step"
    )
    parser.add_argument("--log", type=int, default=0, help="messages each step")
    parser.add_argument("--item", action="store_true", help="read every parameter's norm each step")
    parser.add_argument(
        "--optimizer", choices=OPTIMIZERS, default="foreach", help="how it updates its tensors"
    )
    parser.add_argument(
        "--zero", action="store_true", help="fill gradients with zeros instead of dropping them"
    )
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument(
        "--warm", type=pathlib.Path, help="a file that is made after the first steps"
    )
    return parser.parse_args()


def metric(rounds):
    total = 0
    for i in range(rounds):
        total += i * i % 7
    return total


def main():
    options = parse()
    torch.manual_seed(0)
    torch.set_num_threads(options.threads)
    log = logging.getLogger("train")
    log.addHandler(logging.FileHandler("/dev/null"))
    log.setLevel(logging.INFO)
    model = MODELS[options.model](options.hidden)
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, **OPTIMIZERS[options.optimizer])
    data = Samples(options.batch * options.steps, options.sample_kb, options.sample_sleep_us)
    blob = bytes(1000 * options.step_kb)
    for step, (images, labels) in enumerate(
        DataLoader(data, options.batch, num_workers=options.workers)
    ):
        if step == WARM and options.warm:
            options.warm.touch()
        optimizer.zero_grad(set_to_none=not options.zero)
        loss = F.cross_entropy(model(images), labels)
        loss.backward()
        optimizer.step()
        if blob:
            hashlib.sha256(blob).digest()
        if options.metric:
            metric(options.metric)
        if options.item:
            sum(p.norm().item() for p in model.parameters())
        for i in range(options.log):
            log.info("message %d: loss %s", i, loss)


if __name__ == "__main__":
    main()
