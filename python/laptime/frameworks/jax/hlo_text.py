"""Reads the text of a program that XLA compiled: the lines and the layer of each instruction.

Newer programs keep stack frames in tables. Older ones have one line in each instruction.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

_MODULE = re.compile(r"HloModule ([\w.\-]+)")
_COMPUTATION = re.compile(r"^(?:ENTRY )?%?([\w.\-]+) \(.*\{$")
_INSTRUCTION = re.compile(r"^ *(?:ROOT )?%?([\w.\-]+) = ")
_METADATA = re.compile(r"\bmetadata=\{([^}]*)\}")
_OPERANDS = re.compile(r"[\w\-]+\((%[^)]*)\)")
_OPERAND = re.compile(r"%([\w.\-]+)")
_CALLED = re.compile(r"\bcalls=%?([\w.\-]+)")
_NAME = re.compile(r'^(\d+) "(.*)"$', re.MULTILINE)
_LOCATION = re.compile(
    r"^(\d+) \{file_name_id=(\d+) function_name_id=(\d+) line=(\d+)", re.MULTILINE
)
_FRAME = re.compile(r"^(\d+) \{file_location_id=(\d+)(?: parent_frame_id=(\d+))?", re.MULTILINE)

_DEEPEST = 64
_MOST_ADDED = 4  # instructions in a row that XLA added
# Parts of an operation's name that JAX adds.
_TRANSFORMED = re.compile(r"^(?:jvp|transpose|vmap|remat|checkpoint)\((.*)\)$")
_CONTROL = re.compile(
    r"^(?:p?jit|shard_map|custom_\w+)\(.*\)$|^(?:while|body|cond|closed_call|checkpoint|remat\w*"
    r"|branch_\d+_fun)$"
)

Line = tuple[str, int, str]  # file, line, function ("": not known)


class Instruction(NamedTuple):
    name: str
    operation: str  # "jit(step)/jvp(Model)/Dense_0/dot_general"
    lines: tuple[Line, ...]  # innermost first

    @property
    def is_backward(self) -> bool:
        return "transpose(jvp(" in self.operation

    @property
    def layer(self) -> str:
        """As of a call site: "Model.Dense_0". "": in none."""
        parts = self.operation.partition(";")[0].split("/")[:-1]
        return ".".join(name for name in map(_layer_in, parts) if name)


def module_of(program: str) -> str:
    found = _MODULE.match(program)
    return found[1] if found else ""


def instructions_of(program: str) -> Iterator[Instruction]:
    """Those with lines. An instruction without a line, such as some fusions, has the line of the
    computation that it calls. One that XLA added, such as a copy into another layout, has the line
    of the instruction that it was added for.
    """
    stacks = _Stacks(program)
    computations: dict[str, Instruction] = {}  # by name: the last instruction with lines
    known: dict[str, Instruction] = {}
    without: dict[str, _Unplaced] = {}
    computation = ""
    for text in program.splitlines():
        if header := _COMPUTATION.match(text):
            computation = header[1]
        elif name := _INSTRUCTION.match(text):
            metadata = _METADATA.search(text)
            found = _instruction(name[1], metadata[1] if metadata else "", stacks)
            operands = _operands(text)
            for operand in operands:
                if operand in without:
                    without[operand].users.append(found.name)
            if found.lines:
                computations[computation] = known[found.name] = found
            else:
                called = _CALLED.search(text)
                without[found.name] = _Unplaced(found, called[1] if called else "", operands, [])
    yield from known.values()
    yield from _placed(without, computations, known)


class _Unplaced(NamedTuple):
    """An instruction without lines."""

    instruction: Instruction
    called: str  # a computation. "": none
    operands: list[str]
    users: list[str]


def _placed(
    unplaced: dict[str, _Unplaced],
    computations: dict[str, Instruction],
    known: dict[str, Instruction],
) -> Iterator[Instruction]:
    def place(found: _Unplaced, neighbour: Instruction | None) -> bool:
        if neighbour is None:
            return False
        instruction = found.instruction
        operation = instruction.operation or neighbour.operation
        known[instruction.name] = Instruction(instruction.name, operation, neighbour.lines)
        return True

    added = [
        found for found in unplaced.values() if not place(found, computations.get(found.called))
    ]
    for _ in range(_MOST_ADDED):
        added = [
            found
            for found in added
            if not place(
                found, next((known[n] for n in (*found.users, *found.operands) if n in known), None)
            )
        ]
    yield from (known[name] for name in unplaced if name in known)


def _operands(text: str) -> list[str]:
    found = _OPERANDS.search(text)
    return _OPERAND.findall(found[1]) if found else []


def _instruction(name: str, metadata: str, stacks: _Stacks) -> Instruction:
    operation = re.search(r'\bop_name="([^"]*)"', metadata)
    return Instruction(name, operation[1] if operation else "", stacks.lines_of(metadata))


def _layer_in(part: str) -> str:
    while transformed := _TRANSFORMED.match(part):
        part = transformed[1]
    return "" if _CONTROL.match(part) else part


class _Stacks:
    """The tables of stack frames."""

    def __init__(self, program: str) -> None:
        files, functions = (
            dict(_NAME.findall(_section(program, "FileNames"))),
            dict(_NAME.findall(_section(program, "FunctionNames"))),
        )
        locations: dict[str, Line] = {
            number: (files.get(file, ""), int(line), functions.get(function, "").rpartition(".")[2])
            for number, file, function, line in _LOCATION.findall(
                _section(program, "FileLocations")
            )
        }
        frames = _FRAME.findall(_section(program, "StackFrames"))
        # XLA prints the number of the parent plus 1. The first frame has no parent.
        above = 1 if ("1", "1") in {(number, parent) for number, _, parent in frames} else 0
        self._frames = {
            int(number): (locations[location], int(parent or 0) - above)
            for number, location, parent in frames
            if location in locations
        }

    def lines_of(self, metadata: str) -> tuple[Line, ...]:
        if frame := re.search(r"\bstack_frame_id=(\d+)", metadata):
            return tuple(self._stack(int(frame[1])))
        file, line = (
            re.search(r'\bsource_file="([^"]*)"', metadata),
            re.search(r"\bsource_line=(\d+)", metadata),
        )
        return ((file[1], int(line[1]), ""),) if file and line else ()

    def _stack(self, frame: int) -> Iterator[Line]:
        for _ in range(_DEEPEST):
            if frame not in self._frames:
                return
            line, frame = self._frames[frame]
            yield line


def _section(program: str, title: str) -> str:
    begin = program.find(f"\n{title}\n")
    return program[begin : program.find("\n\n", begin + 1)] if begin >= 0 else ""
