"""The lines that XLA's instructions and kernels come from.

XLA launches on threads of its own, where no Python runs, or in the call of a jitted function. It
names each kernel after the instruction that it was made from, and also the range around each
launch. The compiled program holds the line of each instruction.

Contract: anything unexpected here leaves instructions without lines.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from laptime._native import torch_ops
from laptime.collect import cuda
from laptime.collect.source_functions import SourceFunctions
from laptime.frameworks.jax.hlo_text import Instruction, Line, instructions_of, module_of

_NEWEST = 4
_MOST_MODULES = 32

# Its number (0: unknown), and whether the instruction is of the backward pass.
CallSite = tuple[int, bool]


def watch_compilations() -> None:
    """Reports to the GPU's collector, once for each compilation, the lines of XLA's kernels.

    Nothing happens except at the end of a compilation.
    """
    import jax

    sites = _CallSites()

    def compiled(event: str, _: float, fun_name: str = "", **__: Any) -> None:
        if event.endswith("/backend_compile_duration"):
            try:
                _report(next(_newest_programs(_module_name(fun_name)), ""), sites)
            except Exception:
                return

    jax.monitoring.register_event_duration_secs_listener(compiled)


class CompiledLines:
    """Call sites of instructions, for those who know them by XLA's names.

    The texts of programs are read when they are needed, and not kept.
    """

    def __init__(self) -> None:
        import jax

        self._sites = _CallSites()
        self._modules: OrderedDict[str, dict[str, CallSite]] = OrderedDict()
        jax.monitoring.register_event_duration_secs_listener(self._compiled)

    def call_sites(self, module: str, instructions: list[str]) -> list[CallSite]:
        """In the order of ``instructions``. (0, False): unknown."""
        known = self._modules.get(module)
        if known is None:
            known = self._modules[module] = self._read(module)
            if len(self._modules) > _MOST_MODULES:
                self._modules.popitem(last=False)
        return [known.get(instruction, (0, False)) for instruction in instructions]

    def _compiled(self, event: str, _: float, fun_name: str = "", **__: Any) -> None:
        if event.endswith("/backend_compile_duration"):
            self._modules.pop(_module_name(fun_name), None)

    def _read(self, module: str) -> dict[str, CallSite]:
        """Several programs may have this name. The newest has precedence."""
        found: dict[str, CallSite] = {}
        try:
            for program in _newest_programs(module):
                for instruction in instructions_of(program):
                    if instruction.name not in found:
                        site = self._sites.of(instruction), instruction.is_backward
                        found[instruction.name] = site
        except Exception:
            return found
        return found


class _CallSites:
    def __init__(self) -> None:
        self._functions = SourceFunctions()

    def of(self, instruction: Instruction) -> int:
        """0: no line of the user's."""
        line = users_line(instruction)
        if line is None:
            return 0
        file, number, name = line
        function, first = self._functions.find(file, number, name)
        return torch_ops.call_site_of(file, function, first, number, instruction.layer)


def users_line(instruction: Instruction) -> Line | None:
    """The innermost line of the user's. Layers and optimizers of packages are called from there."""
    return next((line for line in instruction.lines if torch_ops.is_user_code(line[0])), None)


def _newest_programs(module: str) -> Iterator[str]:
    from jax.extend.backend import get_backend

    # Programs are listed newest first. Requesting a program's module takes time.
    seen = 0
    for executable in get_backend().live_executables():
        found = executable.hlo_modules()[0]
        if not module or found.name == module:
            yield str(found.to_string())
            seen += 1
        if seen == _NEWEST:
            return


def _report(program: str, sites: _CallSites) -> None:
    module = module_of(program)
    for instruction in instructions_of(program):
        if call_site := sites.of(instruction):
            cuda.name_kernel(_as_symbol(instruction.name), call_site)
            if module:
                cuda.name_instruction(module, instruction.name, call_site)


def _module_name(function: str) -> str:
    return _as_symbol(function).rstrip("_")  # jit(f) is the module jit_f


def _as_symbol(name: str) -> str:
    return re.sub(r"\W", "_", name)
