"""The light hooks on torch, which are on in every step: requested batches, steps of optimizers,
models in eval mode, checkpoints.

Methods get a wrapper without a Python frame (``Around``). Methods that torch.compile may trace get
a Python function instead, which does nothing while torch.compile traces.
"""

from __future__ import annotations

import functools
import gc
import weakref
from collections.abc import Iterator
from types import FunctionType, MethodType
from typing import Any

import torch
from torch.optim.optimizer import (
    Optimizer,
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)
from torch.utils.data import DataLoader
from torch.utils.data._utils import fetch
from torch.utils.data.dataloader import _BaseDataLoaderIter

from laptime._native import Around, recording, torch_steps
from laptime.collect.patches import Patches

_FUNCTIONS = (FunctionType, MethodType, functools.partial)
_BACKWARD = (  # what Tensor.backward, torch.autograd.backward and torch.autograd.grad call
    "_engine_run_backward"
)
_is_compiling = torch.compiler.is_dynamo_compiling


def install_hooks(steps: torch_steps.StepHooks, patches: Patches) -> None:
    patches.around(
        DataLoader, "__iter__", before=steps.loop_began, span="start loader", kind=recording.LOADER
    )
    patches.around(
        _BaseDataLoaderIter,
        "__next__",
        before=steps.batch_requested,
        after=steps.batch_received,
        span="input",
        kind=recording.LOADER,
        end_span="input end",
    )
    patches.around(torch.amp.GradScaler, "update", before=lambda _: steps.scaler_updated())
    save = _timed_save(torch.save)
    # the same object in both: pickle finds it by its name
    for module in (torch, torch.serialization):
        patches.replace(module, "save", lambda _: save)
    # The first one makes torch import a part of itself.
    patches.around(Optimizer, "__init__", after=lambda *_: steps.optimizer_made())
    patches.replace(Optimizer, "zero_grad", lambda original: _timed_zero_grad(original, steps))
    patches.replace(torch.nn.Module, "eval", lambda original: _noticed_eval(original, steps))
    patches.replace(torch.nn.Module, "train", lambda original: _noticed_train(original, steps))
    patches.around(
        torch.autograd, _BACKWARD, before=steps.backward_began, after=steps.backward_ended
    )
    if _optimizer_exists():
        steps.optimizer_exists()
    _hook_optimizer_steps(steps, patches)


def install_worker_hooks(patches: Patches) -> None:
    """Times what a loader's worker does for a batch. In the training process itself this is part of
    the wait for input.
    """
    for fetcher in (fetch._MapDatasetFetcher, fetch._IterableDatasetFetcher):
        patches.around(fetcher, "fetch", span="fetch")


def _hook_optimizer_steps(steps: torch_steps.StepHooks, patches: Patches) -> None:
    began, stepped = steps.optimizer_began, steps.optimizer_stepped

    def before(optimizer: Optimizer, args: Any, kwargs: Any) -> tuple[Any, Any] | None:
        if _is_compiling():
            return None
        began(optimizer)
        return (
            _with_seen_closure(steps, optimizer, args, kwargs) if len(args) > 1 or kwargs else None
        )

    def after(optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if not _is_compiling():
            stepped(optimizer)

    patches.add_undo(register_optimizer_step_pre_hook(before).remove)
    patches.add_undo(register_optimizer_step_post_hook(after).remove)


def _with_seen_closure(
    steps: torch_steps.StepHooks, optimizer: Optimizer, args: Any, kwargs: Any
) -> tuple[Any, Any] | None:
    """The arguments of ``step``, with the closure wrapped.

    A closure runs the program's forward and backward. So its time is separate from that of the
    optimizer. Without the keyword, only a function counts as a closure: an optimizer of the
    program's own may take a model there, and must get it unchanged.
    """

    def seen(closure: Any) -> Any:
        return Around(
            closure,
            lambda _: steps.closure_began(optimizer),
            lambda *_: steps.closure_ended(optimizer),
        )

    if len(args) > 1 and isinstance(args[1], _FUNCTIONS):
        return (args[0], seen(args[1]), *args[2:]), kwargs
    if callable(kwargs.get("closure")):
        return args, {**kwargs, "closure": seen(kwargs["closure"])}
    return None


def _timed_zero_grad(original: Any, steps: torch_steps.StepHooks) -> Any:
    now, zeroed = recording.now, steps.gradients_zeroed

    @functools.wraps(original)
    def zero_grad(self: Optimizer, *args: Any, **kwargs: Any) -> Any:
        if _is_compiling():
            return original(self, *args, **kwargs)
        start = now()
        original(self, *args, **kwargs)
        zeroed(self, start)
        return None

    return zero_grad


def _timed_save(original: Any) -> Any:
    name = recording.name("checkpoint")
    now, put_span, kind = recording.now, recording.put_span, recording.SCOPE

    @functools.wraps(original)
    def save(*args: Any, **kwargs: Any) -> Any:
        if _is_compiling():
            return original(*args, **kwargs)
        start = now()
        try:
            return original(*args, **kwargs)
        finally:
            put_span(name, kind, start)

    return save


def _noticed_eval(original: Any, steps: torch_steps.StepHooks) -> Any:
    @functools.wraps(original)
    def evaluate(self: torch.nn.Module) -> torch.nn.Module:
        if not _is_compiling():
            steps.evaluating(weakref.ref(self))
        return original(self)

    return evaluate


def _noticed_train(original: Any, steps: torch_steps.StepHooks) -> Any:
    training = steps.training

    @functools.wraps(original)
    def train(self: torch.nn.Module, mode: bool = True) -> torch.nn.Module:
        result = original(self, mode)
        if mode and not _is_compiling():
            training(self)
        return result

    return train


def _subclasses(kind: type) -> Iterator[type]:
    each: type
    for each in kind.__subclasses__():
        yield each
        yield from _subclasses(each)


def _optimizer_exists() -> bool:
    """Searches all objects only if there ever was an optimizer: torch wraps the step of a class
    when its first optimizer is made.
    """
    used = {
        kind
        for kind in _subclasses(Optimizer)
        if getattr(getattr(kind, "step", None), "hooked", False)
    }
    return bool(used) and any(type(each) in used for each in gc.get_objects())
