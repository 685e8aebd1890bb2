"""Reports what tensors are for: parameters, buffers and gradients of modules, and optimizer state.

A role counts for a block's whole life, whenever it is reported. Gradients are reported when an
optimizer is about to step, because they exist then, whatever the program does next. The state that
the optimizer made before is reported then too.

Modules are found among the objects that Python's collector knows, once there are any. Each block is
reported once. The shim knows which ones were reported.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

import torch
from torch.optim.optimizer import Optimizer, register_optimizer_step_pre_hook

from laptime._messages import say
from laptime._native import torch_memory
from laptime.collect.signal_handlers import raised_by_handler
from laptime.frameworks.torch.instances import instances

# Steps between two searches for tensors that rarely change.
_OFTEN_ENOUGH = 16

_is_compiling = torch.compiler.is_dynamo_compiling

Thing = TypeVar("Thing")


class Roles:
    """Contract: keeps no object of the program alive, and runs no code of its classes."""

    def __init__(self, memory: torch_memory.Memory) -> None:
        self._memory = memory
        self._on = False
        self._steps = 0
        self._modules: list[weakref.ref[torch.nn.Module]] = []
        self._optimizers: dict[int, weakref.ref[Optimizer]] = {}
        self._hook = register_optimizer_step_pre_hook(self._before_optimizer)

    def begin(self) -> None:
        """Reports what exists when recording begins."""
        self._on = True
        if not self._modules:
            self._find()
        self._report_all()

    def end(self) -> None:
        """Reports optimizer state that was made since."""
        if self._on:
            self._on = False
            try:
                for optimizer in _alive(self._optimizers.values()):
                    if self._memory.has_new_state(optimizer):
                        self._report_state(optimizer)
            except Exception as error:
                self._give_up(error)

    def at_step(self) -> None:
        self._steps += 1
        is_power_of_two = self._steps & (self._steps - 1) == 0
        if not self._modules and is_power_of_two:
            self._find()
        if is_power_of_two or self._steps % _OFTEN_ENOUGH == 0 or not self._optimizers:
            # With an optimizer, gradients are reported before it steps.
            self._report_all(gradients=not self._optimizers)

    def close(self) -> None:
        self._on = False
        self._hook.remove()

    # ---- finding modules and optimizers ----

    def _find(self) -> None:
        for thing in instances(torch.nn.Module, Optimizer):
            if issubclass(type(thing), Optimizer):
                self._optimizers[id(thing)] = weakref.ref(thing)
            else:
                self._modules.append(weakref.ref(thing))

    # Runs inside every `optimizer.step()` of the program, so an error must not end that call. Each
    # Python function that it calls costs several times as much as usual: none of it is in the
    # processor's caches.
    def _before_optimizer(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._on and not _is_compiling():
            try:
                if self._memory.mark_before_step(optimizer):
                    self._optimizers[id(optimizer)] = weakref.ref(optimizer)
                    self._report_state(optimizer)
            except Exception as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if raised_by_handler(error):
            raise error
        self.close()
        say(f"memory is recorded without roles: {error}")

    # ---- reporting roles ----

    def _report_all(self, gradients: bool = False) -> None:
        """``gradients``: reports these too. Only if no other thread steps: it may be freeing a
        gradient right now.
        """
        modules, optimizers = _alive(self._modules), _alive(self._optimizers.values())
        self._modules = [weakref.ref(module) for module in modules]
        self._optimizers = {id(optimizer): weakref.ref(optimizer) for optimizer in optimizers}
        for module in modules:
            parameters = module.__dict__.get("_parameters", {}).values()
            if gradients:
                self._memory.mark_parameters(parameters)
            else:
                self._memory.mark(parameters, "parameter")
            self._memory.mark(module.__dict__.get("_buffers", {}).values(), "buffer")
        self._memory.forget_states()
        for optimizer in optimizers:
            if self._memory.has_new_state(optimizer):
                self._report_state(optimizer)

    def _report_state(self, optimizer: Optimizer) -> None:
        self._memory.mark(_state(optimizer), "optimizer state")


def _alive(references: Iterable[weakref.ref[Thing]]) -> list[Thing]:
    return [thing for reference in references if (thing := reference()) is not None]


def _state(optimizer: Optimizer) -> Iterator[Any]:
    for state in optimizer.state.values():
        for value in state.values() if isinstance(state, dict) else ():
            if isinstance(value, (list, tuple)):
                yield from value
            else:
                yield value
