import enum
from collections.abc import Callable, Iterable, Sequence
from types import CodeType
from typing import Any, NoReturn

from typing_extensions import Self

def version() -> str: ...

class engine:
    """A submodule. laptime.collect.engine documents it."""

    class FunctionLayer:
        def __init__(self) -> None: ...
        def open(self) -> None: ...
        def close(self) -> None: ...
        def stats(self) -> dict[Any, Any]: ...

    @staticmethod
    def start_lines(
        *,
        library_paths: Sequence[str],
        include: Sequence[str],
        exclude: Sequence[str],
        predicate: Callable[[str], bool] | None,
        only: Iterable[CodeType] | None,
        budget: float,
        statement_reader: Callable[..., Any] | None,
    ) -> None: ...
    @staticmethod
    def stop_lines() -> None: ...
    @staticmethod
    def watch(code: CodeType, /) -> None: ...
    @staticmethod
    def snapshot_lines(per_thread: bool = False, event_ns: float = 0.0) -> dict[Any, Any]: ...
    @staticmethod
    def clear_lines() -> None: ...
    @staticmethod
    def skip_lines_since(begin: int, /) -> None: ...
    @staticmethod
    def forget_lines(codes: Any, /) -> None: ...
    @staticmethod
    def in_step() -> bool: ...
    @staticmethod
    def line_events() -> int: ...
    @staticmethod
    def realignments() -> int: ...
    @staticmethod
    def start_functions(*, builtins: bool, budget: float) -> None: ...
    @staticmethod
    def stop_functions() -> None: ...
    @staticmethod
    def begin_function_probe() -> None: ...
    @staticmethod
    def end_function_probe() -> None: ...
    @staticmethod
    def snapshot_functions(per_thread: bool = False) -> dict[Any, Any]: ...
    @staticmethod
    def clear_functions() -> None: ...
    @staticmethod
    def show_profiler(profiler: object | None) -> None: ...
    @staticmethod
    def call_events() -> int: ...
    @staticmethod
    def call_slips() -> int: ...
    @staticmethod
    def set_command_code(code: CodeType, /) -> None: ...
    @staticmethod
    def demoted() -> list[tuple[str, int, str, str, str]]: ...
    @staticmethod
    def notices() -> list[tuple[str, str]]: ...
    @staticmethod
    def clear_notices() -> None: ...
    @staticmethod
    def set_event_cost(line: float, entry: float, call: float, /) -> None: ...
    @staticmethod
    def start_sources(
        *,
        library_paths: Sequence[str],
        include: Sequence[str],
        exclude: Sequence[str],
        reader: Callable[..., Any],
    ) -> None: ...
    @staticmethod
    def stop_sources() -> None: ...
    @staticmethod
    def after_fork() -> None: ...

class recording:
    """A submodule."""

    @staticmethod
    def start(path: str | None) -> str: ...
    @staticmethod
    def stop() -> bool: ...
    @staticmethod
    def error() -> str: ...
    @staticmethod
    def on() -> bool: ...
    SCOPE: int
    LOADER: int
    COMPILE: int
    GC: int
    OPTIMIZER: int
    @staticmethod
    def mark_step(samples: int = 0, phase: int = 0, ops: int = -1, end: int = 0) -> int: ...
    @staticmethod
    def begin_step() -> None: ...
    @staticmethod
    def name(text: str, /) -> int: ...
    @staticmethod
    def now() -> int: ...
    @staticmethod
    def put_span(name: int, kind: int, start: int) -> None: ...
    @staticmethod
    def put_event(
        name: str,
        kind: int,
        start: int,
        file: str,
        line: int,
        function: str,
        strings: dict[str, str],
    ) -> None: ...
    @staticmethod
    def value(name: str, value: float, /) -> None: ...
    @staticmethod
    def name_thread(name: str, /) -> None: ...
    @staticmethod
    def set_property(key: str, value: str | int | float) -> None: ...
    @staticmethod
    def say(message: str, /) -> None: ...
    @staticmethod
    def warn(name: str, message: str, count: int = 1) -> None: ...

    class Scope:
        def __init__(self, name: str, kind: int = 0) -> None: ...
        @property
        def name(self) -> str: ...
        def __enter__(self) -> Self: ...
        def __exit__(self, *_: object) -> None: ...
        def begin(self) -> None: ...
        def end(self) -> None: ...

