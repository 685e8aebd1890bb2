"""The classes that belong to ``pytorch_lightning``. Pickles name them here."""

from laptime.compat.lightning.making import make

AdvancedProfiler = make("AdvancedProfiler", "pytorch_lightning")
PyTorchProfiler = make("PyTorchProfiler", "pytorch_lightning")
SimpleProfiler = make("SimpleProfiler", "pytorch_lightning")
