"""What runs only where there is an NVIDIA GPU with a PyTorch for it; elsewhere everything here is
skipped, saying so.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "gpu"))


def _why_not():
    if (
        shutil.which("nvidia-smi") is None
        or subprocess.run(["nvidia-smi", "-L"], capture_output=True).returncode != 0
    ):
        return "no NVIDIA GPU on this machine"
    try:
        import torch
    except ImportError:
        return "PyTorch is not installed"
    return "" if torch.cuda.is_available() else "PyTorch has no CUDA"


WHY_NOT = _why_not()


def pytest_collection_modifyitems(items):
    if WHY_NOT:
        for item in items:
            if Path(item.fspath).parent == Path(__file__).parent:
                item.add_marker(pytest.mark.skip(reason=WHY_NOT))
