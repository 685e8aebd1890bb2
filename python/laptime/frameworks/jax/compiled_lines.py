"""Reports to the GPU's collector, once for each compilation, the lines that XLA's kernels come
from.

XLA launches on threads of its own, where no Python runs, or in the call of a jitted function. It
names each kernel after the instruction that it was made from, and also the range around each
launch. The compiled program holds the line of each instruction.

Contract: nothing happens except at the end of a compilation. Anything unexpected here leaves
kernels without lines.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from laptime._native import torch_ops
from laptime.collect import cuda
from laptime.collect.source_functions import SourceFunctions

_MODULE = re.compile(r"HloModule ([\w.\-]+)")
_INSTRUCTION = re.compile(r"^ *(?:ROOT )?%?([\w.\-]+) = .*\bmetadata=\{([^}]*)\}", re.MULTILINE)
_NAME = re.compile(r'^(\d+) "(.*)"$', re.MULTILINE)
_LOCATION = re.compile(
    r"^(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)", re.MULTILINE
)
_FRAME = re.compile(r"^(\d+) \{file_location_id=(\d+)", re.MULTILINE)

_NEWEST = 4

Line = tuple[str, int, str]  # file, line, function ("": not known)


def watch_compilations() -> None:
    import jax

    functions = SourceFunctions()

    def compiled(event: str, _: float, fun_name: str = "", **__: Any) -> None:
        if event.endswith("/backend_compile_duration"):
            try:
                _report(_newest_program(fun_name), functions)
            except Exception:
                return

    jax.monitoring.register_event_duration_secs_listener(compiled)


def _newest_program(name: str) -> str:
    from jax.extend.backend import get_backend

    # Programs are listed newest first. Requesting a program's module takes time.
    modules = (
        executable.hlo_modules()[0] for executable in get_backend().live_executables()[:_NEWEST]
    )
    wanted = _as_symbol(name).rstrip("_")  # jit(f) is the module jit_f
    return next(
        (str(module.to_string()) for module in modules if not name or module.name == wanted), ""
    )


def _report(program: str, functions: SourceFunctions) -> None:
    module = _MODULE.match(program)
    for instruction, (file, line, name) in lines_of_instructions(program):
        if torch_ops.is_user_code(file):
            call_site = torch_ops.call_site_of(file, *functions.find(file, line, name), line)
            cuda.name_kernel(_as_symbol(instruction), call_site)
            if module is not None:
                cuda.name_instruction(module[1], instruction, call_site)


def lines_of_instructions(program: str) -> Iterator[tuple[str, Line]]:
    """The line of each instruction, from the text of a compiled program."""
    frames = _frames(program)
    for name, metadata in _INSTRUCTION.findall(program):
        line = _line_of(metadata, frames)
        if line is not None:
            yield name, line


def _line_of(metadata: str, frames: dict[str, Line]) -> Line | None:
    if frame := re.search(r"\bstack_frame_id=(\d+)", metadata):
        return frames.get(frame[1])
    file, line = (
        re.search(r'\bsource_file="([^"]*)"', metadata),
        re.search(r"\bsource_line=(\d+)", metadata),
    )
    return (file[1], int(line[1]), "") if file and line else None


def _frames(program: str) -> dict[str, Line]:
    """JAX keeps only the user's own frames, so the innermost frame of each trace is enough."""
    files, functions = (
        dict(_NAME.findall(_section(program, "FileNames"))),
        dict(_NAME.findall(_section(program, "FunctionNames"))),
    )
    locations = {
        number: (files.get(file, ""), int(line), functions.get(function, "").rpartition(".")[2])
        for number, file, function, line in _LOCATION.findall(_section(program, "FileLocations"))
    }
    return {
        number: locations[location]
        for number, location in _FRAME.findall(_section(program, "StackFrames"))
        if location in locations
    }


def _section(program: str, title: str) -> str:
    begin = program.find(f"\n{title}\n")
    return program[begin : program.find("\n\n", begin + 1)] if begin >= 0 else ""


def _as_symbol(name: str) -> str:
    return re.sub(r"\W", "_", name)
