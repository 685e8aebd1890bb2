"""The light hooks on torch: batches asked for, optimizers that step, models put into eval mode, checkpoints. On in every step.

Methods get a wrapper without a Python frame (``Around``), but where torch.compile may trace them: there a Python function
steps aside while it does.
"""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook
from torch.utils.data import DataLoader
from torch.utils.data._utils import fetch
from torch.utils.data.dataloader import _BaseDataLoaderIter

from laptime._native import recording
from laptime._torch.laps import Laps
from laptime._torch.patches import Patches

_is_compiling = torch.compiler.is_dynamo_compiling


def install_hooks(laps: Laps, patches: Patches, first_step: Callable[[Optimizer], None]) -> None:
    """``first_step``: told of the first optimizer of each class that steps."""
    patches.around(DataLoader, "__iter__", span="start loader", kind=recording.LOADER)
    patches.around(_BaseDataLoaderIter, "__next__", before=laps.batch_asked, after=laps.batch_came, span="input",
                   kind=recording.LOADER)
    patches.around(torch.amp.GradScaler, "update", before=lambda _: laps.scaler_updated())
    save = _timed_save(torch.save)
    for module in (torch, torch.serialization):  # one object in both: pickle finds it by its name
        patches.replace(module, "save", lambda _: save)
    patches.around(Optimizer, "__init__", before=lambda _: laps.optimizer_made())
    patches.replace(Optimizer, "zero_grad", lambda original: _timed_zero_grad(original, laps))
    patches.replace(torch.nn.Module, "eval", lambda original: _noticed_eval(original, laps))
    _hook_optimizer_steps(laps, patches, first_step)


def install_worker_hooks(patches: Patches) -> None:
    """What a loader's worker does for a batch. In the training process itself this is part of the wait for input."""
    for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        patches.around(fetcher, "fetch", span="fetch")


def _hook_optimizer_steps(laps: Laps, patches: Patches, first_step: Callable[[Optimizer], None]) -> None:
    now, put_span, kind = recording.now, recording.put_span, recording.OPTIMIZER
    names: dict[type, int] = {}
    starts: dict[int, int] = {}  # by id of the optimizer

    def before(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if not _is_compiling():
            starts[id(optimizer)] = now()

    def after(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if _is_compiling():
            return
        key = id(optimizer)
        name = names.get(type(optimizer))
        if name is None:
            name = names[type(optimizer)] = _span_name(optimizer, "step")
            put_span(name, kind, starts.pop(key, 0))
            first_step(optimizer)
        else:
            put_span(name, kind, starts.pop(key, 0))
        laps.optimizer_stepped(key)

    patches.add_undo(register_optimizer_step_pre_hook(before).remove)
    patches.add_undo(register_optimizer_step_post_hook(after).remove)


def _span_name(optimizer: Optimizer, method: str) -> int:
    return recording.name(f"Optimizer.{method}#{type(optimizer).__name__}.{method}")


def _timed_zero_grad(original: Any, laps: Laps) -> Any:
    names: dict[type, int] = {}
    now, put_span, kind = recording.now, recording.put_span, recording.OPTIMIZER

    @functools.wraps(original)
    def zero_grad(self: Optimizer, *args: Any, **kwargs: Any) -> None:
        if _is_compiling():
            return original(self, *args, **kwargs)
        start = now()
        original(self, *args, **kwargs)
        name = names.get(type(self))
        if name is None:
            name = names[type(self)] = _span_name(self, "zero_grad")
        put_span(name, kind, start)
        laps.gradients_zeroed(id(self))
        return None

    return zero_grad


def _timed_save(original: Any) -> Any:
    name = recording.name("checkpoint")
    now, put_span, kind = recording.now, recording.put_span, recording.SCOPE

    @functools.wraps(original)
    def save(*args: Any, **kwargs: Any) -> None:
        if _is_compiling():
            return original(*args, **kwargs)
        start = now()
        try:
            return original(*args, **kwargs)
        finally:
            put_span(name, kind, start)

    return save


def _noticed_eval(original: Any, laps: Laps) -> Any:
    @functools.wraps(original)
    def evaluate(self: torch.nn.Module) -> torch.nn.Module:
        if not _is_compiling():
            laps.evaluating(weakref.ref(self))
        return original(self)

    return evaluate
