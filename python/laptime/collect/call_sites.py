"""Decides which lines are the user's own, for collectors that record call sites."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Any

from laptime._native import torch_ops
from laptime.collect.engine import framework_folders, library_paths


def configure_call_sites(include: Iterable[str], exclude: Iterable[str]) -> None:
    """``include``, ``exclude``: globs on file names."""
    torch = sys.modules.get("torch")
    module: Any = torch.nn.Module if torch is not None else _NoModule
    torch_ops.configure(
        library_paths=library_paths(),
        include=list(include),
        exclude=list(exclude),
        module_call=module.__call__.__code__,
        module_type=module,
        framework_folders=framework_folders(torch),
    )


class _NoModule:
    """Stands for torch's class of modules if torch is absent."""

    def __call__(self) -> None: ...
