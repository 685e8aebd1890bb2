"""Torch's own event objects, made from the loaded session."""

from __future__ import annotations

import functools
import inspect
import json
import logging
import math
import sys
import time
from typing import Any

from torch.autograd import DeviceType
from torch.autograd.profiler_util import EventList, FunctionEvent, FunctionEventAvg, Kernel

from laptime.compat.torch_profiler.details import parsed

_ACCEPTED = set(inspect.signature(FunctionEvent.__init__).parameters)
_NS_PER_US = 1000
_LOG = logging.getLogger("torch.autograd.profiler")  # the logger that torch itself uses


@functools.lru_cache(maxsize=1 << 16)
def _short(frame: str) -> str:
    """The file without the folder in which Python found it, as torch writes it."""
    folder = max(
        (path for path in sys.path if path and frame.startswith(path.rstrip("/") + "/")),
        key=len,
        default="",
    )
    return frame[len(folder.rstrip("/")) + 1 :] if folder else frame


class Options:
    """What the profiler's options show of the events."""

    def __init__(
        self,
        *,
        use_device: str | None,
        shapes: bool,
        memory: bool,
        stacks: bool,
        flops: bool,
        longest_s: float | None = None,
    ) -> None:
        self.use_device = use_device
        self.shapes = shapes
        self.memory = memory
        self.stacks = stacks
        self.flops = flops
        self.longest_s = longest_s  # the longest time for making events

    def event_list(self, events: Any) -> EventList:
        result = EventList(
            events, use_device=self.use_device, profile_memory=self.memory, with_flops=self.flops
        )
        result._tree_built = True
        return result

    def stack(self, frames: tuple[str, ...]) -> list[str]:
        return [_short(frame) for frame in frames] if self.stacks else []


class Average(FunctionEventAvg):
    """A row of key_averages.

    Its first event's relatives are made only when they are used.
    """

    def __init__(self, first: Any = None) -> None:
        self._first = first  # () -> FunctionEvent
        self._parent: Any = None
        self._children: Any = None
        super().__init__()

    def __getstate__(self) -> dict[str, Any]:
        """A pickle or copy has the row's figures, and no events."""
        return {**self.__dict__, "_first": None}

    def _relative(self, name: str) -> Any:
        return getattr(self._first(), name, None) if self._first is not None else None

    @property
    def cpu_parent(self) -> Any:
        return self._relative("cpu_parent") if self._parent is None else self._parent

    @cpu_parent.setter
    def cpu_parent(self, parent: Any) -> None:
        self._parent = parent

    @property
    def cpu_children(self) -> Any:
        return self._relative("cpu_children") if self._children is None else self._children

    @cpu_children.setter
    def cpu_children(self, children: Any) -> None:
        self._children = children


