"""The base of profilers that are enabled by count.

It has the wrapping, the running and the context manager.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from laptime.compat.line_profiler import callables

Self = TypeVar("Self", bound="CountedProfiler")
_MARK = "__line_profiler_id__"


class CountedProfiler:
    def enable_by_count(self) -> None:
        raise NotImplementedError

    def disable_by_count(self) -> None:
        raise NotImplementedError

    def wrap_callable(self, func: Any) -> Any:
        """The callable, with the profiler on while it runs. Classes are changed in place. C code
        stays unchanged.
        """
        if callables.is_written_in_c(func) or self._already_a_wrapper(func):
            return func
        if isinstance(func, type):
            return self.wrap_class(func)
        rebuilt = callables.rebuilt(func, self.wrap_callable)
        if rebuilt is not None:
            return rebuilt
        if not callable(func):
            raise TypeError(f"func = {func!r}: does not look like a callable or callable wrapper")
        return self._mark_wrapper(
            callables.around_calls(func, self.enable_by_count, self.disable_by_count)
        )

    def wrap_class(self, cls: type) -> type:
        self._wrap_members(cls, callables.members_to_wrap(cls))
        return cls

    def _wrap_members(self, namespace: Any, members: Mapping[str, Any]) -> None:
        failures = {}
        for name, member in members.items():
            wrapper = self.wrap_callable(member)
            if wrapper is member:
                continue
            try:
                setattr(namespace, name, wrapper)
            except (TypeError, AttributeError):
                failures[name] = member
        if failures:
            warnings.warn(
                f"cannot wrap {len(failures)} attribute(s) of {namespace!r} (`{{attr: value}}`):"
                f" {failures!r}",
                stacklevel=3,
            )

    def _already_a_wrapper(self, func: Any) -> bool:
        return getattr(func, _MARK, None) == id(self)

    def _mark_wrapper(self, wrapper: Callable[..., Any]) -> Callable[..., Any]:
        setattr(wrapper, _MARK, id(self))
        return wrapper

    def run(self: Self, cmd: str) -> Self:
        """Profiles a statement in the main namespace."""
        import __main__

        return self.runctx(cmd, __main__.__dict__, __main__.__dict__)

    def runctx(
        self: Self, cmd: Any, globals: dict[str, Any], locals: Mapping[str, Any] | None
    ) -> Self:
        """Profiles a statement in the given namespaces."""
        self.enable_by_count()
        try:
            exec(cmd, globals, locals)
        finally:
            self.disable_by_count()
        return self

    def runcall(self, func: Callable[..., Any], /, *args: Any, **kw: Any) -> Any:
        """Profiles one call and returns what it returns."""
        self.enable_by_count()
        try:
            return func(*args, **kw)
        finally:
            self.disable_by_count()

    def __enter__(self: Self) -> Self:
        self.enable_by_count()
        return self

    def __exit__(self, *_: object) -> None:
        self.disable_by_count()
