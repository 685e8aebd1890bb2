"""The standard library, as laptime's modules import it in a process of `laptime run`.

A program may have a json.py of its own. So may the current folder and the entries of PYTHONPATH.

Contract:

- laptime's modules always get the standard library's modules, whatever the program has under their
  names.
- The program gets the modules that it gets without laptime. A module that only laptime has imported
  is not in ``sys.modules``. If the program's own search finds the same file, the program gets the
  same module object.
- ``laptime`` itself is the one that records, even if the program has another module of this name.

laptime/_site/sitecustomize.py runs this file before anything else of the package. It imports only
what is built in or frozen.
"""

import builtins
import os  # already loaded by site, so no other module can replace it
import sys
from _frozen_importlib import BuiltinImporter, FrozenImporter, ModuleSpec, _ModuleLockManager  # type: ignore[attr-defined]
from _frozen_importlib_external import FileLoader, PathFinder, SourceFileLoader
from _thread import RLock, get_ident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import ModuleType
    from typing import Any

_VERSION = f"python{sys.version_info.major}.{sys.version_info.minor}"
_FOLDERS = [
    os.path.dirname(os.__file__),
    os.path.join(os.path.dirname(os.__file__), "lib-dynload"),
    os.path.join(sys.base_exec_prefix, sys.platlibdir, _VERSION, "lib-dynload"),
]

_NAMES = sys.stdlib_module_names | {"_interpreters", "_xxsubinterpreters"}

_import_plainly = builtins.__import__  # the program may replace it
_lock = RLock()
_kept: "dict[str, ModuleType]" = {}  # imported by laptime, but not by the program


def install(package_parent: str) -> None:
    """From now on `laptime` is the package in this folder."""
    sys.meta_path.insert(0, _Finder(package_parent))
    os.register_at_fork(
        before=_lock.acquire, after_in_parent=_lock.release, after_in_child=_lock.release
    )


def _is_standard(module: object) -> bool:
    spec = getattr(module, "__spec__", None)
    origin = getattr(spec, "origin", None)
    if not isinstance(origin, str):
        return False
    folder = os.path.dirname(origin)
    if getattr(spec, "submodule_search_locations", None) is not None:
        folder = os.path.dirname(folder)
    return origin in ("built-in", "frozen") or folder in _FOLDERS


def _is_there(name: str, fromlist: "Sequence[str] | None") -> bool:
    """Whether the import loads nothing and finds the standard library's module."""
    module = sys.modules.get(name)
    return (
        module is not None
        and _is_standard(sys.modules.get(name.partition(".")[0]))
        and all(hasattr(module, each) for each in fromlist or ())
    )


def _import(
    name: str,
    globals: "Mapping[str, object] | None" = None,
    locals: "Mapping[str, object] | None" = None,
    fromlist: "Sequence[str] | None" = (),
    level: int = 0,
) -> "ModuleType":
    """``__import__`` of laptime's modules."""
    if level or name.partition(".")[0] not in _NAMES or _is_there(name, fromlist):
        return _import_plainly(name, globals, locals, fromlist or (), level)
    with StandardImports():
        module = _import_plainly(name, globals, locals, fromlist or ())
    # The interpreter's PyImport_Import looks there next.
    if type(fromlist) is list and name not in sys.modules:
        sys.modules[name] = _kept.pop(name)
    return module


class StandardImports:
    """While a thread is in this block, its imports search the standard library first. Blocks may
    nest.

    Assumption: meanwhile, no other thread of the program imports for the first time a module of its
    own that has a standard name.
    """

    _depth = 0
    thread = 0
    # No ClassVar: this file cannot import typing.
    loaded: list[str] = []  # noqa: RUF012  by this thread
    # The program's modules that have standard names.
    _aside: "dict[str, ModuleType]" = {}  # noqa: RUF012

    def __enter__(self) -> None:
        _lock.acquire()
        StandardImports._depth += 1
        if StandardImports._depth == 1:
            tops = {
                name
                for name in _NAMES
                if name in sys.modules and not _is_standard(sys.modules[name])
            }
            names = (
                [name for name in list(sys.modules) if name.partition(".")[0] in tops]
                if tops
                else []
            )
            StandardImports._aside = {name: sys.modules.pop(name) for name in names}
            StandardImports.thread = get_ident()

    def __exit__(self, *_: object) -> None:
        StandardImports._depth -= 1
        if StandardImports._depth == 0:
            StandardImports.thread = 0
            while StandardImports.loaded:
                name = StandardImports.loaded.pop()
                with _ModuleLockManager(name):  # another thread may be importing it
                    module = sys.modules.pop(name, None)
                if module is not None:
                    _kept[name] = module
            sys.modules.update(StandardImports._aside)
            StandardImports._aside = {}
        _lock.release()


class _Finder:
    """The first finder. It finds nothing unless laptime imports, or the program imports what
    laptime has already imported.
    """

    def __init__(self, package_parent: str) -> None:
        self._package_parent = package_parent

    def find_spec(
        self, name: str, path: "Sequence[str] | None" = None, target: "ModuleType | None" = None
    ) -> ModuleSpec | None:
        top = name.partition(".")[0]
        if target is not None:  # importlib.reload
            return None
        if top == "laptime":
            return _own_spec(name, path or [self._package_parent])
        if get_ident() == StandardImports.thread and top in _NAMES:
            return _standard_spec(name, path)
        return self._known_to_program(name, path) if name in _kept else None

    def _known_to_program(self, name: str, path: "Sequence[str] | None") -> ModuleSpec | None:
        for finder in list(sys.meta_path):
            find = getattr(finder, "find_spec", None)
            spec: ModuleSpec | None = (
                find(name, path) if find is not None and finder is not self else None
            )
            if spec is not None:
                _hand_over(spec)
                return spec
        return None


def _standard_spec(name: str, path: "Sequence[str] | None") -> ModuleSpec:
    spec = BuiltinImporter.find_spec(name)
    if spec is not None:
        return spec
    spec = FrozenImporter.find_spec(name) or PathFinder.find_spec(
        name, _FOLDERS if path is None else path
    )
    if spec is None:
        raise ModuleNotFoundError(f"No module named {name!r}", name=name)
    _hand_over(spec)
    StandardImports.loaded.append(name)
    return spec


def _hand_over(spec: ModuleSpec) -> None:
    """The kept module gets this spec if it is from the same file. A frozen module is made anew."""
    kept, loader = _kept.get(spec.name), spec.loader
    if (
        kept is None
        or not isinstance(loader, FileLoader)
        or getattr(kept.__spec__, "origin", None) != spec.origin
    ):
        return
    create, execute = loader.create_module, loader.exec_module

    def create_once(spec: ModuleSpec) -> "ModuleType | None":
        return kept if _kept.pop(spec.name, None) is kept else create(spec)

    def execute_unless_kept(module: "ModuleType") -> None:
        del loader.create_module, loader.exec_module
        if module is not kept:
            execute(module)

    loader.create_module, loader.exec_module = create_once, execute_unless_kept


class _OwnLoader(SourceFileLoader):
    def exec_module(self, module: "ModuleType") -> None:
        module.__dict__["__builtins__"] = _builtins
        super().exec_module(module)


def _own_spec(name: str, path: "Sequence[str]") -> ModuleSpec | None:
    spec = PathFinder.find_spec(name, path)
    if spec is not None and type(spec.loader) is SourceFileLoader:
        spec.loader = _OwnLoader(name, spec.loader.path)
    return spec


_builtins: "dict[str, Any]" = {**vars(builtins), "__import__": _import}
