"""Starts the collectors in a process of a run, as the environment requests. Writes its counts at
its end.

`laptime run` becomes the parent of the interpreter that runs the program. So the program has the
process to itself: ``sys.argv``, ``__main__``, ``__file__``, ``sys.path``, stdin, signals,
tracebacks and exit code are the interpreter's own. The collectors start in
``laptime/_site/sitecustomize.py``, before the program's first import, in this process and in every
Python that it starts.

Contract: any failure here is one line on stderr. The program starts all the same. The environment
(src/cli/run/python_start.h):

===================  ===========================================================================
LAPTIME_RECORD       the folder that the processes of the run record into
LAPTIME_PYTHON       JSON: {"lines": bool, "functions": bool, "budget": share or null,
                     "include": [glob], "exclude": [glob], "source": bool,
                     "replace_profilers": bool,
                     "torch": {"ops": bool, "shapes": bool, "memory": bool, "gpu": bool,
                     "steps": [[begin, end], …] or null, "block": bool, "replace_profiler": bool}}
PYTHONPATH           begins with laptime/_site; the user's own entries follow unchanged, with
                     empty ones
===================  ===========================================================================
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from laptime._messages import say

if TYPE_CHECKING:
    from typing import Any

    from laptime.frameworks.jax import Options as JaxOptions
    from laptime.frameworks.tensorflow import Options as TensorflowOptions
    from laptime.frameworks.torch import Options

RECORD_VARIABLE = "LAPTIME_RECORD"
OPTIONS_VARIABLE = "LAPTIME_PYTHON"
_TRIAL_VARIABLE = "LAPTIME_TUNE"  # read by laptime._tune.applied

# Those that are measured from their import to the end.
_FRAMEWORKS = ("torch", "tensorflow", "jax")
# Libraries besides torch that launch GPU work from Python.
_GPU_LIBRARIES = ("jax", "cupy", "numba.cuda")

# The drop-in for each framework's profiler, in laptime.compat.
_DROP_INS = {"tensorflow": "tf_profiler", "jax": "jax_profiler", "keras": "keras"}

# Helpers of multiprocessing, which run none of the user's code.
_HELPERS = ("from multiprocessing.resource_tracker import",)


def start_from_environment(began: tuple[int, int] | None = None) -> None:
    """``began``: when the work for it began, from ``own_time.now()``."""
    if not os.environ.get(RECORD_VARIABLE) or not os.environ.get(OPTIONS_VARIABLE) or _is_helper():
        return
    if not _is_main_interpreter():
        # In the process's environment, where the engines of the main interpreter look for it.
        os.putenv("LAPTIME_SUBINTERPRETERS", str(os.getpid()))
        return
    from laptime.collect.own_time import own_time

    try:
        with own_time(began):
            _start()
    except Exception as error:
        say(f"Python is not measured in process {os.getpid()}: {error}")


def _is_helper() -> bool:
    return any(word.startswith(_HELPERS) for word in sys.orig_argv)


def _is_main_interpreter() -> bool:
    for name in ("_interpreters", "_xxsubinterpreters"):  # since 3.13, and before
        try:
            interpreters = __import__(name)
            return bool(interpreters.get_current() == interpreters.get_main())
        except (ImportError, AttributeError):
            continue
    return True


def _start() -> None:
    import atexit
    import json

    from laptime._native import recording

    # Import closing now: at the end, the program may have left no free descriptor to read it.
    from laptime.collect import closing as closing
    from laptime.collect import engine, fork_warning, sigterm
    from laptime.collect.imports import when_imported

    options = json.loads(os.environ[OPTIONS_VARIABLE])
    if not recording.on():  # the recorder has reported why
        return
    if options["source"]:
        engine.start_sources(include=options["include"], exclude=options["exclude"])
    else:
        recording.set_property("source_text", "left out")
    engine.start_or_warn(
        lines=options["lines"],
        functions=options["functions"],
        builtins=options["functions"],
        budget=options["budget"],
        include=options["include"],
        exclude=options["exclude"],
    )
    if options["lines"] or options["functions"]:
        recording.set_property(
            "python_engines", " ".join(name for name in ("lines", "functions") if options[name])
        )
    shared = {name: options[name] for name in ("budget", "include", "exclude")}
    for_torch: Any = {**options["torch"], **shared}
    replace_profiler = for_torch.pop("replace_profiler")  # whether its names lead to laptime's
    when_imported("torch", lambda: _start_torch(for_torch, replace_profiler))
    for_tensorflow: Any = {**shared, "ops": for_torch["ops"], "steps": for_torch["steps"]}
    for_jax: Any = {**for_tensorflow, "gpu": for_torch["gpu"]}
    when_imported("tensorflow", lambda: _start_tensorflow(for_tensorflow))
    when_imported("keras", _start_keras)
    _share_profilers(options["torch"]["gpu"])
    if options["replace_profilers"]:
        _replace_profilers()
    when_imported("jax", lambda: _start_jax(for_jax))
    if options["torch"]["gpu"]:
        for name in _GPU_LIBRARIES:
            _give_gpu_lines_when_imported(name, options["include"], options["exclude"])
    atexit.register(_stop)
    os.register_at_fork(after_in_child=_stop_with_multiprocessing)
    if sys.version_info >= (3, 12):
        fork_warning.leave_out_our_threads()
    sigterm.write_before(_stop)


def _start_torch(options: Options, replace_profiler: bool) -> None:
    """Runs with the program's import of torch."""
    from laptime.collect.own_time import own_time

    with own_time():
        from laptime.frameworks import torch as torch_collector

        if replace_profiler:
            _replace_torch_profiler()
        torch_collector.start(options)
        _replace_lightning_names()
    if os.environ.get(_TRIAL_VARIABLE):
        from laptime._tune.applied import install

        install()


