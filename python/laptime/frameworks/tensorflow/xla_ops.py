"""Finds the TensorFlow ops that the instructions of a program compiled by XLA come from.

TensorFlow's profiler keeps the compiled programs in its profile. There each instruction has the
name of its op.
"""

from __future__ import annotations

import re
from typing import Any

_FUNCTION = re.compile(r"a(_inference_.+?_\d+)__")
_PROGRAMS = "/host:metadata"
_DEEPEST = 8  # computations that call each other


def function_of(module: str) -> str:
    """The traced function that the program was compiled from. Empty: it is no such program."""
    match = _FUNCTION.match(module)
    return f"_{match[1]}" if match else ""


class XlaOps:
    def __init__(self) -> None:
        self.profile = b""  # the XSpace that is read now
        self._ops: dict[str, dict[str, str]] = {}  # by program, then by instruction

    def op_of(self, module: str, instruction: str) -> str:
        """Empty if it is not known."""
        if module not in self._ops:
            self._ops[module] = {}
            self._ops.update(_read_programs(self.profile))
        return self._ops[module].get(instruction, "")


def _read_programs(profile: bytes) -> dict[str, dict[str, str]]:
    from tensorflow.compiler.xla.service import hlo_pb2
    from tensorflow.tsl.profiler.protobuf import xplane_pb2

    programs = {}
    for plane in xplane_pb2.XSpace.FromString(profile).planes:
        if plane.name != _PROGRAMS:
            continue
        for metadata in plane.event_metadata.values():
            for stat in metadata.stats:
                module = hlo_pb2.HloProto.FromString(stat.bytes_value).hlo_module
                programs[module.name] = _ops_in(module)
    return programs


def _ops_in(module: Any) -> dict[str, str]:
    computations = {computation.id: computation for computation in module.computations}
    found: dict[str, str] = {}
    for computation in module.computations:
        users: dict[int, Any] = {}  # the first user of each instruction
        for instruction in computation.instructions:
            for operand in instruction.operand_ids:
                users.setdefault(operand, instruction)
        for instruction in computation.instructions:
            # One that XLA added works for the instruction that uses it.
            user = instruction
            while user is not None and not (name := _name_of(user, computations, _DEEPEST)):
                user = users.get(user.id)
            if user is not None:
                found[instruction.name] = name
    return found


def _name_of(instruction: Any, computations: dict[int, Any], depth: int) -> str:
    """Its own, or that of the last instruction with a name in the computation that it calls."""
    if instruction.metadata.op_name or depth == 0:
        return str(instruction.metadata.op_name)
    for called in instruction.called_computation_ids:
        for inner in reversed(computations[called].instructions):
            if name := _name_of(inner, computations, depth - 1):
                return name
    return ""
