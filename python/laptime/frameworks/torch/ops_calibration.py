"""Finds the fields of torch's objects by running known ops. The prebuilt recorder needs this,
because it has no torch headers.
"""

from __future__ import annotations

import re
import threading
from types import ModuleType

from laptime._native import torch_ops as _native

# The headers of these versions declare the callback in the same way.
_KNOWN = ((2, 11), (2, 13))
_ROUNDS = 4


def calibrate(torch: ModuleType) -> None:
    """Raises RuntimeError if this torch does not fit."""
    version = re.match(r"(\d+)\.(\d+)", torch.__version__)
    if version is None or (int(version[1]), int(version[2])) not in _KNOWN:
        raise RuntimeError(
            "without a compiler, ops can be recorded with torch 2.11 and 2.13 only, not"
            f" {torch.__version__}"
        )
    problem = _native.start_calibration()
    if not problem:
        try:
            thread = threading.Thread(target=_run_ops, args=(torch,), name="laptime calibration")
            thread.start()
            thread.join()
            _run_ops(torch)
        finally:
            problem = _native.stop_calibration()
    if problem:
        raise RuntimeError(f"torch {torch.__version__}: {problem}")


def _run_ops(torch: ModuleType) -> None:
    with torch.enable_grad():
        value = torch.ones(2).requires_grad_()
        for _ in range(_ROUNDS):
            value = value.mul(value)
