"""Records torch's ops: ``source = load()``, then ``source.on()`` and ``source.off()`` around what
should be recorded.

There are three ways. The best one that works is chosen:

- a shim compiled against this torch
- a prebuilt recorder that comes with laptime and needs no compiler
- torch's own profiler

The run's property ``torch_ops`` names the chosen one. A way that fails its self-test is not chosen.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from types import ModuleType
from typing import NamedTuple

from laptime._messages import say
from laptime._native import torch_ops as _native
from laptime.collect.engine import framework_folders, library_paths
from laptime.collect.signal_handlers import raised_by_handler
from laptime.frameworks.torch import ops_calibration, ops_profiler, ops_self_test, shim_build
from laptime.frameworks.torch.op_source import OpSource


def load(
    shapes: bool = False,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
    frames: bool = False,
) -> OpSource:
    """The source of ops for the torch that the program has imported. Raises nothing of its own.
    Reports what is missing in one line on stderr.

    - ``shapes``: also records shapes, types and FLOPs of each op.
    - ``include``, ``exclude``: globs on file names; they decide which lines are the user's own.
    - ``frames``: records all Python frames with each op.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        return _Off("torch is not imported")
    try:
        _native.configure(
            library_paths=library_paths(),
            include=list(include),
            exclude=list(exclude),
            framework_folders=framework_folders(torch),
            module_call=torch.nn.Module.__call__.__code__,
            module_type=torch.nn.Module,
        )
        return _best_source(torch, _Details(shapes, frames))
    except Exception as error:
        if raised_by_handler(error):
            raise
        return _report_off(str(error) or type(error).__name__)


class _Details(NamedTuple):
    """What is recorded of an op besides its name and times."""

    shapes: bool
    frames: bool


def _best_source(torch: ModuleType, details: _Details) -> OpSource:
    reasons = []
    for open_source in (_compiled, _prebuilt, _profiler):
        try:
            source = open_source(torch, details)
        except (shim_build.BuildError, RuntimeError) as error:
            reasons.append(str(error))
            continue
        if reasons:
            lacks = "; no shapes" if details.shapes and source.kind == "prebuilt" else ""
            say(f"ops are recorded with {source.kind}{lacks}: {'; '.join(reasons)}")
        return source
    return _report_off("; ".join(reasons))


def _compiled(torch: ModuleType, details: _Details) -> OpSource:
    with shim_build.library(torch) as path:
        source = _native.open_compiled(path)
    return _checked(source, "compiled", torch, details)


def _prebuilt(torch: ModuleType, details: _Details) -> OpSource:
    ops_calibration.calibrate(torch)
    return _checked(_native.open_prebuilt(), "prebuilt", torch, details._replace(shapes=False))


def _profiler(torch: ModuleType, details: _Details) -> OpSource:
    return ops_profiler.ProfilerOps(torch, details.shapes)


def _checked(source: _native.Source, kind: str, torch: ModuleType, details: _Details) -> OpSource:
    problem = ops_self_test.problem_of(source, torch)
    if problem:
        raise RuntimeError(f"the {kind} op recorder failed its self-test: {problem}")
    return _Callbacks(source, kind, torch, details)


def _report_off(reason: str) -> OpSource:
    say(f"ops are not recorded: {reason}")
    return _Off(reason)


class _Callbacks(OpSource):
    def __init__(
        self, source: _native.Source, kind: str, torch: ModuleType, details: _Details
    ) -> None:
        super().__init__(kind)
        # Only the callbacks: these may be switched on any thread.
        self._request = source.request(inputs=details.shapes, frames=details.frames)
        self._open = True
        # Modules are reported while the program builds its models, so no search is needed later.
        self._parents = torch.nn.modules.module.register_module_module_registration_hook(
            _native.note_parent
        )

    @property
    def request(self) -> _native.Request:
        return self._request

    @property
    def events(self) -> int:
        return _native.count()

    def on(self) -> None:
        if self._open:
            self.write_kind()
            self._request.on()

    def off(self) -> None:
        self._request.off()
        _native.name_modules()

    def close(self) -> None:
        self.off()
        self._open = False
        self._parents.remove()


class _Off(OpSource):
    def __init__(self, reason: str) -> None:
        super().__init__(f"off: {reason}")

    def on(self) -> None:
        self.write_kind()

    def off(self) -> None: ...
    def close(self) -> None: ...
