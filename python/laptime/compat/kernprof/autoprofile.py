"""``kernprof -l -p TARGET``: profiles modules, classes and functions by name, and whole scripts,
without a decorator.

A target is a file, a module, a package with all its modules (``package.__init__``: without them),
or an object in a module. All targets except the program are imported before the program starts. The
program's functions are found in its compiled code.
"""

from __future__ import annotations

import ast
import importlib
import os
import pkgutil
import sys
import warnings
from argparse import Namespace
from collections.abc import Iterable, Iterator
from importlib.machinery import ModuleSpec
from inspect import CO_NEWLOCALS, CO_OPTIMIZED
from types import CodeType
from typing import Any, NamedTuple

from laptime.compat.line_profiler.profiler import LineProfiler
from laptime.compat.program import ProgramError, find_script, main_module, read_script

_FUNCTION = CO_NEWLOCALS | CO_OPTIMIZED


class _Program(NamedTuple):
    """The program. ``name`` and ``package`` are empty for a script, which is no module."""

    file: str
    code: CodeType
    name: str = ""
    package: str = ""

    def is_at(self, target: str) -> bool:
        path = os.path.realpath(target)
        folder, name = os.path.split(os.path.realpath(self.file))
        return path == os.path.join(folder, name) or (path == folder and name == "__main__.py")

    def lies_in(self, target: str) -> bool:
        """Whether a module's or package's name includes the program."""
        return bool(self.name) and f"{self.name}.".startswith(f"{target}.")


def run(
    profiler: LineProfiler, path: str | None, module: ModuleSpec | None, options: Namespace
) -> None:
    """Runs the script at `path`, or the module, with the targets of `options.prof_mod` profiled."""
    targets = _normalized(options.prof_mod)
    program = _Program(path or "", read_script(path)) if module is None else _module_to_run(module)  # type: ignore[arg-type]
    whole, others = _without_program(targets, program)
    if not options.preimports:
        others = [name for name in _imported_names(program) if _is_of(name, others)]
    if options.prof_imports and whole:
        others += [name for name in _imported_names(program) if name not in others]
    _profile_imports(profiler, others, program)
    if whole:
        for function in functions_in(program.code):
            profiler.add_code(function)
        profiler.enable_everywhere()
    namespace = vars(main_module(program.file))
    if module is not None:  # relative imports and children need these
        namespace.update(__spec__=module, __package__=program.package, __loader__=module.loader)
    exec(program.code, namespace)


def _normalized(targets: Iterable[str]) -> list[str]:
    """The targets: files as absolute paths, others split at commas. An empty target clears those
    before it.
    """
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


def _module_to_run(spec: ModuleSpec) -> _Program:
    file = spec.origin or spec.name
    sys.argv[0] = file
    return _Program(file, spec.loader.get_code(spec.name), spec.name, spec.parent or "")  # type: ignore[union-attr]


def _without_program(targets: list[str], program: _Program) -> tuple[bool, list[str]]:
    """Whether the program is a target, and the other targets. A target that is a package also
    stands for its other modules.
    """
    whole, others = False, []
    for target in targets:
        name = _module_name(target) if os.path.isabs(target) else target
        whole = whole or program.is_at(target) or program.lies_in(name)
        if program.lies_in(name):
            others += [name] if name != program.name else []
        elif not program.is_at(target):
            others.append(target)
    return whole, others


def functions_in(code: CodeType) -> list[CodeType]:
    """Outer functions before inner ones, which exist only after the outer ones have run."""
    found, inner = [], [code]
    while inner:
        level, inner = inner, []
        for outer in level:
            for function in _defined_in(outer):
                found.append(function)
                inner.append(function)
    return found


def _defined_in(code: CodeType) -> Iterator[CodeType]:
    """Functions that this code defines, also in classes. Lambdas and comprehensions count as lines
    of their function.
    """
    for constant in code.co_consts:
        if not isinstance(constant, CodeType):
            continue
        if constant.co_flags & _FUNCTION == _FUNCTION and not constant.co_name.startswith("<"):
            yield constant
        elif constant.co_flags & _FUNCTION != _FUNCTION or constant.co_name.startswith("<generic"):
            yield from _defined_in(constant)


def _imported_names(program: _Program) -> Iterator[str]:
    """What the top level of the program imports, as dotted names."""
    with open(program.file, "rb") as source:
        tree = ast.parse(source.read())
    for statement in tree.body:
        if isinstance(statement, ast.Import):
            yield from (name.name for name in statement.names)
        elif isinstance(statement, ast.ImportFrom) and (not statement.level or program.package):
            module = _absolute_name(statement, program.package)
            yield from (f"{module}.{name.name}" for name in statement.names if name.name != "*")


def _absolute_name(statement: ast.ImportFrom, package: str) -> str:
    if not statement.level:
        return statement.module or ""
    outer = package.split(".")[: len(package.split(".")) - (statement.level - 1)]
    return ".".join([*outer, *([statement.module] if statement.module else [])])


def _is_of(imported: str, targets: Iterable[str]) -> bool:
    """Whether an imported name is a target or belongs to one."""
    names = (
        _module_name(target) if os.path.isabs(target) else target.removesuffix(".__init__")
        for target in targets
    )
    return any(f"{imported}.".startswith(f"{name}.") for name in names)


def _profile_imports(profiler: LineProfiler, targets: list[str], program: _Program) -> None:
    failures = []
    for target in targets:
        name = _module_name(target) if os.path.isabs(target) else target
        if not all(name.split(".")):  # no module has such a name
            failures.append(target)
            continue
        try:
            items = list(_import(name, program))
        except (ImportError, AttributeError):
            failures.append(target)
            continue
        for item in items:
            profiler.add_imported_function_or_module(item)
    if failures:
        plural = "" if len(failures) == 1 else "s"
        warnings.warn(
            f"{len(failures)} profiling target{plural} cannot be imported: {failures!r}",
            stacklevel=2,
        )


def _module_name(path: str) -> str:
    """The dotted name of a file, from its outermost package on."""
    stem = path.removesuffix(".py")
    folder, name = os.path.split(stem)
    while os.path.exists(os.path.join(folder, "__init__.py")):
        folder, package = os.path.split(folder)
        name = f"{package}.{name}"
    return name


def _import(name: str, program: _Program) -> Iterator[Any]:
    """The module of that name, or the object in a module. For a package also its modules, without
    the program.
    """
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
        yield from _modules_in(module, program)


def _modules_in(package: Any, program: _Program) -> Iterator[Any]:
    for info in pkgutil.walk_packages(
        package.__path__, f"{package.__name__}.", onerror=lambda _: None
    ):
        if info.name.endswith(".__main__") or info.name == program.name:
            continue
        try:
            yield importlib.import_module(info.name)
        except (
            Exception
        ):  # a module of the package that cannot be imported here, but was not requested itself
            continue
