"""laptime: times every step of a training program and says where it goes."""

from laptime._native import version as _version

__version__: str = _version()

__all__ = ["__version__"]
