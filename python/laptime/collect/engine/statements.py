"""The line on which each statement of a file begins, so that a statement over several lines counts
as one execution.
"""

from __future__ import annotations

import ast

from laptime.collect import source_text


def first_lines(filename: str) -> list[int]:
    """``result[line]`` is the first line of the statement that ``line`` belongs to. Empty without
    source.

    A compound statement is only its header: the lines of its body are statements of their own. The
    value is negative if that first line holds a loop's header and also the begin of its body.
    """
    text = source_text.text_of(filename)
    if not text:
        return []
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    result = list(range(text.count("\n") + 3))
    loops: set[int] = set()
    pending: list[ast.AST] = list(tree.body)
    while pending:
        node = pending.pop()
        if isinstance(node, ast.stmt):
            _mark(result, node.lineno, _end_of_header(node))
            if isinstance(node, (ast.For, ast.AsyncFor, ast.While)) and node.body[
                0
            ].lineno <= _end_of_header(node):
                loops.update((node.lineno, node.body[0].lineno))
        for field in ("body", "orelse", "finalbody", "handlers", "cases"):
            children = getattr(node, field, ())
            if isinstance(children, list):
                pending.extend(children)
    return [-first if first in loops else first for first in result] if loops else result


def _mark(result: list[int], first: int, last: int) -> None:
    for line in range(first + 1, min(last, len(result) - 1) + 1):
        result[line] = first


def _end_of_header(node: ast.stmt) -> int:
    if isinstance(node, (ast.If, ast.While)):
        return _end(node.test)
    if isinstance(node, (ast.For, ast.AsyncFor)):
        return _end(node.iter)
    if isinstance(node, (ast.With, ast.AsyncWith)):
        return max(_end(item.optional_vars or item.context_expr) for item in node.items)
    if isinstance(node, ast.Match):
        return _end(node.subject)
    if hasattr(node, "body"):  # def, class, try: decorators and defaults are lines of their own
        return node.lineno
    return _end(node)


def _end(node: ast.AST) -> int:
    end: int = getattr(node, "end_lineno", None) or getattr(node, "lineno")  # noqa: B009
    return end
