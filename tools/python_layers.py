"""Checks which part of the Python package imports which, and that imports form no cycle.

Part of tools/check_layers. An import inside a function follows the table too. It is not part of a
cycle, because it runs later. An import for type checkers alone is not checked.
"""

import ast
from pathlib import Path

# A part is a folder of python/laptime, or the modules at its top that are named here.
PARTS = {
    "_native": "native",
    "_reader": "reader",
    "_messages": "native",
    "_standard_library": "native",
    "_recording": "recording",
    "_scopes": "recording",
    "_collectors": "start",
    "_site": "start",
    "_tune": "tune",
    "collect": "collect",
    "frameworks": "frameworks",
    "compat": "compat",
    # The names that users import.
    "": "public",
    "_magics": "public",
    "_profile": "public",
    "cprofile": "public",
    "kernprof": "public",
    "line_profiler": "public",
}
# Modules without a source in python/laptime.
BUILT = ("laptime._native", "laptime._reader")
USES = {
    "native": [],
    "reader": ["native"],
    "collect": ["native"],
    "frameworks": ["native", "collect"],
    "recording": ["native", "collect", "frameworks"],
    "compat": ["native", "reader", "collect", "frameworks", "public"],
    "public": ["native", "collect", "recording", "compat"],
    "tune": [],
    "start": ["native", "collect", "frameworks", "compat", "tune"],
}


def imports(tree, is_first=True):
    """The import statements below a node. For each: whether it runs when the module is imported."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield node, is_first
        elif isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for other in node.orelse:
                yield from imports(other, is_first)
        else:
            inside = isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda))
            yield from imports(node, is_first and not inside)


def targets(node, modules):
    """The modules of the package that a statement imports."""
    if isinstance(node, ast.Import):
        named = [alias.name for alias in node.names]
    else:
        named = [f"{node.module}.{alias.name}" for alias in node.names]
    for name in named:
        if name.partition(".")[0] != "laptime":
            continue
        while name not in modules and name not in BUILT and name != "laptime":
            name = name.rpartition(".")[0]
        yield name


def part(module):
    return PARTS.get(module.split(".")[1] if "." in module else "")


def problem_with(module, target):
    """The reason why a module may not import another one, or None."""
    own, other = part(module), part(target)
    if other is None:
        return f"{target} is in no part of the table"
    if own == other == "frameworks" and module.split(".")[2:3] != target.split(".")[2:3]:
        return f"{module} may not import another framework's {target}"
    return (
        None if other == own or other in USES[own] else f"{own} may not import {other} ({target})"
    )


def modules_of(root):
    """Paths by the name of the module."""
    found = {}
    for path in sorted((root / "python" / "laptime").rglob("*.py")):
        names = path.relative_to(root / "python").with_suffix("").parts
        found[".".join(names).removesuffix(".__init__")] = path
    return found


def check(root: Path):
    """Lines "file:line: problem", and by module the modules that it imports at its own import."""
    problems, first = [], {}
    modules = modules_of(root)
    for module, path in modules.items():
        file = path.relative_to(root)
        if part(module) is None:
            problems.append(f"{file}:1: {module} is in no part of the table")
            continue
        for node, is_first in imports(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.level:
                problems.append(f"{file}:{node.lineno}: write the module from laptime on")
                continue
            for target in targets(node, modules):
                if problem := problem_with(module, target):
                    problems.append(f"{file}:{node.lineno}: {problem}")
                if is_first and target != module:
                    first.setdefault(module, set()).add(target)
    return problems, first
