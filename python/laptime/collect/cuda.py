"""Records the GPU: ``source = load()``, then ``source.on()`` and ``source.off()`` around what is to
be recorded.

Kernels, copies and waits come with the line that caused them; in PyTorch backward kernels with the
line of their forward op. CUPTI is the program's own or the toolkit's, loaded when the program has
loaded CUDA, not before.
"""

from __future__ import annotations

import ctypes
import os
import sys
import time
from collections.abc import Callable, Iterable
from types import ModuleType
from typing import Any

from laptime._messages import say
from laptime._native import recording, torch_ops
from laptime.collect.engine import framework_folders, library_paths

LIBRARY = os.path.join(os.path.dirname(os.path.abspath(__file__)), "liblaptime_cuda.so")
PROPERTY = "gpu"
_LONGEST_LEAVE_S = 3

# cuda::Wish: on whose behalf
RECORDING, PROFILER = 1, 2
_EVERYBODY = 0xFFFFFFFF

# cuda::After
_REST, _LEAVE, _LEAVE_SOON = range(3)

# cuda::State
IDLE, CAPTURING, DRAINING, LEAVING, FINALIZING, FINALIZED, FAILED = range(7)


def load(
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    lines: bool = True,
    who: int = RECORDING,
) -> GpuSource | Off:
    """The source of GPU records. Never raises. ``include``, ``exclude``: globs on file names, for
    which lines are the user's own. The GPU is recorded as long as anybody (``who``) has it on.
    """
    try:
        library = _open_library()
        library.laptime_cuda_defer()
        if lines:
            _configure_places(list(include), list(exclude))
        return GpuSource(library, lines, who)
    except Exception as error:
        reason = str(error) or type(error).__name__
        say(f"GPU is not recorded: {reason}")
        return Off(reason)


