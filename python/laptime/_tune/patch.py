"""The source with the changes written into it, as a unified diff.

Only changes that need no understanding of the program are written: arguments of calls of
``DataLoader`` and of torch's optimizers, and statements after the import of torch. The user makes
all other changes by hand, and the output lists them.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Sequence
from dataclasses import dataclass, field

from laptime._tune.changes import Change

_OPTIMIZERS = {"Adam", "AdamW", "SGD", "Adagrad"}
_LOADER = {
    "workers": "num_workers={}",
    "persistent_workers": "persistent_workers=True",
    "prefetch": "prefetch_factor={}",
    "pin_memory": "pin_memory=True",
}
_STATEMENTS = {
    "threads": "torch.set_num_threads({})",
    "tf32": 'torch.set_float32_matmul_precision("high")',
    "cudnn_benchmark": "torch.backends.cudnn.benchmark = True",
}


@dataclass
class Patch:
    diff: str = ""
    source: str = ""  # with the changes
    by_hand: list[Change] = field(default_factory=list)


def make_patch(path: str, source: str, changes: Sequence[Change]) -> Patch:
    editor = _Editor(source)
    by_hand = [change for change in changes if not editor.make(change)]
    new = editor.text()
    diff = "".join(
        difflib.unified_diff(
            source.splitlines(True), new.splitlines(True), f"a/{path}", f"b/{path}"
        )
    )
    return Patch(diff, new, by_hand)


class _Editor:
    def __init__(self, source: str) -> None:
        self._lines = source.splitlines(True)
        self._tree = ast.parse(source)
        self._inserts: list[tuple[int, int, str]] = []  # line from 0, column in bytes, text

    def make(self, change: Change) -> bool:
        """Whether the source could be changed."""
        if change.name in _LOADER:
            argument = _LOADER[change.name].format(change.value)
            return self._add_argument({"DataLoader"}, argument)
        if change.name == "optimizer":
            return self._add_argument(_OPTIMIZERS, f"{change.value}=True")
        if change.name in _STATEMENTS:
            return self._add_statement(_STATEMENTS[change.name].format(change.value))
        return False

    def text(self) -> str:
        lines = [line.encode() for line in self._lines]
        for (row, column, text), _ in sorted(
            zip(self._inserts, range(len(self._inserts))),
            key=lambda item: (*item[0][:2], item[1]),
            reverse=True,
        ):
            lines[row] = lines[row][:column] + text.encode() + lines[row][column:]
        return b"".join(lines).decode()

    def _add_argument(self, names: set[str], argument: str) -> bool:
        keyword = argument.partition("=")[0]
        calls = [
            node
            for node in ast.walk(self._tree)
            if isinstance(node, ast.Call) and _called(node) in names
        ]
        # A call that already has the argument, or passes on what it got (**options), is the
        # program's own decision.
        free = [
            call
            for call in calls
            if all(given.arg not in (keyword, None) for given in call.keywords)
        ]
        for call in free:
            last = max(
                [*call.args, *(given.value for given in call.keywords)],
                key=lambda node: (node.end_lineno, node.end_col_offset),
                default=None,
            )
            if last is None or last.end_lineno is None or last.end_col_offset is None:
                continue
            self._inserts.append((last.end_lineno - 1, last.end_col_offset, f", {argument}"))
        return bool(free)

    def _add_statement(self, statement: str) -> bool:
        imports = [
            node for node in self._tree.body if isinstance(node, (ast.Import, ast.ImportFrom))
        ]
        named = any(
            isinstance(node, ast.Import)
            and any(a.name == "torch" and a.asname is None for a in node.names)
            for node in imports
        )
        if not named or imports[-1].end_lineno is None:
            return False
        row = imports[-1].end_lineno
        if row >= len(self._lines):
            return False
        self._inserts.append((row, 0, f"{statement}\n"))
        return True


def _called(call: ast.Call) -> str:
    return (
        call.func.attr
        if isinstance(call.func, ast.Attribute)
        else call.func.id
        if isinstance(call.func, ast.Name)
        else ""
    )