class sigterm:
    """A submodule."""

    @staticmethod
    def install(answered_by: int) -> None:
        """``answered_by``: a signal whose Python handler calls ``answer``, writes and calls
        ``end_process``.
        """

    @staticmethod
    def uninstall() -> None: ...
    @staticmethod
    def after_fork() -> None: ...
    @staticmethod
    def answer() -> None: ...
    @staticmethod
    def end_process() -> NoReturn: ...

class Around:
    def __init__(
        self,
        function: Callable[..., Any],
        before: Callable[[Any], object] | None = None,
        after: Callable[[Any, Any, type[BaseException] | None], object] | None = None,
        name: str = "",
        kind: int = 0,
        end_name: str = "",
    ) -> None: ...
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

class torch_steps:
    """A submodule."""

    class StepHooks:
        recorded: bool
        reports_steps: bool
        by_program: bool

        def __init__(
            self,
            *,
            begin: Callable[[], None],
            mark: Callable[[str, int, int], None],
            gradients_on: Callable[[], bool],
            add_loader: Callable[[Any], int],
            is_training: Callable[[Callable[[], Any]], bool],
            first_step: Callable[[Any], None],
            shares: Any,
            backward_codes: tuple[CodeType, ...],
            torch_folder: str,
            thread: int,
            tensor: type,
            disable: type,
            mode_is_on: Callable[[], bool],
        ) -> None: ...
        def start_over(self, shares: Any, thread: int) -> None: ...
        def loop_began(self, loader: Any, /) -> None: ...
        def batch_requested(self, iterator: Any, /) -> None: ...
        def batch_received(
            self, iterator: Any, batch: Any, raised: type[BaseException] | None
        ) -> None: ...
        def loader_dropped(self, iterator: int, loader: int, /) -> None: ...
        def optimizer_made(self) -> None: ...
        def optimizer_exists(self) -> None: ...
        def gradients_zeroed(self, optimizer: Any, start: int, /) -> None: ...
        def optimizer_began(self, optimizer: Any, /) -> None: ...
        def closure_began(self, optimizer: Any, /) -> None: ...
        def closure_ended(self, optimizer: Any, /) -> None: ...
        def optimizer_stepped(self, optimizer: Any, /) -> None: ...
        def scaler_updated(self) -> None: ...
        def evaluating(self, module: Callable[[], Any], /) -> None: ...
        def training(self, module: Any, /) -> None: ...
        def backward_began(self, first: Any) -> None: ...
        def backward_ended(
            self, first: Any, result: Any, raised: type[BaseException] | None
        ) -> None: ...
        def set_busy(self, busy: bool, /) -> None: ...
        def finish(self) -> None: ...

