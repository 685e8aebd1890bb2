"""Sentences of different lengths. Each sample is split into words and joined number by number."""

import argparse

import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import DataLoader, Dataset

parser = argparse.ArgumentParser()
parser.add_argument("--words", type=int, default=40)
parser.add_argument("--cell", choices=["gru", "mean"], default="mean")
options = parser.parse_args()
WORDS = [f"word{i}" for i in range(2000)]
NUMBERS = {word: i + 1 for i, word in enumerate(WORDS)}


def numbers_of(sentence):
    return [NUMBERS.get(word.strip(".,").lower(), 0) for word in sentence.split()]


class Sentences(Dataset):
    def __init__(self, count):
        random = torch.Generator().manual_seed(0)
        lengths = torch.randint(
            options.words // 2, options.words, (count,), generator=random
        ).tolist()
        self.texts = [
            ", ".join(WORDS[i] for i in torch.randint(2000, (length,), generator=random).tolist())
            for length in lengths
        ]

    def __len__(self):
        return len(self.texts)

    def __getitem__(self, index):
        words = numbers_of(self.texts[index])
        return words, index % 2


def collate(samples):
    longest = max(len(words) for words, _ in samples)
    batch = torch.zeros(len(samples), longest, dtype=torch.long)
    for row, (words, _) in enumerate(samples):
        for column, word in enumerate(words):
            batch[row, column] = word
    return batch, torch.tensor([label for _, label in samples])


class Reader(nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.words = nn.Embedding(2001, 64)
        self.cell = nn.GRU(64, 64, batch_first=True) if cell == "gru" else None
        self.hidden = nn.Linear(64, 512)
        self.head = nn.Linear(512, 2)

    def forward(self, words):
        x = self.words(words)
        x = self.cell(x)[0][:, -1] if self.cell else x.mean(1)
        return self.head(F.relu(self.hidden(x)))


torch.manual_seed(0)
dataset = Sentences(3200)
loader = DataLoader(dataset, batch_size=32, shuffle=True, collate_fn=collate)
model = Reader(options.cell)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
while True:
    for batch, labels in loader:
        optimizer.zero_grad()
        loss = F.cross_entropy(model(batch), labels)
        loss.backward()
        optimizer.step()
