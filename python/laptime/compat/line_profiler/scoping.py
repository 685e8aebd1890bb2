"""Which members of a class or module are profiled with it.

=============  ================================================================================
exact          functions defined in it; no class or submodule is entered
children       the same, and the classes and submodules defined in it are entered
descendants    their children too, and so on
siblings       also what is defined beside the class or module, in the same module or package
none           everything that can be reached
=============  ================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from types import ModuleType
from typing import Any, NamedTuple

Check = Callable[[Any], bool]


class ScopingPolicy(str, Enum):
    EXACT = "exact"
    CHILDREN = "children"
    DESCENDANTS = "descendants"
    SIBLINGS = "siblings"
    NONE = "none"

    @classmethod
    def _missing_(cls, value: object) -> ScopingPolicy | None:
        return cls.__members__.get(str(value).upper())


class Scope(NamedTuple):
    takes_function: Check
    enters_class: Check
    enters_module: Check


PolicyArgument = ScopingPolicy | str | Mapping[str, ScopingPolicy | str] | None


def scope_of(namespace: type | ModuleType, policies: PolicyArgument = None) -> Scope:
    function, cls, module = _three(policies)
    if isinstance(namespace, type):
        return Scope(_in_class(namespace, function, False), _in_class(namespace, cls, True), _never)
    return Scope(
        _in_module(namespace, function, False),
        _in_module(namespace, cls, True),
        _modules(namespace, module),
    )


def _three(policies: PolicyArgument) -> tuple[ScopingPolicy, ScopingPolicy, ScopingPolicy]:
    if policies is None:
        return ScopingPolicy.SIBLINGS, ScopingPolicy.SIBLINGS, ScopingPolicy.EXACT
    if isinstance(policies, str):
        return (ScopingPolicy(policies),) * 3
    return (
        ScopingPolicy(policies["func"]),
        ScopingPolicy(policies["class"]),
        ScopingPolicy(policies["module"]),
    )


def _never(_: Any) -> bool:
    return False


def _always(_: Any) -> bool:
    return True


def _lies_in(name: str, package: str) -> bool:
    return name == package or name.startswith(package + ".")


def _in_class(owner: type, policy: ScopingPolicy, is_class: bool) -> Check:
    def beside(member: Any) -> bool:
        same: bool = owner.__module__ == member.__module__
        return same

    def child(member: Any) -> bool:
        return beside(member) and member.__qualname__ == f"{owner.__qualname__}.{member.__name__}"

    def descendant(member: Any) -> bool:
        return beside(member) and member.__qualname__.startswith(owner.__qualname__ + ".")

    return {
        ScopingPolicy.EXACT: _never if is_class else child,
        ScopingPolicy.CHILDREN: child,
        ScopingPolicy.DESCENDANTS: descendant,
        ScopingPolicy.SIBLINGS: beside,
        ScopingPolicy.NONE: _always,
    }[policy]


def _in_module(module: ModuleType, policy: ScopingPolicy, is_class: bool) -> Check:
    name = module.__name__
    package = name.rpartition(".")[0]

    def child(member: Any) -> bool:
        same: bool = member.__module__ == name
        return same

    def descendant(member: Any) -> bool:
        return _lies_in(member.__module__, name)

    def beside(member: Any) -> bool:
        return descendant(member) or (bool(package) and _lies_in(member.__module__, package))

    return {
        ScopingPolicy.EXACT: _never if is_class else child,
        ScopingPolicy.CHILDREN: child,
        ScopingPolicy.DESCENDANTS: descendant,
        ScopingPolicy.SIBLINGS: beside,
        ScopingPolicy.NONE: _always,
    }[policy]


def _modules(module: ModuleType, policy: ScopingPolicy) -> Check:
    name = module.__name__
    package = name.rpartition(".")[0]
    return {
        ScopingPolicy.EXACT: _never,
        ScopingPolicy.CHILDREN: lambda other: other.__name__.rpartition(".")[0] == name,
        ScopingPolicy.DESCENDANTS: lambda other: other.__name__.startswith(name + "."),
        ScopingPolicy.SIBLINGS: (
            (lambda other: other.__name__.startswith(package + ".")) if package else _never
        ),
        ScopingPolicy.NONE: _always,
    }[policy]
