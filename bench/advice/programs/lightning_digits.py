"""Lightning's Trainer over tensors that are in memory already."""

import argparse
import logging
import warnings

import lightning
import torch
from torch import nn
from torch.nn import functional as F
from torch.utils.data import BatchSampler, DataLoader, RandomSampler, TensorDataset

warnings.filterwarnings("ignore")
logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
parser = argparse.ArgumentParser()
parser.add_argument("--rows-at-once", action="store_true")
parser.add_argument("--fused", action="store_true")
options = parser.parse_args()


class Digits(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            nn.Linear(64, 512), nn.ReLU(), nn.Linear(512, 512), nn.ReLU(), nn.Linear(512, 10)
        )

    def training_step(self, batch, _):
        x, y = batch
        return F.cross_entropy(self.layers(x), y)

    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), lr=1e-3, fused=options.fused)


lightning.seed_everything(0, verbose=False)
data = TensorDataset(torch.randn(40_000, 64), torch.randint(10, (40_000,)))
loader = (
    DataLoader(data, batch_size=None, sampler=BatchSampler(RandomSampler(data), 128, False))
    if options.rows_at_once
    else DataLoader(data, batch_size=128, shuffle=True)
)
trainer = lightning.Trainer(
    max_epochs=10_000,
    accelerator="cpu",
    logger=False,
    enable_checkpointing=False,
    enable_progress_bar=False,
    enable_model_summary=False,
)
trainer.fit(Digits(), loader)
