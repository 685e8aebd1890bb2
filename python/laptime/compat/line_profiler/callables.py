"""Finds the functions behind a callable, and makes the same callable with code around each call.

Covers functions, generators, coroutines, async generators, classes, properties, partials, and
bound, class and static methods. C code has no lines and stays unchanged.
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Iterator
from typing import Any

from laptime.compat.line_profiler.scoping import ScopingPolicy, scope_of

_WRITTEN_IN_C = (
    types.BuiltinFunctionType,
    types.BuiltinMethodType,
    types.ClassMethodDescriptorType,
    types.MethodDescriptorType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
)
_HOLDERS = (classmethod, staticmethod, types.MethodType)  # of __func__
_PARTIALS = (functools.partial, functools.partialmethod)
_MEMBER_POLICY = ScopingPolicy.CHILDREN


def is_written_in_c(item: object) -> bool:
    return isinstance(item, _WRITTEN_IN_C)


def functions_of(item: Any) -> list[types.FunctionType]:
    """The Python functions behind a callable. TypeError if it cannot be called."""
    return [found for found in _parts(item, set(), False) if isinstance(found, types.FunctionType)]


def members_to_wrap(cls: type) -> dict[str, Any]:
    """What a class itself defines and can be called."""
    scope = scope_of(cls, _MEMBER_POLICY)
    members = {}
    for name, member in vars(cls).items():
        try:
            parts = list(_parts(member, set(), True))
        except TypeError:
            continue
        if any(
            scope.enters_class(part) if isinstance(part, type) else scope.takes_function(part)
            for part in parts
        ):
            members[name] = member
    return members


def _parts(item: Any, seen: set[int], stop_at_classes: bool) -> Iterator[Any]:
    if isinstance(item, _HOLDERS):
        yield from _parts(item.__func__, seen, stop_at_classes)
    elif isinstance(item, (*_PARTIALS, functools.cached_property)):
        yield from _parts(item.func, seen, stop_at_classes)
    elif isinstance(item, property):
        for function in (item.fget, item.fset, item.fdel):
            if function is not None:
                yield from _parts(function, seen, stop_at_classes)
    elif isinstance(item, type):
        yield from [item] if stop_at_classes else _parts_of_class(item, seen)
    elif not callable(item):
        raise TypeError(f"func = {item!r}: cannot get functions from {type(item)} objects")
    elif id(item) not in seen:
        seen.add(id(item))
        if not isinstance(item, types.FunctionType) and not is_written_in_c(item):
            item = type(item).__call__  # an object that can be called
        if not is_written_in_c(item):
            yield item


def _parts_of_class(cls: type, seen: set[int]) -> Iterator[Any]:
    scope = scope_of(cls, _MEMBER_POLICY)
    for member in vars(cls).values():
        try:
            parts = list(_parts(member, seen, True))
        except TypeError:
            continue
        for part in parts:
            if not isinstance(part, type):
                yield from [part] if scope.takes_function(part) else []
            elif scope.enters_class(part):
                yield from _parts_of_class(part, seen)


def rebuilt(item: Any, wrap: Callable[[Any], Any]) -> Any:
    """A method, partial or property made anew from its wrapped functions. None if `item` is none of
    these.
    """
    if isinstance(item, types.MethodType):
        return types.MethodType(wrap(item.__func__), item.__self__)
    if isinstance(item, (classmethod, staticmethod)):
        return _with_attributes(type(item)(wrap(item.__func__)), item)
    if isinstance(item, _PARTIALS):
        return _with_attributes(type(item)(wrap(item.func), *item.args, **item.keywords), item)
    if isinstance(item, property):
        return _rebuilt_property(item, wrap)
    if isinstance(item, functools.cached_property):
        result = type(item)(wrap(item.func))
        result.attrname = item.attrname
        return _with_attributes(result, item)
    return None


def _rebuilt_property(item: property, wrap: Callable[[Any], Any]) -> property:
    getter, setter, deleter = (
        function and wrap(function) for function in (item.fget, item.fset, item.fdel)
    )
    result = type(item)(getter, setter, deleter, item.__doc__)
    if hasattr(item, "__name__") and hasattr(result, "__name__"):
        result.__name__ = item.__name__  # 3.13: its name in the class
    return result


def _with_attributes(new: Any, old: Any) -> Any:
    for key, value in getattr(old, "__dict__", {}).items():
        new.__dict__.setdefault(key, value)
    return new


def around_calls(
    function: Callable[..., Any], enter: Callable[[], None], leave: Callable[[], None]
) -> Callable[..., Any]:
    """The function with `enter` before and `leave` after it runs. A generator runs from one yield
    to the next.
    """
    if inspect.isasyncgenfunction(function):
        return _async_generator(function, enter, leave)
    if inspect.iscoroutinefunction(function):
        return _coroutine(function, enter, leave)
    if inspect.isgeneratorfunction(function):
        return _generator(function, enter, leave)

    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        enter()
        try:
            return function(*args, **kwargs)
        finally:
            leave()

    return wrapper


def _coroutine(
    function: Callable[..., Any], enter: Callable[[], None], leave: Callable[[], None]
) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        enter()
        try:
            return await function(*args, **kwargs)
        finally:
            leave()

    return wrapper


def _generator(
    function: Callable[..., Any], enter: Callable[[], None], leave: Callable[[], None]
) -> Callable[..., Any]:
    @functools.wraps(function)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume, argument = generator.send, None
        while True:
            enter()
            try:
                item = resume(argument)
            except StopIteration as stop:
                return stop.value
            finally:
                argument = None  # an error kept here would keep this frame alive
                leave()
            try:
                argument = yield item
                resume = generator.send
            except GeneratorExit:
                generator.close()
                raise
            except BaseException as error:  # thrown in from outside; the generator handles it
                resume, argument = generator.throw, error

    return wrapper


def _async_generator(
    function: Callable[..., Any], enter: Callable[[], None], leave: Callable[[], None]
) -> Callable[..., Any]:
    @functools.wraps(function)
    async def wrapper(*args: Any, **kwargs: Any) -> Any:
        generator = function(*args, **kwargs)
        resume, argument = generator.asend, None
        while True:
            enter()
            try:
                item = await resume(argument)
            except StopAsyncIteration:
                return
            finally:
                argument = None  # an error kept here would keep this frame alive
                leave()
            try:
                argument = yield item
                resume = generator.asend
            except GeneratorExit:
                await generator.aclose()
                raise
            except BaseException as error:
                resume, argument = generator.athrow, error

    return wrapper
