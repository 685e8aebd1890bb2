"""Records the ops of a function in this process and reads them back through the trace that laptime
exports.
"""

import json
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from laptime._native import recording
from laptime.frameworks.torch import ops

LAPTIME = Path(sys.executable).parent / "laptime"


@dataclass(frozen=True)
class Op:
    name: str
    kind: str
    start: float
    end: float
    thread: int
    file: str
    line: int
    module: str
    shapes: str
    types: str
    flops: int


class Recorded(list):
    def counts(self, *kinds):
        return Counter(
            op.name for op in self if op.kind in (kinds or ("op", "backward", "annotation"))
        )

    def placed(self, file):
        """(line, name) of ops that have a line in the file."""
        return Counter((op.line, op.name) for op in self if op.file == str(file))

    def named(self, name):
        return [op for op in self if op.name == name]


def record(path, function, source=None, **options):
    assert recording.start(str(path)) == ""
    try:
        source = source or ops.load(**options)
        source.on()
        function()
        source.off()
    finally:
        recording.stop()
    return source, export_ops(path)


def export_ops(path):
    trace = Path(path).with_suffix(".json")
    subprocess.run(
        [LAPTIME, "export", str(path), "--to", "chrome", "-o", str(trace)],
        check=True,
        capture_output=True,
    )
    return read_ops(trace)


def read_ops(trace):
    found = Recorded()
    for event in json.loads(trace.read_text())["traceEvents"]:
        if event["ph"] != "X" or event["cat"] not in ("op", "backward", "annotation"):
            continue
        args = event.get("args", {})
        file, _, line = args.get("line", ":0").rpartition(":")
        found.append(
            Op(
                event["name"],
                event["cat"],
                event["ts"],
                event["ts"] + event["dur"],
                event["tid"],
                file,
                int(line),
                args.get("module", ""),
                args.get("shapes", ""),
                args.get("types", ""),
                args.get("flops", 0),
            )
        )
    found.sort(key=lambda op: op.start)
    return found


def marked_lines(file):
    """{(line, name)} from the comments `# op: NAME…`."""
    marks = set()
    for number, text in enumerate(Path(file).read_text().splitlines(), 1):
        if match := re.search(r"# op: (.+)", text):
            name = match[1]
            marks |= (
                {(number, name)}
                if " " in name and "::" not in name
                else {(number, word) for word in name.split()}
            )
    return marks