class tensorflow_steps:
    """A submodule."""

    @staticmethod
    def install_input_hook() -> str:
        """Empty, or the reason why waits for input are not recorded."""

    ERRORS_ONLY: int
    @staticmethod
    def set_log_level(level: int) -> int:
        """Of TensorFlow's own log. The level before, or -1 if it cannot be set."""

    class EagerCalls:
        """Notes the calls of eager ops in ``calls`` while it is on. The wrappers call the function
        and return what it returns. They add no Python frame.
        """

        def __init__(
            self,
            *,
            calls: xplane.OpCalls,
            call_site: int,
            refine: Callable[[int, str], int],
            context: Any,
        ) -> None:
            """``refine``: returns the call site to use instead of one that was met for the first
            time in a name scope. ``context``: TensorFlow's, of eager execution.
            """
        on: bool
        def wrap_op(self, function: Callable[..., Any], name_at: int) -> Callable[..., Any]:
            """``name_at``: the number of the argument that is the op's name, -1: none."""
        def wrap_note(self, function: Callable[..., Any], name_at: int) -> Callable[..., Any]:
            """Of the function that notes an op for the tape, after it ran."""
        def wrap_gradient(self, function: Callable[..., Any]) -> Callable[..., Any]:
            """Of the function that computes the gradient of an op, whose name it gets first."""
        def wrap_tape(self, function: Callable[..., Any]) -> Callable[..., Any]:
            """Of the function that computes all gradients."""

    class StepHooks:
        recorded: bool
        reports_steps: bool
        by_program: bool

        def __init__(
            self,
            *,
            begin: Callable[[], None],
            mark: Callable[[str, int, int], None],
            add_loader: Callable[[Any], int],
            name_of: Callable[[Any], str],
            call_site: int,
            thread: int,
        ) -> None: ...
        def start_over(self, thread: int) -> None: ...
        def batch_requested(self, iterator: Any, /) -> None: ...
        def batch_received(
            self, iterator: Any, batch: Any, raised: type[BaseException] | None
        ) -> None: ...
        def iterator_dropped(self, iterator: int, /) -> None: ...
        def function_began(self, function: Any, /) -> None: ...
        def function_ended(
            self, function: Any, result: Any, raised: type[BaseException] | None
        ) -> None: ...
        def function_dropped(self, function: int, /) -> None: ...
        def gradient_began(self, tape: Any, /) -> None: ...
        def gradient_ended(
            self, tape: Any, result: Any, raised: type[BaseException] | None
        ) -> None: ...
        def optimizer_made(self) -> None: ...
        def optimizer_began(self, optimizer: Any, /) -> None: ...
        def optimizer_stepped(
            self, optimizer: Any, result: Any, raised: type[BaseException] | None
        ) -> None: ...
        def finish(self) -> None: ...
        def requests_of_call(self) -> list[int]:
            """When the batches were requested that the last outermost call requested itself, in
            ticks.
            """

        def set_busy(self, busy: bool, /) -> None: ...

class jax_calls:
    """A submodule."""

    class CallHooks:
        recorded: bool
        reports_steps: bool
        by_program: bool

        def __init__(
            self,
            *,
            begin: Callable[[], None],
            mark: Callable[[str, int, int], None],
            trace: Any,
            evaluates: Any,
            array: type,
            identify: Callable[[str, Any], tuple[str, CodeType | None] | None],
            thread: int,
        ) -> None: ...
        @staticmethod
        def learn(first: Any, second: Any) -> bool: ...
        def install(self) -> None: ...
        def remove(self) -> None: ...
        def seeing(self, make: Callable[..., Any], /) -> Callable[..., Any]: ...
        def differentiating(self, first: Any) -> None: ...
        def tracing_began(self, name: str, code: CodeType | None) -> None: ...
        def tracing_ended(self) -> None: ...
        def annotation_began(self) -> None: ...
        def annotation_ended(self, phase: str) -> None: ...
        def finish(self) -> None: ...
        def start_over(self, thread: int) -> None: ...
        def set_busy(self, busy: bool) -> None: ...
        @property
        def calls(self) -> int: ...

    class Wait:
        def __init__(self, name: str) -> None: ...
        def began(self, first: Any) -> None: ...
        def ended(self, first: Any, result: Any, raised: type[BaseException] | None) -> None: ...

    @staticmethod
    def put_compilation(name: str, start: int, strings: dict[str, str]) -> None: ...
    @staticmethod
    def call_site(file: str, function: str, first_line: int, line: int, layer: str) -> int: ...
    @staticmethod
    def see_buffers(array_type: type, name: str) -> None: ...
    @staticmethod
    def leave_buffers(array_type: type) -> None: ...