def give_lines(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
    """For a Python program that the driver itself loads the collector into (JAX, CuPy): its
    launches and waits get the user's line, where the thread that calls the driver runs Python.
    """
    library = _open_library()
    _configure_places(list(include), list(exclude))
    library.laptime_cuda_set_places(torch_ops.place_function())


def is_capturing() -> bool:
    """In a program that the driver itself loads the collector into."""
    return _state(_open_library()) == CAPTURING


def leave(synchronize: Callable[[], object]) -> bool:
    """CUPTI is out of the process when this returns, for another tool that is about to ask for it.
    False: not yet. ``synchronize`` makes a call of CUDA's, after which CUPTI can be taken out.
    """
    return _leave(_open_library(), synchronize)


def come_back() -> None:
    """After ``leave``; where another tool holds CUPTI still, the library says so."""
    _open_library().laptime_cuda_on(RECORDING)


def name_kernel(name: str, place: int) -> None:
    """The line of all kernels of a name, for a program that give_lines was called in."""
    _open_library().laptime_cuda_name_kernel(name.encode(), place)


def name_instruction(module: str, instruction: str, place: int) -> None:
    """The line of an instruction of a program that XLA compiled, by XLA's own names."""
    _open_library().laptime_cuda_name_instruction(module.encode(), instruction.encode(), place)


class GpuSource:
    """Contract: ``on`` takes milliseconds the first time and after a rest, ``off`` microseconds.
    After ``off`` CUPTI leaves the process within a second, and the program runs as if it had never
    been there.
    """

    kind = "cupti"

    def __init__(self, library: ctypes.CDLL, lines: bool, who: int) -> None:
        self._library = library
        self._who = who
        self._wanted = False
        if lines:
            self._give_lines()
        recording.set_property(PROPERTY, self.kind)

    def on(self) -> None:
        """Where the program has not loaded CUDA yet, this is tried again at each step, and by the
        driver itself where ``laptime run`` started the program.
        """
        self._wanted = True
        self.at_step()

    def at_step(self) -> None:
        if self._wanted:
            self._library.laptime_cuda_on(self._who)

    def off(self) -> None:
        self._wanted = False
        self._library.laptime_cuda_off(self._who, _LEAVE)

    def rest(self) -> None:
        """Off for a moment: CUPTI stays."""
        self._wanted = False
        self._library.laptime_cuda_off(self._who, _REST)

    def leave(self, synchronize: Callable[[], object]) -> bool:
        """For good, whoever has it on."""
        self._wanted = False
        self._library.laptime_cuda_stay_away(1)
        return _leave(self._library, synchronize)

    def come_back(self) -> None:
        """After ``leave``: whoever wishes may have it again."""
        self._library.laptime_cuda_stay_away(0)

    def close(self) -> None:
        self.off()

    @property
    def functions(self) -> tuple[int, int, int, int]:
        """For native code that switches the GPU itself, on any thread: addresses of on, off and
        counts, and on whose behalf.
        """
        on, off, counts = (
            _address(self._library[f"laptime_cuda_{name}"]) for name in ("on", "off", "counts")
        )
        return on, off, counts, self._who

    @property
    def state(self) -> int:
        return _state(self._library)

    @property
    def events(self) -> int:
        """How many kernels, copies and fills have arrived so far."""
        return self.counts()[1]

    def counts(self) -> tuple[int, int]:
        """Launches, and GPU records that have arrived."""
        launches, records = ctypes.c_uint64(), ctypes.c_uint64()
        self._library.laptime_cuda_counts(ctypes.byref(launches), ctypes.byref(records))
        return launches.value, records.value

    def flush(self) -> None:
        self._library.laptime_cuda_flush()

    def _give_lines(self) -> None:
        # Now, while nothing records: the trial runs ops of its own.
        problem = problem_with_nodes(self._library, sys.modules.get("torch"))
        self._library.laptime_cuda_set_places(torch_ops.place_function())
        self._library.laptime_cuda_set_op_places(torch_ops.op_place_function())
        self._library.laptime_cuda_set_nodes(0 if problem else 1)
        recording.set_property("gpu_nodes", f"off: {problem}" if problem else "on")


class Off:
    """No GPU records, for a reason that was said."""

    events = 0
    state = FAILED

    def __init__(self, reason: str) -> None:
        self.kind = f"off: {reason}"

    def on(self) -> None: ...
    def off(self) -> None: ...
    def rest(self) -> None: ...
    def close(self) -> None: ...
    def at_step(self) -> None: ...
    def flush(self) -> None: ...
    def counts(self) -> tuple[int, int]:
        return 0, 0


def _state(library: ctypes.CDLL) -> int:
    return int(library.laptime_cuda_state())


def _leave(library: ctypes.CDLL, synchronize: Callable[[], object]) -> bool:
    library.laptime_cuda_off(_EVERYBODY, _LEAVE_SOON)
    limit = time.monotonic() + _LONGEST_LEAVE_S
    while _state(library) in (DRAINING, LEAVING, FINALIZING) and time.monotonic() < limit:
        synchronize()
        time.sleep(0.02)
    return _state(library) in (IDLE, FINALIZED, FAILED)


def _address(function: Any) -> int:
    address = ctypes.cast(function, ctypes.c_void_p).value
    assert address is not None
    return address


def _open_library() -> ctypes.CDLL:
    library = ctypes.CDLL(LIBRARY)
    library.laptime_cuda_on.argtypes = [ctypes.c_uint]
    library.laptime_cuda_off.argtypes = [ctypes.c_uint, ctypes.c_int]
    for set_function in (library.laptime_cuda_set_places, library.laptime_cuda_set_op_places):
        set_function.argtypes = [ctypes.c_void_p]
    library.laptime_cuda_name_kernel.argtypes = [ctypes.c_char_p, ctypes.c_uint32]
    library.laptime_cuda_name_instruction.argtypes = [
        ctypes.c_char_p,
        ctypes.c_char_p,
        ctypes.c_uint32,
    ]
    return library


def _configure_places(include: list[str], exclude: list[str]) -> None:
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


def problem_with_nodes(library: ctypes.CDLL, torch: ModuleType | None) -> str:
    """ "" if the library reads autograd's nodes of this torch rightly.

    It is tried on a node whose numbers are known.
    """
    if torch is None:
        return "no torch"
    if not library.laptime_cuda_bind_torch():
        return "this torch does not export what is needed"
    seen: list[tuple[int, int, int]] = []

    def look(_: object) -> None:
        sequence, thread = ctypes.c_int64(), ctypes.c_uint64()
        running = library.laptime_cuda_current_node(ctypes.byref(sequence), ctypes.byref(thread))
        seen.append((running, sequence.value, thread.value))

    with torch.inference_mode(False), torch.enable_grad():
        product = torch.ones(1, requires_grad=True).mul(2)
        node = product.grad_fn
        made, thread = ctypes.c_int64(), ctypes.c_uint64()
        library.laptime_cuda_next_node(ctypes.byref(made), ctypes.byref(thread))
        node.register_prehook(look)
        product.backward()
    if made.value != node._sequence_nr() + 1:
        return "the next node's number differs from torch's own"
    if seen != [(1, node._sequence_nr(), thread.value)]:
        return "the running node's numbers differ from torch's own"
    look(None)
    return "" if seen[-1][0] == 0 else "a node seems to run where none does"
