"""Builds bench/python/floor.cpp for the running interpreter, and enables its callback for lines."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import sysconfig
import tempfile
from contextlib import contextmanager
from pathlib import Path
from types import CodeType


def build():
    folder = Path(tempfile.mkdtemp(prefix="laptime-floor-"))
    target = folder / f"floor{sysconfig.get_config_var('EXT_SUFFIX')}"
    source = Path(__file__).with_name("floor.cpp")
    subprocess.run(
        [
            "c++",
            "-std=c++20",
            "-O3",
            "-fPIC",
            "-shared",
            f"-I{sysconfig.get_paths()['include']}",
            str(source),
            "-o",
            str(target),
        ],
        check=True,
    )
    spec = importlib.util.spec_from_file_location("floor", target)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@contextmanager
def on_lines(floor, code: CodeType):
    if sys.version_info < (3, 12):
        floor.trace(True)
        try:
            yield
        finally:
            floor.trace(False)
        return
    monitoring = sys.monitoring
    monitoring.use_tool_id(5, "floor")
    monitoring.register_callback(5, monitoring.events.LINE, floor.callback())
    monitoring.set_local_events(5, code, monitoring.events.LINE)
    try:
        yield
    finally:
        monitoring.set_local_events(5, code, 0)
        monitoring.free_tool_id(5)
