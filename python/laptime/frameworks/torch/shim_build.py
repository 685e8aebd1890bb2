"""The shim: a small library that is compiled once against the installed torch and kept in a cache.

Its sources are those of src/collect/torch/shim. An installed package has them in its folder
``shim``. The library's file name holds torch's version, Python's ABI, the compiler's ABI and the
sources' hash. So several versions may share a cache.

A library appears under its name only when it is complete. Processes that build at the same time do
the work twice and end with one file. shim_cache.py manages the cache.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from laptime._messages import say
from laptime.frameworks.torch import shim_cache

SOURCES = Path(__file__).parent / "shim"
# Sources for what torch.profiler's interface shows of ops besides their times.
_DETAILS = {"detail_texts.cpp", "op_details.cpp", "profiler_state.cpp"}
_COMPILERS = ("c++", "g++", "clang++")
# NDEBUG, because torch itself is built with it. Without it RecordFunction has one more member, and
# inputs() reads the wrong memory.
_FLAGS = ("-std=c++20", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-fvisibility=hidden", "-w")
_LONGEST_BUILD_S = 300


class BuildError(Exception):
    """Why there is no shim, in one line."""


@contextlib.contextmanager
def library(torch: ModuleType) -> Iterator[str]:
    """A path from which the loader can load the shim for this torch, within the block. Compiles the
    shim if the cache does not have it.
    """
    name = _file_name(torch)
    descriptor = shim_cache.find(name)
    if descriptor is None:
        descriptor = _build(torch, name)
    try:
        yield f"/proc/self/fd/{descriptor}"
    finally:
        os.close(descriptor)


def is_built(torch: ModuleType) -> bool:
    descriptor = shim_cache.find(_file_name(torch))
    if descriptor is not None:
        os.close(descriptor)
    return descriptor is not None


def _file_name(torch: ModuleType) -> str:
    digest = hashlib.sha256()
    for path in sorted((*SOURCES.glob("*.cpp"), *SOURCES.rglob("*.h"))):
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    digest.update(" ".join((*_FLAGS, str(Path(torch.__file__ or "").parent))).encode())
    abi = "cxx11" if _cxx11_abi(torch) else "cxx98"
    python = sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag
    return f"torch-{torch.__version__}-{python}-{abi}-{digest.hexdigest()[:16]}.so"


def _cxx11_abi(torch: ModuleType) -> bool:
    return bool(torch.compiled_with_cxx11_abi())


def _build(torch: ModuleType, name: str) -> int:
    _compiler()
    say(f"building the op recorder for torch {torch.__version__} (once, about 10 s)…")
    try:
        return shim_cache.add(name, lambda output: _compile_shim(torch, str(output)))
    except OSError as error:
        raise BuildError(f"the op recorder cannot be built: {error}") from None


def _compile_shim(torch: ModuleType, output: str) -> None:
    """Ops must be recorded with every torch. Parts that need more of torch's headers are left out
    if they do not compile.
    """
    sources = sorted(SOURCES.glob("*.cpp"))
    try:
        _compile_with_cuda(torch, sources, output)
    except BuildError:
        _compile_with_cuda(
            torch, [source for source in sources if source.name not in _DETAILS], output
        )
        say(
            "torch.profiler's interface shows no strides, values and numbers of ops: that part"
            " does not compile with this torch"
        )


def _compile_with_cuda(torch: ModuleType, sources: list[Path], output: str) -> None:
    """Adds what follows CUDA's allocator if torch has CUDA and its headers are found. A failure of
    that part does not prevent the rest.
    """
    headers = cuda_headers(torch)
    if headers is not None:
        try:
            return compile_against(
                torch,
                sources,
                output,
                "-DLAPTIME_WITH_CUDA",
                "-isystem",
                str(headers),
                "-lc10_cuda",
            )
        except BuildError as error:
            say(f"the GPU's memory cannot be recorded: {error}")
    compile_against(torch, sources, output)


def cuda_headers(torch: ModuleType) -> Path | None:
    """CUDA's headers: the toolkit's, or those that come with torch's own packages. None if torch
    has no CUDA.
    """
    if torch.version.cuda is None:
        return None
    nvcc = shutil.which("nvcc")
    homes = [
        os.environ.get("CUDA_HOME"),
        os.environ.get("CUDA_PATH"),
        nvcc and Path(nvcc).resolve().parent.parent,
        "/usr/local/cuda",
    ]
    packages = Path(torch.__file__ or "").parent.parent.glob("nvidia/*/include")
    folders = [*(Path(home) / "include" for home in homes if home), *sorted(packages)]
    return next((folder for folder in folders if (folder / "cuda_runtime_api.h").exists()), None)


def _compiler() -> list[str]:
    chosen = shlex.split(os.environ.get("CXX", ""))
    for words in [chosen] if chosen else [[name] for name in _COMPILERS]:
        if shutil.which(words[0]):
            return words
    raise BuildError(f"{chosen[0]} is not found (CXX)" if chosen else "no C++ compiler")


def has_compiler() -> bool:
    try:
        return bool(_compiler())
    except BuildError:
        return False


def compile_against(torch: ModuleType, sources: list[Path], output: str, *more: str) -> None:
    compiler = _compiler()
    root = Path(torch.__file__ or "").parent
    command = [
        *compiler,
        *_FLAGS,
        f"-D_GLIBCXX_USE_CXX11_ABI={int(_cxx11_abi(torch))}",
        "-isystem",
        str(root / "include"),
        "-I",
        str(SOURCES / "include"),
        *map(str, sources),
        "-o",
        output,
        # By name, without a path: torch's own copies are already loaded, and no others may be.
        f"-L{root / 'lib'}",
        "-ltorch_cpu",
        "-lc10",
        *more,
    ]
    # The compiler's temporary files are in the folder of its result, where others cannot change
    # them.
    environment = {**os.environ, "LC_ALL": "C", "TMPDIR": os.path.dirname(os.path.abspath(output))}
    for variable in ("LD_PRELOAD", "LAPTIME_RECORD"):
        environment.pop(variable, None)
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_LONGEST_BUILD_S,
            env=environment,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise BuildError(f"{compiler[0]} did not run: {error}") from None
    if done.returncode != 0:
        raise BuildError(f"{compiler[0]}: {_first_error(done.stderr)}")


def _first_error(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    return next(
        (line for line in lines if "error" in line),
        lines[-1] if lines else "failed without an error message",
    )
