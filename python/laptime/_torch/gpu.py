"""The GPU as one of the sources that are switched with the steps of a PyTorch program."""

from laptime._cuda import load

__all__ = ["load"]
