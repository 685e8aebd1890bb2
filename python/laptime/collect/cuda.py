"""Records the GPU: ``source = load()``, then ``source.on()`` and ``source.off()`` around what
should be recorded.

Kernels, copies and waits get the line that caused them. In PyTorch, backward kernels get the line
of their forward op. CUPTI is the program's own or the toolkit's. It is loaded after the program has
loaded CUDA, not before.
"""

from __future__ import annotations

import functools
import os
import sys
import time
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from laptime import _native
from laptime._messages import say
from laptime._native import gpu, recording, torch_ops
from laptime.collect.engine import framework_folders, library_paths
from laptime.collect.source import Source

LIBRARY = os.path.join(os.path.dirname(_native.__file__), "liblaptime_cuda.so")
PROPERTY = "gpu"
_LONGEST_LEAVE_S = 3

State = gpu.State
Requester = gpu.Requester


def load(
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    lines: bool = True,
    who: Requester = Requester.RECORDING,
) -> GpuSource | Off:
    """The source of GPU records. Never raises. The GPU is recorded as long as any requester
    (``who``) has it on.

    ``include``, ``exclude``: globs on file names; they decide which lines are the user's own.
    """
    try:
        library = _open_library()
        library.defer()
        if lines:
            configure_call_sites(list(include), list(exclude))
        return GpuSource(library, lines, who)
    except Exception as error:
        reason = str(error) or type(error).__name__
        say(f"GPU is not recorded: {reason}")
        return Off(reason)


def give_lines(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
    """Gives lines to launches and waits in a program without torch (JAX, CuPy), where the driver
    itself loads the collector.

    This works if the thread that calls the driver runs Python.
    """
    library = _open_library()
    configure_call_sites(list(include), list(exclude))
    library.set_call_sites(torch_ops.call_site_function())


def is_capturing() -> bool:
    """Whether the GPU is recorded, in a program in which the driver itself loads the collector."""
    return _open_library().state() == State.CAPTURING


def leave(synchronize: Callable[[], object]) -> bool:
    """Takes CUPTI out of the process, because another tool is about to request it.

    False: it is not out yet. ``synchronize`` makes a CUDA call, after which CUPTI can be taken out.
    """
    return _leave(_open_library(), synchronize)


def resume() -> None:
    """Call after ``leave``. If another tool still holds CUPTI, the library reports that."""
    _open_library().on(Requester.RECORDING)


def name_kernel(name: str, call_site: int) -> None:
    """Sets the line of all kernels of a name, in a program that called ``give_lines``."""
    _open_library().name_kernel(name, call_site)


def name_instruction(module: str, instruction: str, call_site: int) -> None:
    """Sets the line of an instruction of a program that XLA compiled, by XLA's own names."""
    _open_library().name_instruction(module, instruction, call_site)


class GpuSource(Source):
    """Contract: ``on`` takes milliseconds the first time and after a rest, ``off`` microseconds.
    Within a second after ``off``, CUPTI leaves the process. The program then runs as if CUPTI had
    never been loaded.
    """

    kind = "cupti"

    def __init__(self, library: gpu.Library, lines: bool, who: Requester) -> None:
        self._library = library
        self._who = who
        self._requested = False
        if lines:
            self._give_lines()
        recording.set_property(PROPERTY, self.kind)

    def on(self) -> None:
        """If the program has not loaded CUDA yet, each step tries again. Under ``laptime run`` the
        driver itself also loads the collector.
        """
        self._requested = True
        self.at_step()

    def at_step(self) -> None:
        if self._requested:
            self._library.on(self._who)

    def off(self) -> None:
        self._requested = False
        self._library.off(self._who, gpu.After.LEAVE)

    def rest(self) -> None:
        """Off for a short time: CUPTI stays in the process."""
        self._requested = False
        self._library.off(self._who, gpu.After.REST)

    def leave(self, synchronize: Callable[[], object]) -> bool:
        """Stops for good, for all requesters."""
        self._requested = False
        self._library.set_disabled(True)
        return _leave(self._library, synchronize)

    def resume(self) -> None:
        """Call after ``leave``: requests are accepted again."""
        self._library.set_disabled(False)

    def close(self) -> None:
        self.off()

    @property
    def switch(self) -> tuple[gpu.Library, Requester]:
        """For native code that switches the GPU itself, on any thread."""
        return self._library, self._who

    @property
    def state(self) -> State:
        return self._library.state()

    @property
    def events(self) -> int:
        """How many kernels, copies and fills have arrived so far."""
        return self.counts()[1]

    def counts(self) -> tuple[int, int]:
        """Launches, and GPU records that have arrived."""
        return self._library.counts()

    def flush(self) -> None:
        self._library.flush()

    def _give_lines(self) -> None:
        # Now, while nothing records: the check runs ops of its own.
        problem = problem_with_nodes(self._library, sys.modules.get("torch"))
        self._library.set_call_sites(torch_ops.call_site_function())
        self._library.set_op_call_sites(torch_ops.op_call_site_function())
        self._library.set_nodes(not problem)
        recording.set_property("gpu_nodes", f"off: {problem}" if problem else "on")


class Off(Source):
    """No GPU records. The reason was reported."""

    kind = ""
    state = State.FAILED

    def __init__(self, reason: str) -> None:
        self.kind = f"off: {reason}"

    def on(self) -> None: ...
    def off(self) -> None: ...
    def rest(self) -> None: ...
    def close(self) -> None: ...
    def flush(self) -> None: ...
    def counts(self) -> tuple[int, int]:
        return 0, 0


def _leave(library: gpu.Library, synchronize: Callable[[], object]) -> bool:
    library.off(Requester.EVERYBODY, gpu.After.LEAVE_SOON)
    limit = time.monotonic() + _LONGEST_LEAVE_S
    on_its_way = (State.DRAINING, State.LEAVING, State.FINALIZING)
    while library.state() in on_its_way and time.monotonic() < limit:
        synchronize()
        time.sleep(0.02)
    return library.state() in (State.IDLE, State.FINALIZED, State.FAILED)


@functools.cache
def _open_library() -> gpu.Library:
    return gpu.open(LIBRARY)


def configure_call_sites(include: list[str], exclude: list[str]) -> None:
    """Decides which lines are the user's own, for all collectors."""
    torch = sys.modules.get("torch")
    module: Any = torch.nn.Module if torch is not None else Off  # without torch nothing is a module
    call = module.__call__ if torch is not None else Off.on
    torch_ops.configure(
        library_paths=library_paths(),
        include=include,
        exclude=exclude,
        module_call=call.__code__,
        module_type=module,
        framework_folders=framework_folders(torch),
    )


def problem_with_nodes(library: gpu.Library, torch: ModuleType | None) -> str:
    """The reason why the library cannot read autograd's nodes of this torch, or "".

    Checked on a node whose numbers are known.
    """
    if torch is None:
        return "no torch"
    if not library.bind_torch():
        return "this torch does not export what is needed"
    seen: list[tuple[bool, int, int]] = []

    def look(_: object) -> None:
        seen.append(library.current_node())

    with torch.inference_mode(False), torch.enable_grad():
        product = torch.ones(1, requires_grad=True).mul(2)
        node = product.grad_fn
        made, thread = library.next_node()
        node.register_prehook(look)
        product.backward()
    if made != node._sequence_nr() + 1:
        return "the next node's number differs from torch's own"
    if seen != [(True, node._sequence_nr(), thread)]:
        return "the running node's numbers differ from torch's own"
    look(None)
    return "a node seems to run where none does" if seen[-1][0] else ""
