"""A small training with Lightning."""

import torch
from lightning import pytorch as pl
from torch.utils.data import DataLoader


class Model(pl.LightningModule):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 2)

    def training_step(self, batch, _):
        return self.layer(batch).sum()

    def validation_step(self, batch, _):
        self.log("loss", self.layer(batch).sum())

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.01)


def fit(profiler, folder, batches=6, trainer=pl.Trainer, model=Model):
    data = DataLoader(torch.randn(2 * batches, 8), batch_size=2)
    torch.manual_seed(0)
    trainer(
        max_epochs=1,
        profiler=profiler,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
        accelerator="cpu",
        default_root_dir=folder,
    ).fit(model(), data, data)
    return profiler
