"""``python -m laptime._tune [options] script.py args…``: what `laptime tune` starts. A usage error
is one line, with exit code 2.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
import time
from argparse import REMAINDER, ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import Any, NoReturn

from laptime._tune.patch import make_patch
from laptime._tune.search import Outcome, Search, Tuned
from laptime._tune.trial import Laptime, TrialError, Trials

CLI_VARIABLE = "LAPTIME_CLI"  # the command that started this process
_USAGE_ERROR, _FAILED = 2, 1
_UNITS = {"s": 1, "m": 60, "h": 3600, "": 1}


def main() -> int:
    options = _parse()
    script = options.command[0]
    if not os.path.isfile(script):
        _end(f"cannot open {script}: laptime tune takes a Python script and its arguments")
    say = (lambda line: None) if options.json else (lambda line: print(line, flush=True))
    with tempfile.TemporaryDirectory(prefix="laptime-tune-") as folder:
        laptime = Laptime(os.environ.get(CLI_VARIABLE, "laptime"))
        trials = Trials(
            laptime,
            [sys.executable, *options.command],
            Path(folder),
            options.steps,
            options.step_seconds,
        )
        search = Search(trials, time.monotonic() + options.time, options.tolerance, say)
        try:
            tuned = search.run(
                lambda change: (
                    not options.only or change.name in options.only or change.text in options.only
                )
            )
        except TrialError as error:
            print(f"laptime: {error}", file=sys.stderr)
            return _FAILED
        if options.json:
            print(json.dumps({"laptime": _version(), "tables": [_table(tuned)]}))
        return _conclude(options, script, tuned, say)


def _parse() -> Namespace:
    parser = _Parser(prog="laptime tune", usage="laptime tune [options] script.py [args…]")
    parser.add_argument("--time", type=_seconds, default=300.0, metavar="T")
    parser.add_argument("--steps", type=int, default=80, metavar="N")
    parser.add_argument("--step-seconds", type=_seconds, default=20.0, metavar="T")
    parser.add_argument("--only", action="append", default=[], metavar="CHANGE")
    parser.add_argument(
        "--loss-tolerance", dest="tolerance", type=_percent, default=0.05, metavar="PCT"
    )
    parser.add_argument("--apply", action="store_true")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("command", nargs=REMAINDER)
    options = parser.parse_args()
    if not options.command:
        _end("a script is needed: laptime tune train.py")
    return options


def _conclude(options: Namespace, script: str, tuned: Tuned, say: Any) -> int:
    if tuned.not_tried:
        say(
            f"no time to try {' '.join(change.text for change in tuned.not_tried)}"
            " (--time allows more)"
        )
    if tuned.confirmed is None:
        say("no change that was tried clearly makes the step faster")
        return 0
    best = tuned.confirmed
    source = Path(script).read_text(encoding="utf-8")
    patch = make_patch(script, source, best.changes)
    say(
        f"\n{best.text}: {best.measured:.2f} × as many steps/s ({best.low:.2f} to"
        f" {best.high:.2f})\n"
    )
    if patch.diff:
        say(patch.diff)
    for change in patch.by_hand:
        say(f"by hand: {change.by_hand or change.text}")
    if options.apply and patch.diff:
        Path(script).write_text(patch.source, encoding="utf-8")
        say(f"written into {script}")
    return 0


def _table(tuned: Tuned) -> dict[str, Any]:
    columns = [
        ("stage", "text", None),
        ("changes", "text", None),
        ("predicted", "real", "factor"),
        ("measured", "real", "factor"),
        ("low", "real", "factor"),
        ("high", "real", "factor"),
        ("loss", "real", "share"),
        ("verdict", "text", None),
    ]

    def row(stage: str, o: Outcome) -> list[Any]:
        return [stage, o.text, o.predicted, o.measured, o.low, o.high, o.loss, o.verdict]

    rows = [row("alone", o) for o in tuned.singles] + [row("together", o) for o in tuned.combined]
    if tuned.confirmed is not None:
        rows.append(row("confirmed", tuned.confirmed))
    return {
        "name": "tune",
        "title": "What was tried",
        "columns": [{"name": n, "type": t, "unit": u} for n, t, u in columns],
        "rows": rows,
    }


def _version() -> str:
    from importlib.metadata import version

    return version("laptime")


class _Parser(ArgumentParser):
    def error(self, message: str) -> NoReturn:
        _end(message)


def _seconds(text: str) -> float:
    """``90``, ``90s``, ``5m``, ``1h``."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)([smh]?)", text)
    if not match or float(match[1]) == 0:
        raise ArgumentTypeError(f"a time is given as 90s, 5m or 1h, not {text!r}")
    return float(match[1]) * _UNITS[match[2]]


def _percent(text: str) -> float:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?%?", text)
    if not match:
        raise ArgumentTypeError(f"a tolerance is given as 5%, not {text!r}")
    return float(match[1]) / 100


def _end(message: str) -> NoReturn:
    print(f"laptime: {message}", file=sys.stderr)
    raise SystemExit(_USAGE_ERROR)


if __name__ == "__main__":
    sys.exit(main())
