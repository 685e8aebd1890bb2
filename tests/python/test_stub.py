"""The stubs of the built modules have exactly the modules' names, with the modules' own signatures.

nanobind reports what a module has.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

MODULES = ["_native", "_reader"]
PACKAGE = Path(__file__).resolve().parents[2] / "python" / "laptime"
SCALARS = {"int", "float", "str", "bool", "None"}
CONTAINERS = {"list", "dict", "tuple", "type"}


class Function:
    def __init__(self, node, static):
        self.returns = node.returns
        arguments = node.args
        positional = [*arguments.posonlyargs, *arguments.args][0 if static else 1 :]
        without = len(positional) - len(arguments.defaults)
        only = len(arguments.posonlyargs) - (0 if static else 1)
        self.parameters = [
            (argument, "positional" if at < only else "any", at >= without)
            for at, argument in enumerate(positional)
        ] + [
            (argument, "keyword", default is not None)
            for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        self.is_known = arguments.vararg is None


def members(body, is_module):
    """By name: a Function, the dict of a class or submodule, or an annotation."""
    found = {}
    for node in body:
        if isinstance(node, ast.FunctionDef):
            decorators = {ast.unparse(each) for each in node.decorator_list}
            if "property" in decorators or any(each.endswith(".setter") for each in decorators):
                found.setdefault(node.name, node.returns)
            else:
                found[node.name] = Function(node, is_module or "staticmethod" in decorators)
        elif isinstance(node, ast.ClassDef):
            found[node.name] = members(node.body, is_module=False)
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node.annotation
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant):
            found[node.targets[0].id] = ast.Name(type(node.value.value).__name__)
    return found


def of_module(name, folder):
    """The members that nanobind reports."""
    command = [sys.executable, "-m", "nanobind.stubgen", "-m", f"laptime.{name}", "-r", "-q"]
    subprocess.run([*command, "-O", folder], check=True, capture_output=True, text=True)
    if (folder / f"{name}.pyi").exists():
        return members(ast.parse((folder / f"{name}.pyi").read_text()).body, is_module=True)
    found = members(ast.parse((folder / name / "__init__.pyi").read_text()).body, is_module=True)
    for path in (folder / name).glob("[!_]*.pyi"):
        found[path.stem] = members(ast.parse(path.read_text()).body, is_module=True)
    return found


def names(annotation):
    """The alternatives of a type, without the modules that their names are in."""
    text = ast.unparse(annotation).strip("'\"") if annotation is not None else "None"
    return {part.strip() for part in text.split(" | ")}


def contradicts(ours, theirs):
    """Whether a type differs from the one that nanobind reports. Ours may be more exact."""
    if theirs is None or ast.unparse(theirs) in ("object", "NoneType"):
        return False
    reported, stubbed = names(theirs), names(ours)
    if reported <= SCALARS:
        return stubbed - {"NoReturn"} != reported and stubbed != {"NoReturn"}
    if len(reported) == 1 and reported <= CONTAINERS:
        return not all(name.split("[")[0] in reported or name[0].isupper() for name in stubbed)
    return False


def differences(stub, module, path=""):
    for name in sorted(stub.keys() | module.keys()):
        at, ours, theirs = f"{path}{name}", stub.get(name), module.get(name)
        if name.startswith("__") and None in (ours, theirs):  # of every type, or of one in C
            continue
        if theirs is None:
            yield f"{at}: the module has no such name"
        elif ours is None:
            yield f"{at}: not in the stub"
        elif isinstance(ours, dict) != isinstance(theirs, dict):
            yield f"{at}: one of both is a class"
        elif isinstance(ours, dict):
            yield from differences(ours, theirs, f"{at}.")
        elif isinstance(ours, Function) != isinstance(theirs, Function):
            yield f"{at}: one of both is a function"
        elif isinstance(ours, Function):
            yield from of_functions(at, ours, theirs)
        elif contradicts(ours, theirs):
            yield f"{at}: {ast.unparse(theirs)} in the module"


def of_functions(at, ours, theirs):
    if not theirs.is_known or not ours.is_known:
        return
    if len(ours.parameters) != len(theirs.parameters):
        yield f"{at}: {len(theirs.parameters)} parameters in the module"
        return
    for mine, other in zip(ours.parameters, theirs.parameters, strict=True):
        name = other[0].arg
        if mine[1:] != other[1:] or (other[1] != "positional" and mine[0].arg != name):
            yield f"{at}: parameter {mine[0].arg} is {name}, {other[1]}, default: {other[2]}"
        elif contradicts(mine[0].annotation, other[0].annotation):
            yield f"{at}: {mine[0].arg} is {ast.unparse(other[0].annotation)} in the module"
    if contradicts(ours.returns, theirs.returns):
        yield f"{at}: returns {ast.unparse(theirs.returns)} in the module"


@pytest.mark.parametrize("name", MODULES)
def test_the_stub_is_the_module(name, tmp_path):
    stub = members(ast.parse((PACKAGE / f"{name}.pyi").read_text()).body, is_module=True)
    found = list(differences(stub, of_module(name, tmp_path)))
    assert not found, "\n".join(found)


def test_differences_are_found():
    def of(text):
        return members(ast.parse(text).body, is_module=True)

    module = of("def f(a: int, /, *, b: str = '') -> list: ...\nclass C:\n    x: int")
    assert not list(
        differences(
            of("def f(p: int, /, *, b: str = ...) -> list[int]: ...\nclass C:\n    x: int"), module
        )
    )
    for stub in (
        "class C:\n    x: int",
        "def f(a: int, *, b: str = ...) -> list: ...\nclass C:\n    x: int",
        "def f(a: int, /, *, b: str) -> list: ...\nclass C:\n    x: int",
        "def f(a: str, /, *, b: str = ...) -> list: ...\nclass C:\n    x: int",
        "def f(a: int, /, *, b: str = ...) -> int: ...\nclass C:\n    x: int",
        "def f(a: int, /, *, b: str = ...) -> list: ...\nclass C:\n    x: int\n    y: int",
        "def f(a: int, /, *, b: str = ...) -> list: ...\nclass C:\n    def x(self) -> int: ...",
    ):
        assert list(differences(of(stub), module)), stub
