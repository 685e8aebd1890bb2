"""Runs an action when a module has been imported, whoever imports it and whenever.

Nothing here imports the module.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType

from laptime._native import Around


def when_imported(name: str, action: Callable[[], None]) -> Callable[[], None]:
    """Calls ``action`` once the module exists: now, or right after its import.

    A failure of the action is one line on stderr. Returns a function that cancels the hook.
    """
    if _is_complete(name):
        action()
        return lambda: None
    watcher = _Watcher(name, action)
    sys.meta_path.insert(0, watcher)
    return watcher.forget


def _is_complete(name: str) -> bool:
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


class _Watcher:
    """A finder that finds nothing itself. It runs the action after the loader that the other
    finders return.
    """

    def __init__(self, name: str, action: Callable[[], None]) -> None:
        self._name = name
        self._action = action
        self._active = True

    def forget(self) -> None:
        self._active = False
        self._leave()

    def _leave(self) -> None:
        """Replaces the list, because another thread may be iterating over the present one."""
        sys.meta_path = [finder for finder in sys.meta_path if finder is not self]

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if name != self._name:
            return None
        self._leave()
        spec = find_spec(name)
        if spec is not None and spec.loader is not None:
            self._follow(spec.loader)
        else:
            sys.meta_path.insert(0, self)
        return spec

    def _follow(self, loader: object) -> None:
        execute = loader.exec_module  # type: ignore[attr-defined]

        def executed(module: ModuleType, _: object, raised: type[BaseException] | None) -> None:
            vars(loader).pop("exec_module", None)  # another watcher may have removed it
            if not self._active:
                return
            if raised is None:
                self._action()
            else:
                sys.meta_path.insert(0, self)  # the program may try again

        loader.exec_module = Around(execute, None, executed)  # type: ignore[attr-defined]
