"""Python imports this when it starts in a process of `laptime run`, before the program. Its folder
is on PYTHONPATH.

It removes its folder from the program's sys.path, runs the sitecustomize that it hides, and starts
the collectors. Afterwards ``sys.modules`` and ``sys.path`` are as they would be without it. Any
Python may find this file. A Python without laptime, or with an older one, continues as if the file
did not exist.
"""

import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))


def _package_parent() -> "str | None":
    """The folder of this interpreter's laptime: here, or where the interpreter has its packages.
    None: it has none.
    """
    from _frozen_importlib_external import PathFinder

    given = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    entries = {os.path.abspath(entry) for entry in given}
    for parent in [
        os.path.dirname(os.path.dirname(_folder)),
        *(entry for entry in sys.path if entry not in entries),
    ]:
        package = os.path.join(parent, "laptime")
        if os.path.exists(os.path.join(package, "_standard_library.py")) and PathFinder.find_spec(
            "laptime._native", [package]
        ):
            return parent
    return None


def _start() -> None:
    try:
        import time

        began = time.perf_counter_ns(), time.thread_time_ns()
        from _frozen_importlib import module_from_spec
        from _frozen_importlib_external import spec_from_file_location

        parent = _package_parent()
        if parent is None:
            return
        spec = spec_from_file_location(
            "laptime._standard_library", os.path.join(parent, "laptime", "_standard_library.py")
        )
        if spec is None or spec.loader is None:
            return
        library = module_from_spec(spec)
        spec.loader.exec_module(library)
        sys.modules[spec.name] = library
        library.install(parent)
        with library.StandardImports():
            from laptime._collectors import start_from_environment

            start_from_environment(began)
    except Exception:
        pass


sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != _folder]
sys.path_importer_cache.pop(_folder, None)
del sys.modules["sitecustomize"]
try:
    import sitecustomize  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
finally:  # if there is none, site expects exactly this ImportError
    _start()
