"""The classes that belong to ``lightning.pytorch``. Pickles name them here."""

from laptime.compat.lightning.making import make

AdvancedProfiler = make("AdvancedProfiler", "lightning.pytorch")
PyTorchProfiler = make("PyTorchProfiler", "lightning.pytorch")
SimpleProfiler = make("SimpleProfiler", "lightning.pytorch")
