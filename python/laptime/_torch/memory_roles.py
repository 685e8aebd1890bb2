"""Tells what tensors are for: parameters, buffers and gradients of modules, and the state of optimizers.

Gradients are told when an optimizer is about to step: there they exist, whatever the program does with them next. Modules
are found among the objects that Python's collector knows, once there are any. A tensor's block is told of once; the shim knows
which ones it was told.
"""

from __future__ import annotations

import sys
import weakref
from collections.abc import Iterator
from typing import Any

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_post_hook, register_optimizer_step_pre_hook

from laptime._native import torch_memory
from laptime._torch.instances import instances

# Between two looks at tensors that rarely change.
_OFTEN_ENOUGH = 16

_is_compiling = torch.compiler.is_dynamo_compiling


class Roles:
    """Contract: nothing of the program's is kept alive, and no code of its classes runs."""

    def __init__(self, memory: torch_memory.Memory) -> None:
        self._memory = memory
        self._on = False
        self._steps = 0
        self._modules: list[weakref.ref[torch.nn.Module]] = []
        self._optimizers: dict[int, weakref.ref[Optimizer]] = {}
        self._states_told: dict[int, tuple[int, int]] = {}  # by id of the optimizer: what its state looked like
        self._hooks = (register_optimizer_step_pre_hook(self._before_optimizer),
                       register_optimizer_step_post_hook(self._after_optimizer))

    def begin(self) -> None:
        """Recording begins: what is there already is told of."""
        self._on = True
        if not self._modules:
            self._find()
        self._tell_all()

    def end(self) -> None:
        self._on = False

    def at_step(self) -> None:
        self._steps += 1
        is_power_of_two = self._steps & (self._steps - 1) == 0
        if not self._modules and is_power_of_two:
            self._find()
        if is_power_of_two or self._steps % _OFTEN_ENOUGH == 0 or not self._optimizers:
            self._tell_all()

    def close(self) -> None:
        self._on = False
        for hook in self._hooks:
            hook.remove()

    # ---- what there is ----

    def _find(self) -> None:
        for thing in instances(torch.nn.Module, Optimizer):
            if issubclass(type(thing), Optimizer):
                self._optimizers[id(thing)] = weakref.ref(thing)
            else:
                self._modules.append(weakref.ref(thing))

    # The next two run inside the program's own ``optimizer.step()``, in every one: what goes wrong must not end that, and every function
    # that they call in Python is paid for several times, as nothing of it is in the processor's caches.

    def _before_optimizer(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._on and not _is_compiling():
            try:
                if id(optimizer) not in self._optimizers:
                    self._optimizers[id(optimizer)] = weakref.ref(optimizer)
                self._memory.mark_parameters_of(optimizer)
            except Exception as error:
                self._give_up(error)

    def _after_optimizer(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._on and not _is_compiling():
            try:
                looks = (id(optimizer.state), len(optimizer.state))
                if self._states_told.get(id(optimizer)) != looks:
                    self._states_told[id(optimizer)] = looks
                    self._memory.mark(_state(optimizer), "optimizer state")
            except Exception as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        self.close()
        print(f"laptime: memory goes without roles: {error}", file=sys.stderr)

    # ---- telling ----

    def _tell_all(self) -> None:
        modules = [module for reference in self._modules if (module := reference()) is not None]
        optimizers = [optimizer for reference in self._optimizers.values() if (optimizer := reference()) is not None]
        self._modules = [weakref.ref(module) for module in modules]
        self._optimizers = {id(optimizer): weakref.ref(optimizer) for optimizer in optimizers}
        for module in modules:
            self._memory.mark_parameters(module.__dict__.get("_parameters", {}).values())
            self._memory.mark(module.__dict__.get("_buffers", {}).values(), "buffer")
        for optimizer in optimizers:
            self._memory.mark_parameters_of(optimizer)
            self._memory.mark(_state(optimizer), "optimizer state")


def _state(optimizer: Optimizer) -> Iterator[Any]:
    for state in optimizer.state.values():
        for value in state.values() if isinstance(state, dict) else ():
            if isinstance(value, (list, tuple)):
                yield from value
            else:
                yield value
