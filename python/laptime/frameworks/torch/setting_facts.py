"""What is worth knowing of how a program set torch up: functions from torch's objects to texts and
numbers. They change nothing.

Contract: a fact that is not available is left out. ``docs/records.md`` lists the keys.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import torch
from torch.nn.modules.batchnorm import _BatchNorm
from torch.nn.modules.conv import _ConvNd

from laptime.collect.machine import bfloat16_instructions, usable_cpus

Facts = dict[str, str | int | float]

_DEEPEST = 8  # levels of datasets that wrap datasets
# The samplers that a loader makes itself.
_USUAL_SAMPLERS = (
    "SequentialSampler",
    "RandomSampler",
    "_InfiniteConstantSampler",
)


def loader_facts(loader: Any) -> Facts:
    facts: Facts = {
        "workers": int(loader.num_workers),
        "pin_memory": int(bool(loader.pin_memory)),
        "persistent": int(bool(loader.persistent_workers)),
        "in_order": int(bool(getattr(loader, "in_order", True))),
        "gradients": int(torch.is_grad_enabled()),
    }
    for key, value in (("batch", loader.batch_size), ("prefetch", loader.prefetch_factor)):
        if isinstance(value, int):
            facts[key] = int(value)
    sampler = type(loader.sampler).__name__
    if sampler not in _USUAL_SAMPLERS:
        facts["sampler"] = sampler
    dataset = _innermost(loader.dataset)
    facts["dataset"] = type(dataset).__name__
    facts.update(
        _code_facts(
            "getitem",
            getattr(type(dataset), "__getitem__", None) or getattr(type(dataset), "__iter__", None),
        )
    )
    facts.update(_code_facts("collate", loader.collate_fn))
    return facts


def _innermost(dataset: Any) -> Any:
    for _ in range(_DEEPEST):
        inner = (
            getattr(dataset, "dataset", None)
            if type(dataset).__module__.startswith("torch.")
            else None
        )
        if inner is None:
            break
        dataset = inner
    return dataset


def _code_facts(name: str, function: Any) -> Facts:
    code = getattr(function, "__code__", None)
    if code is None:
        return {}
    return {f"{name}_file": code.co_filename, f"{name}_line": code.co_firstlineno}


def optimizer_facts(optimizer: torch.optim.Optimizer) -> Facts:
    """Facts of the first parameter group, which is nearly always like the others. Runs no code of
    its tensors' classes or of torch's modes.
    """
    with torch._C.DisableTorchFunction():
        return _facts_of(optimizer)


def _facts_of(optimizer: torch.optim.Optimizer) -> Facts:
    group = optimizer.param_groups[0]
    parameters = [p for g in optimizer.param_groups for p in g["params"]]
    first = parameters[0]
    facts: Facts = {
        "class": type(optimizer).__name__,
        "tensors": len(parameters),
        "elements": sum(p.numel() for p in parameters),
        "device": first.device.type,
        "dtype": str(first.dtype).removeprefix("torch."),
    }
    if "foreach" in group or "fused" in group:
        facts["way"] = _way_of(group, parameters)
    if "fused" in group:
        facts["may_fuse"] = int(_may_fuse(parameters))
    return facts


def _way_of(group: dict[str, Any], parameters: list[torch.Tensor]) -> str:
    from torch.optim.optimizer import _default_to_fused_or_foreach

    if group.get("fused"):
        return "fused"
    foreach = group.get("foreach")
    if foreach is None and not group.get("fused") and not torch.jit.is_scripting():
        _, foreach = _default_to_fused_or_foreach(
            parameters, bool(group.get("differentiable")), use_fused=False
        )
    return "foreach" if foreach else "single"


def _may_fuse(parameters: list[torch.Tensor]) -> bool:
    from torch.utils._foreach_utils import _get_fused_kernels_supported_devices

    devices = _get_fused_kernels_supported_devices()
    return all(
        p.device.type in devices and torch.is_floating_point(p) and p.layout == torch.strided
        for p in parameters
    )


def switch_facts() -> Facts:
    """Process-wide switches, the CPUs that the process may use, and its rank."""
    return {
        **_rank_facts(),
        "torch threads": torch.get_num_threads(),
        "cpus": usable_cpus(),
        **_bfloat16_facts(),
        "torch matmul_precision": torch.get_float32_matmul_precision(),
        "torch cudnn_tf32": int(torch.backends.cudnn.allow_tf32),
        "torch cudnn_benchmark": int(torch.backends.cudnn.benchmark),
    }


def _rank_facts() -> Facts:
    """Empty if the program does not communicate. torch.distributed is not imported for this."""
    distributed = sys.modules.get("torch.distributed")
    if distributed is not None and distributed.is_available() and distributed.is_initialized():
        return {"rank": distributed.get_rank()}
    return {"rank": int(os.environ["RANK"])} if os.environ.get("RANK", "").isdecimal() else {}


def _bfloat16_facts() -> Facts:
    instructions = bfloat16_instructions()
    return {"torch cpu_bfloat16": instructions} if instructions else {}


def cuda_memory_facts() -> Facts:
    """The numbers of the first device's caching allocator. Empty if CUDA was not used."""
    if not torch.cuda.is_available() or not torch.cuda.is_initialized():
        return {}
    statistics = torch.cuda.memory_stats()
    return {
        "torch cuda_peak_bytes": statistics["allocated_bytes.all.peak"],
        "torch cuda_reserved_bytes": statistics["reserved_bytes.all.peak"],
        "torch cuda_retries": statistics["num_alloc_retries"],
        "torch cuda_total_bytes": torch.cuda.get_device_properties(
            torch.cuda.current_device()
        ).total_memory,
    }


def convolutions_with_idle_bias(modules: Iterator[torch.nn.Module]) -> list[str]:
    """Convolutions whose bias has no effect, because a batch norm follows directly. Named
    "Class.name". Siblings are in the order in which they were made.
    """
    found = []
    for parent in modules:
        children = list(parent.__dict__.get("_modules", {}).items())
        for (name, first), (_, second) in pairwise(children):
            if (
                isinstance(first, _ConvNd)
                and isinstance(second, _BatchNorm)
                and first.bias is not None
                and first.out_channels == second.num_features
            ):
                found.append(f"{type(parent).__name__}.{name}")
    return found