class Cycle:
    """The events of one profile session."""

    def __init__(self, loaded: Any, options: Options) -> None:
        self._loaded = loaded
        self._options = options
        self._events: Any = None

    @property
    def loaded(self) -> Any:
        return self._loaded

    def __len__(self) -> int:
        return len(self._loaded)

    def events(self) -> list[FunctionEvent]:
        if self._events is None:
            self._events = []
            end = (
                math.inf
                if self._options.longest_s is None
                else time.monotonic() + self._options.longest_s
            )
            for number in range(len(self._loaded)):
                if time.monotonic() >= end:
                    _LOG.warning(
                        "laptime: making events timed out after %s s: partial results, %d of %d"
                        " events",
                        self._options.longest_s,
                        number,
                        len(self._loaded),
                    )
                    break
                self._add(number, self._loaded.event(number))
        events: list[FunctionEvent] = self._events
        return events

    def _event(self, number: int) -> FunctionEvent | None:
        """None if making events timed out before it."""
        return next(iter(self.events()[number : number + 1]), None)

    def _add(self, number: int, row: Any) -> None:
        """Contract: the event's parent already exists."""
        event = _event(number, row, self._options)
        self._events.append(event)
        if row[5] is not None:
            event.cpu_parent = self._events[row[5]]
            event.cpu_parent.cpu_children.append(event)

    def averages(self, by_shapes: bool, stack_n: int) -> list[Average]:
        by_shapes = by_shapes and self._options.shapes
        stack_depth = max(stack_n, 0) if self._options.stacks else 0
        rows = [
            self._average(row, by_shapes, stack_depth)
            for row in self._loaded.averages(by_shapes, stack_depth)
        ]
        # Lists of tensors differ in laptime's texts, not in torch's lists.
        return merge([rows]) if by_shapes else rows

    def _average(self, row: Any, by_shapes: bool, stack_n: int) -> Average:
        (
            key,
            count,
            cpu,
            self_cpu,
            kernels,
            self_kernels,
            cpu_bytes,
            self_cpu_bytes,
            device_bytes,
            self_device_bytes,
            flops,
            shapes,
            stack,
            scope,
            is_annotation,
            on_device,
            first,
        ) = row
        average = Average(lambda: self._event(first))
        average.key, average.count, average.scope = key, count, scope
        average.node_id, average.use_device = -1, self._options.use_device
        average.cpu_time_total, average.self_cpu_time_total = (
            cpu / _NS_PER_US,
            self_cpu / _NS_PER_US,
        )
        average.device_time_total, average.self_device_time_total = (
            kernels / _NS_PER_US,
            self_kernels / _NS_PER_US,
        )
        average.cpu_memory_usage, average.self_cpu_memory_usage = cpu_bytes, self_cpu_bytes
        average.device_memory_usage, average.self_device_memory_usage = (
            device_bytes,
            self_device_bytes,
        )
        average.flops = flops
        average.is_user_annotation = is_annotation
        average.device_type = DeviceType.CUDA if on_device else DeviceType.CPU
        average.input_shapes = _without_lists(_parsed(shapes)) if by_shapes else ""
        average.overload_name = ""
        average.stack = self._options.stack(stack)[:stack_n]
        return average


def merge(cycles: list[list[Average]]) -> list[Average]:
    """The rows of several cycles as one list. Rows about the same op are added up."""
    merged: dict[Any, Average] = {}
    for row in (row for rows in cycles for row in rows):
        identity = (
            row.key,
            row.device_type,
            row.is_user_annotation,
            str(row.input_shapes),
            tuple(row.stack),
        )
        if identity in merged:
            merged[identity].add(row)
        else:
            merged[identity] = row
    return list(merged.values())


def _event(number: int, row: Any, options: Options) -> FunctionEvent:
    (
        name,
        trace_name,
        thread,
        start,
        duration,
        _,
        scope,
        is_annotation,
        on_device,
        sequence,
        forward_thread,
        shapes,
        types,
        stack,
        cpu_bytes,
        device_bytes,
        kernels,
        flops,
        device,
        details,
    ) = row
    values, keywords = parsed(details)
    dims = _parsed(shapes) if options.shapes else []
    fields = {
        "id": number + 1,
        "name": name,
        "thread": thread,
        "start_us": start / _NS_PER_US,
        "end_us": (start + duration) / _NS_PER_US,
        "overload_name": "",
        "fwd_thread": forward_thread,
        "input_shapes": _without_lists(dims),
        "stack": options.stack(stack),
        "scope": scope,
        "use_device": options.use_device,
        "cpu_memory_usage": cpu_bytes,
        "device_memory_usage": device_bytes,
        "sequence_nr": sequence,
        "device_type": DeviceType.CUDA if on_device else DeviceType.CPU,
        "device_index": device,
        "flops": flops,
        "trace_name": None if name == "[memory]" else trace_name,
        "concrete_inputs": values,
        "kwinputs": keywords,
        "is_user_annotation": is_annotation,
        "structured_input_shapes": dims,
        "input_dtypes": _parsed(types),
    }
    event = FunctionEvent(**{key: value for key, value in fields.items() if key in _ACCEPTED})
    if kernels and not on_device:
        event.kernels.append(Kernel("kernels", 0, kernels / _NS_PER_US))
    return event


def _parsed(text: str) -> Any:
    return json.loads(text) if text else []


def _without_lists(dims: list[Any]) -> list[Any]:
    """A list of tensors is an empty list in torch's input_shapes, and a list in
    structured_input_shapes.
    """
    return [[] if entry and isinstance(entry[0], list) else entry for entry in dims]