def _start_tensorflow(options: TensorflowOptions) -> None:
    """Runs with the program's import of tensorflow."""
    from laptime.collect.own_time import own_time

    with own_time():
        from laptime.frameworks import tensorflow as tensorflow_collector

        tensorflow_collector.start(options)


def _start_keras() -> None:
    """Runs with the program's import of keras, after that of its backend."""
    from laptime.collect.own_time import own_time

    with own_time():
        from laptime.frameworks.keras import watch_loops

        watch_loops()


def _start_jax(options: JaxOptions) -> None:
    """Runs with the program's import of jax."""
    from laptime.collect.own_time import own_time

    with own_time():
        from laptime.frameworks import jax as jax_collector

        jax_collector.start(options)


def _replace_torch_profiler() -> None:
    from laptime.frameworks.torch.sources import report_off

    try:
        from laptime.compat import torch_profiler

        torch_profiler.install()
    except Exception as error:
        report_off("profiler's replacement", error)


def _replace_lightning_names() -> None:
    from laptime.compat.lightning.replacing import replace_names

    replace_names()


def _share_profilers(gpu: bool) -> None:
    """A program that starts its framework's own profiler gets it."""
    from laptime.collect.imports import when_imported

    def share_tensorflow() -> None:
        from laptime.frameworks.tensorflow.profiler import make_way

        make_way()

    def share_jax() -> None:
        from laptime.frameworks.jax.profiler import make_way

        make_way(gpu=gpu and "torch" not in sys.modules)  # torch's session has the GPU itself

    when_imported("tensorflow", share_tensorflow)
    when_imported("jax", share_jax)


def _replace_profilers() -> None:
    """The names of the frameworks' profilers lead to laptime's."""
    import functools

    from laptime.collect.imports import when_imported

    for framework, module in _DROP_INS.items():
        when_imported(framework, functools.partial(_install_drop_in, framework, module))


def _install_drop_in(framework: str, module: str) -> None:
    from importlib import import_module

    try:
        import_module(f"laptime.compat.{module}").install()
    except Exception as error:
        say(f"{framework}'s profiler is not replaced: {error}")


def _give_gpu_lines_when_imported(library: str, include: list[str], exclude: list[str]) -> None:
    from laptime.collect.imports import when_imported

    when_imported(library, lambda: _give_gpu_lines(library, include, exclude))


def _give_gpu_lines(library: str, include: list[str], exclude: list[str]) -> None:
    if "torch" in sys.modules:  # whose session configures this itself
        return
    from laptime.collect.cuda import give_lines

    give_lines(include, exclude)
    if library == "jax":
        from laptime.frameworks.jax.compiled_lines import watch_compilations

        watch_compilations()


def _stop() -> None:
    """Writes the last counts while the interpreter still runs."""
    from laptime.collect import sigterm

    sigterm.writing(_write)


def _write() -> None:
    from laptime._native import recording, sigterm

    try:
        _write_counts()
    except Exception as error:
        say(f"the last counts of process {os.getpid()} are not complete: {error}")
        recording.warn(
            "counts_incomplete",
            f"processes whose last counts could not be written; the first error: {error}",
        )
    recording.stop()
    sigterm.uninstall()


def _write_counts() -> None:
    from laptime._native import recording
    from laptime.collect.closing import write_closing_facts
    from laptime.collect.own_time import own_time

    with own_time() as work:
        _end_collectors()
        write_closing_facts()
        wall_ns, cpu_ns = work.so_far()
        recording.set_property("own_time_ns", wall_ns)
        recording.set_property("own_cpu_ns", cpu_ns)


def _end_collectors() -> None:
    if (blocks := sys.modules.get("laptime._recording")) is not None:
        blocks.end_inner()
    for framework in _FRAMEWORKS:
        if (started := sys.modules.get(f"laptime.frameworks.{framework}")) is not None:
            started.stop()


def _stop_with_multiprocessing() -> None:
    """Covers workers that multiprocessing forks: they leave by os._exit, but run multiprocessing's
    finalizers before.

    A child drops its parent's finalizers. So ours is added after that.
    """
    util = sys.modules.get("multiprocessing.util")
    if util is not None:
        util.register_after_fork(_stop, lambda stop: util.Finalize(None, stop, exitpriority=-100))
