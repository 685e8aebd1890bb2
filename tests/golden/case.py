"""A golden case: files, commands and what the commands print. See README.md for the format."""

import os
import re
import shlex
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GOLDEN_FOLDER = ROOT / "tests" / "golden"
CARRIAGE_RETURN = "␍"  # how a case shows the \r of CSV lines


class CaseError(Exception):
    """The case itself is wrong: it cannot be read or its run cannot be made."""


def build_folder():
    return Path(os.environ.get("LAPTIME_BUILD", ROOT / "build" / "release"))


def laptime_binary():
    return Path(os.environ.get("LAPTIME_BIN", build_folder() / "src" / "cli" / "laptime"))


def make_run_binary():
    return build_folder() / "tests" / "golden" / "tool" / "make_run"


@dataclass
class Section:
    kind: str  # comment, run, file, mask, $, stderr, exit
    argument: str = ""
    lines: list = field(default_factory=list)

    def text(self):
        return "".join(line + "\n" for line in self.lines)

    def __str__(self):
        return f"--- {self.kind} {self.argument}".rstrip() + "\n" + self.text()


@dataclass
class Outcome:
    stdout: str
    stderr: str
    code: int


def parse(text):
    sections = [Section("comment")]
    for line in text.splitlines():
        if line.startswith("--- "):
            kind, _, argument = line[4:].partition(" ")
            sections.append(Section(kind, argument.strip()))
        else:
            sections[-1].lines.append(line)
    known = {"comment", "run", "file", "sample", "mask", "$", "stderr", "exit"}
    for section in sections:
        if section.kind not in known:
            raise CaseError(f"there is no section '{section.kind}'")
    return sections


class Case:
    """Runs a case's commands in a folder of its own, in order."""

    def __init__(self, path):
        self.path = Path(path)
        self.sections = parse(self.path.read_text(encoding="utf-8"))

    def prepare(self, folder):
        for section in self.sections:
            if section.kind == "file":
                target = folder / section.argument
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(section.text(), encoding="utf-8")
            elif section.kind == "sample":
                target = folder / section.argument
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(self.path.parent / "samples" / target.name, target)
            elif section.kind == "run":
                made = subprocess.run(
                    [make_run_binary(), folder / section.argument],
                    input=section.text().encode(),
                    capture_output=True,
                )
                if made.returncode != 0:
                    raise CaseError(f"{section.argument}: {made.stderr.decode()}")

    def run_command(self, command, folder):
        words = shlex.split(command)
        environment = {
            k: v
            for k, v in os.environ.items()
            if k not in ("COLUMNS", "NO_COLOR") and not k.startswith("LAPTIME_")
        }
        while words and "=" in words[0]:
            key, _, value = words.pop(0).partition("=")
            environment[key] = value
        if words[:1] != ["laptime"]:
            raise CaseError(f"not a laptime command: {command}")
        result = subprocess.run(
            [laptime_binary(), *words[1:]],
            cwd=folder,
            env=environment,
            capture_output=True,
            timeout=120,
        )
        return Outcome(self.clean(result.stdout), self.clean(result.stderr), result.returncode)

    def clean(self, output):
        text = output.decode(errors="backslashreplace").replace("\r\n", CARRIAGE_RETURN + "\n")
        text = re.sub(r'"laptime": "[^"]*"', '"laptime": "VERSION"', text)
        for section in self.sections:
            if section.kind == "mask":
                text = re.sub(section.argument, "<masked>", text, flags=re.MULTILINE)
        return text

    def actual(self, folder):
        """The case's text as it would be if all that its commands do now were right."""
        self.prepare(folder)
        result = []
        for section in self.sections:
            if section.kind in ("stderr", "exit"):
                continue
            if section.kind != "$":
                result.append(str(section) if section.kind != "comment" else section.text())
                continue
            outcome = self.run_command(section.argument, folder)
            result.append(str(Section("$", section.argument, outcome.stdout.splitlines())))
            if outcome.stderr:
                result.append(str(Section("stderr", "", outcome.stderr.splitlines())))
            if outcome.code != 0:
                result.append(str(Section("exit", str(outcome.code))))
        return "".join(result)
