"""Tells what tensors are for: parameters, buffers and gradients of modules, and the state of
optimizers.

Gradients are told when an optimizer is about to step: there they exist, whatever the program does
with them next; and so is the state that it has made before: a role counts for a block's whole life,
whenever it is told. Modules are found among the objects that Python's collector knows, once there
are any. A tensor's block is told of once; the shim knows which ones it was told.
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

# Between two looks at tensors that rarely change.
_OFTEN_ENOUGH = 16

_is_compiling = torch.compiler.is_dynamo_compiling

Thing = TypeVar("Thing")


class Roles:
    """Contract: nothing of the program's is kept alive, and no code of its classes runs."""

    def __init__(self, memory: torch_memory.Memory) -> None:
        self._memory = memory
        self._on = False
        self._steps = 0
        self._modules: list[weakref.ref[torch.nn.Module]] = []
        self._optimizers: dict[int, weakref.ref[Optimizer]] = {}
        self._hook = register_optimizer_step_pre_hook(self._before_optimizer)

    def begin(self) -> None:
        """Recording begins: what is there already is told of."""
        self._on = True
        if not self._modules:
            self._find()
        self._tell_all()

    def end(self) -> None:
        """State that was made since is told of."""
        if self._on:
            self._on = False
            try:
                for optimizer in _alive(self._optimizers.values()):
                    if self._memory.has_new_state(optimizer):
                        self._tell_state(optimizer)
            except Exception as error:
                self._give_up(error)

    def at_step(self) -> None:
        self._steps += 1
        is_power_of_two = self._steps & (self._steps - 1) == 0
        if not self._modules and is_power_of_two:
            self._find()
        if is_power_of_two or self._steps % _OFTEN_ENOUGH == 0 or not self._optimizers:
            self._tell_all(
                gradients=not self._optimizers
            )  # with an optimizer they are told before it steps

    def close(self) -> None:
        self._on = False
        self._hook.remove()

    # ---- what there is ----

    def _find(self) -> None:
        for thing in instances(torch.nn.Module, Optimizer):
            if issubclass(type(thing), Optimizer):
                self._optimizers[id(thing)] = weakref.ref(thing)
            else:
                self._modules.append(weakref.ref(thing))

    # Runs inside the program's own ``optimizer.step()``, in every one: what goes wrong must not end
    # that, and every function that it calls in Python is paid for several times, as nothing of it
    # is in the processor's caches.
    def _before_optimizer(self, optimizer: Optimizer, args: Any, kwargs: Any) -> None:
        if self._on and not _is_compiling():
            try:
                if self._memory.mark_before_step(optimizer):
                    self._optimizers[id(optimizer)] = weakref.ref(optimizer)
                    self._tell_state(optimizer)
            except Exception as error:
                self._give_up(error)

    def _give_up(self, error: Exception) -> None:
        if raised_by_handler(error):
            raise error
        self.close()
        say(f"memory goes without roles: {error}")

    # ---- telling ----

    def _tell_all(self, gradients: bool = False) -> None:
        """``gradients``: too. Only where nobody else steps: another thread may be letting go of one
        right now.
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
                self._tell_state(optimizer)

    def _tell_state(self, optimizer: Optimizer) -> None:
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