class gpu:
    """A submodule."""

    class State(enum.Enum):
        IDLE = 0
        CAPTURING = 1
        DRAINING = 2
        LEAVING = 3
        FINALIZING = 4
        FINALIZED = 5
        FAILED = 6

    class After(enum.Enum):
        """What happens to CUPTI when the GPU is no longer recorded."""

        REST = 0
        LEAVE = 1
        LEAVE_SOON = 2

    class Requester(enum.Enum):
        """Who requests that the GPU is recorded."""

        RECORDING = 1
        PROFILER = 2
        EVERYBODY = 4294967295

    class Library:
        def on(self, who: gpu.Requester) -> gpu.State: ...
        def off(self, who: gpu.Requester, after: gpu.After) -> None: ...
        def set_disabled(self, disabled: bool) -> None: ...
        def state(self) -> gpu.State: ...
        def counts(self) -> tuple[int, int]:
            """Launches, and GPU records that have arrived."""

        def flush(self) -> None: ...
        def set_call_sites(self, function: int) -> None: ...
        def set_op_call_sites(self, function: int) -> None: ...
        def set_nodes(self, on: bool) -> None: ...
        def name_kernel(self, kernel: str, call_site: int) -> None: ...
        def name_instruction(self, module: str, instruction: str, call_site: int) -> None: ...
        def bind_torch(self) -> bool: ...
        def current_node(self) -> tuple[bool, int, int]:
            """Whether a node runs on the calling thread, its number, its forward thread."""

        def next_node(self) -> tuple[int, int]:
            """The number of the calling thread's next node, and the thread's number."""

        def defer(self) -> None: ...

    @staticmethod
    def open(path: str) -> gpu.Library: ...

class torch_ops:
    """A submodule."""

    # Name, scope, depth, and whether thread and sequence number are torch's.
    ProbedRow = tuple[str, int, int, bool, bool]

    class Request:
        """Torch's callbacks are on as long as any request is on. False: torch refused."""

        def on(self) -> bool: ...
        def off(self) -> bool: ...

    class Source:
        def request(self, *, inputs: bool, frames: bool) -> torch_ops.Request: ...
        def start_probe(self) -> None: ...
        def on(self) -> bool:
            """For a probe, as ``off`` is."""

        def off(self) -> bool: ...
        def stop_probe(self) -> list[torch_ops.ProbedRow]: ...

    @staticmethod
    def configure(
        *,
        library_paths: list[str],
        include: list[str],
        exclude: list[str],
        module_call: CodeType,
        module_type: type,
        framework_folders: list[str] = ...,
    ) -> None: ...
    @staticmethod
    def open_compiled(path: str, /) -> Source: ...
    @staticmethod
    def open_details(path: str, /) -> DetailSource: ...

    IDS: int
    MODULES: int
    INPUTS: int

    class Details: ...

    class DetailSource:
        def enter(self, inputs: bool) -> bool:
            """Makes torch report this thread as profiled, until ``leave``. False: torch refused."""

        def leave(self) -> None: ...
        def needs_ids(self) -> bool: ...
        def on(self, what: int, /) -> bool: ...
        def off(self, begin: int) -> torch_ops.Details: ...

    @staticmethod
    def start_calibration() -> str: ...
    @staticmethod
    def stop_calibration() -> str: ...
    @staticmethod
    def open_prebuilt() -> Source: ...
    Moment = tuple[int, int]  # ticks, ns of the real-time clock
    # name, start and end (ns of the real-time clock), scope, sequence number, forward thread,
    # thread (0: the caller's), shapes, flops
    ProfiledRow = tuple[str, int, int, int, int, int, int, str, int]

    @staticmethod
    def clock_point() -> Moment: ...
    @staticmethod
    def put_profiled(start: Moment, end: Moment, rows: list[ProfiledRow], /) -> None: ...
    @staticmethod
    def count() -> int: ...
    @staticmethod
    def epoch() -> int: ...
    @staticmethod
    def is_user_code(file: str, /) -> bool: ...
    @staticmethod
    def call_site_of(
        file: str, function: str, function_line: int, line: int, module: str = ""
    ) -> int: ...
    GeneratedRow = tuple[
        int, str, str, int, int
    ]  # first line, file, function, its first line, line (0: not known)

    @staticmethod
    def add_generated_code(file: str, rows: list[GeneratedRow]) -> None: ...
    @staticmethod
    def name_modules() -> None: ...
    @staticmethod
    def note_parent(module: object, name: object, child: object, /) -> None: ...
    @staticmethod
    def call_site_function() -> int:
        """The address of a C function that returns the calling thread's call site."""

    @staticmethod
    def op_call_site_function() -> int:
        """The address of a C function that returns the calling thread's call site if it is inside a
        recorded op.
        """

