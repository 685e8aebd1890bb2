"""``kernprof -l -p TARGET``: profiles modules, classes and functions by name, and whole scripts, without a decorator.

A target is a file, a module, a package with all that is in it (``package.__init__``: without), or an object in a module.
All are imported before the program starts, but the program itself: its functions are found in its compiled code.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import os
import pkgutil
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType
from typing import Any

from laptime._program import ProgramError, find_script, main_module, read_script
from laptime.compat.line_profiler.profiler import LineProfiler

_FUNCTION = CO_NEWLOCALS | CO_OPTIMIZED


def run(profiler: LineProfiler, path: str | None, options: Namespace) -> None:
    """Runs the script at `path`, or the module `options.script`, with the targets of `options.prof_mod` profiled."""
    targets = _normalized(options.prof_mod)
    file, code, module_attributes = _module_to_run(options.script) if path is None else (path, read_script(path), {})
    whole, others = _without_program(targets, file, options.script if path is None else None)
    if not options.preimports:
        others = [name for name in _imported_names(file) if _is_of(name, others)]
    if options.prof_imports and whole:
        others += [name for name in _imported_names(file) if name not in others]
    _profile_imports(profiler, others)
    if whole:
        for function in functions_in(code):
            profiler.add_code(function)
        profiler.enable_everywhere()
    namespace = vars(main_module(file))
    namespace.update(module_attributes)
    exec(code, namespace)


def _normalized(targets: Iterable[str]) -> list[str]:
    """Files as absolute paths, the rest split at commas; an empty target clears those before it."""
    result: dict[str, None] = {}
    for target in targets:
        if not target:
            result.clear()
            continue
        for part in [target] if _file(target) else target.split(","):
            result.setdefault(_file(part) or part)
    return list(result)


def _file(target: str) -> str | None:
    if os.path.isdir(target) and os.sep in target:
        return os.path.abspath(target)
    try:
        return os.path.abspath(find_script(target))
    except ProgramError:
        return None


def _module_to_run(name: str) -> tuple[str, CodeType, dict[str, Any]]:
    """File, code and the attributes that make it this module: its relative imports and children need them."""
    spec = importlib.util.find_spec(name)
    if spec is not None and spec.submodule_search_locations is not None:
        spec = importlib.util.find_spec(f"{name}.__main__")
    code = spec.loader.get_code(spec.name) if spec and spec.loader and hasattr(spec.loader, "get_code") else None
    if spec is None or code is None:
        print(f"Could not find module `{name}`", file=sys.stderr)
        raise SystemExit(1)
    sys.argv[0] = spec.origin or name
    return spec.origin or name, code, {"__spec__": spec, "__package__": spec.parent, "__loader__": spec.loader}


def _without_program(targets: list[str], file: str, module: str | None) -> tuple[bool, list[str]]:
    """Whether the program is among the targets, and the other targets."""
    program = {os.path.realpath(file)}
    if os.path.basename(file) == "__main__.py":
        program.add(os.path.realpath(os.path.dirname(file)))
    others = [t for t in targets if os.path.realpath(t) not in program and t not in (module, f"{module}.__main__")]
    return len(others) < len(targets), others


def functions_in(code: CodeType) -> list[CodeType]:
    """Outer functions before those inside them, which exist only when the outer ones have run."""
    found, inner = [], [code]
    while inner:
        level, inner = inner, []
        for outer in level:
            for function in _defined_in(outer):
                found.append(function)
                inner.append(function)
    return found


def _defined_in(code: CodeType) -> Iterator[CodeType]:
    """Functions that this code defines, also through classes. Lambdas and comprehensions are their lines' own."""
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            continue
        if constant.co_flags & _FUNCTION == _FUNCTION and not constant.co_name.startswith("<"):
            yield constant
        elif constant.co_flags & _FUNCTION != _FUNCTION or constant.co_name.startswith("<generic"):
            yield from _defined_in(constant)


def _imported_names(file: str) -> Iterator[str]:
    """What the top level of a source file imports, in dotted form; relative imports are left out."""
    with open(file, "rb") as source:
        tree = ast.parse(source.read())
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
        elif isinstance(statement, ast.ImportFrom) and statement.module and not statement.level:
            yield from (f"{statement.module}.{name.name}" for name in statement.names if name.name != "*")


def _is_of(imported: str, targets: Iterable[str]) -> bool:
    """Whether an imported name is a target or comes from one."""
    names = (_module_name(target) if os.path.isabs(target) else target.removesuffix(".__init__") for target in targets)
    return any(f"{imported}.".startswith(f"{name}.") for name in names)


def _profile_imports(profiler: LineProfiler, targets: list[str]) -> None:
    failures = []
    for target in targets:
        name = _module_name(target) if os.path.isabs(target) else target
        try:
            items = list(_import(name))
        except (ImportError, AttributeError):
            failures.append(target)
            continue
        for item in items:
            profiler.add_imported_function_or_module(item)
    if failures:
        plural = "" if len(failures) == 1 else "s"
        warnings.warn(f"{len(failures)} target{plural} cannot be imported: {failures!r}", stacklevel=2)


def _module_name(path: str) -> str:
    """The dotted name of a file, from its outermost package on."""
    stem = path.removesuffix(".py")
    folder, name = os.path.split(stem)
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    return name


def _import(name: str) -> Iterator[Any]:
    """The module, or the object in a module, of that name; a package's modules after it."""
    only_package = name.endswith(".__init__")
    module_name = name.removesuffix(".__init__")
    attributes: list[str] = []
    while True:
        try:
            module = importlib.import_module(module_name)
            break
        except ModuleNotFoundError as error:
            outer, _, attribute = module_name.rpartition(".")
            if not outer or not error.name or not f"{module_name}.".startswith(f"{error.name}."):
                raise
            module_name, attributes = outer, [attribute, *attributes]
    item: Any = module
    for attribute in attributes:
        item = getattr(item, attribute)
    yield item
    if not attributes and not only_package and hasattr(module, "__path__"):
        yield from _modules_in(module)


def _modules_in(package: Any) -> Iterator[Any]:
    for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", onerror=lambda _: None):
        if info.name.endswith(".__main__"):
            continue
        try:
            yield importlib.import_module(info.name)
        except Exception:  # a part of the package that cannot be imported here is not what was asked for
            continue