class torch_intervals:
    """A submodule."""

    @staticmethod
    def start(
        *,
        ops: torch_ops.Request | None,
        gpu: tuple[gpu.Library, gpu.Requester] | None,
        memory_off: int | None,
        share: float,
        turns_before: int,
        event_ticks: float,
        period_s: float,
        leaves_no_trace: bool,
    ) -> bool:
        """False: the thread could not start, or one already runs."""

    @staticmethod
    def end_step() -> bool:
        """From here on steps decide. True: the clock decided for the step or its last part.
        Everything is off.
        """

    @staticmethod
    def steps_record(on: bool) -> None: ...
    @staticmethod
    def stop() -> tuple[float, bool, bool, int] | None:
        """The ticks that it added, whether anything was recorded, whether anything rested, how
        often steps stopped coming. None: it did not run.
        """

class torch_session:
    """A submodule."""

    @staticmethod
    def part_path() -> str: ...

    class ProfileSession:
        def __init__(self) -> None: ...
        def begin(self) -> None: ...
        def begin_ns(self) -> int: ...
        def end(self) -> int: ...
        def begin_ticks(self) -> int: ...

    class Notes:
        """Made after the session's end, while its recording is on."""

        def __init__(
            self, session: torch_session.ProfileSession, details: torch_ops.Details | None
        ) -> None: ...

class torch_memory:
    """A submodule."""

    class Memory:
        def attach(self) -> None: ...
        def self_test(self) -> bool: ...
        def on(self) -> None: ...
        def off(self) -> None: ...
        @property
        def off_function(self) -> int:
            """The address of a C function that any thread may call."""

        def close(self) -> None: ...
        def attach_cuda(self) -> bool: ...
        def mark(self, tensors: Iterable[object], role: str) -> None: ...
        def mark_parameters(self, tensors: Iterable[object]) -> None: ...
        def mark_before_step(self, optimizer: object) -> bool: ...
        def has_new_state(self, optimizer: object) -> bool: ...
        def forget_states(self) -> None: ...

    @staticmethod
    def open(
        path: str, tensor: type, parameter: type, disable: type, mode_is_on: Callable[[], bool]
    ) -> Memory: ...

class xplane:
    """A submodule."""

    class OpCalls:
        """Calls of single ops, which the profile shows by their type only."""

        def __init__(self) -> None: ...

    class ProfileWriter:
        """Records what a session of TensorFlow's or JAX's own profiler saw in this process.

        ``resolve`` gets a function and full names of its ops, and returns a call site (0: unknown)
        and whether it is a gradient, for each. The function is the traced one
        (``__inference_step_12``), the module of XLA's instructions, or "". It is called once for
        each op. If it raises, the ops have no call sites.
        """

        def __init__(
            self,
            resolve: Callable[[str, list[str]], list[tuple[int, bool]]],
            *,
            input_hooked: bool,
            dispatch_hooked: bool,
            calls: xplane.OpCalls | None = None,
        ) -> None: ...
        def put(self, space: bytes, begin: torch_ops.Moment, end: torch_ops.Moment) -> int:
            """Records the session's spans and returns their number.

            ``begin`` and ``end`` are ``torch_ops.clock_point()`` around the session.
            """

class LineSession:
    def __init__(self) -> None: ...
    def add(self, code: CodeType, /) -> None: ...
    def enter(self) -> None: ...
    def leave(self) -> None: ...
    def enable(self) -> None: ...
    def disable(self) -> None: ...
    def enable_everywhere(self) -> None: ...
    def depth(self) -> int: ...
    def rows(self, index: int, /) -> list[tuple[int, int, int]]: ...
