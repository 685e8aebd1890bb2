"""Processes that take turns: each runs a few steps, then the next. Medians of single steps are
compared turn by turn.

A noisy machine then disturbs all of them alike. If a child dies, its name and last output are
reported, and the others continue.
"""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import threading
import time
from typing import Any

from levels import RUN

HERE = os.path.dirname(os.path.abspath(__file__))


class Talker:
    """A process that receives words and answers in lines of JSON. Its stderr goes into a file."""

    def __init__(self, command: list[str], errors: str) -> None:
        # Open as long as the process lives.
        self._errors = open(errors, "w+", encoding="utf-8")  # noqa: SIM115
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._errors, text=True
        )
        self.problem = ""

    def read(self, timeout: float) -> dict[str, Any]:
        """The next line of JSON. {} and `problem` if none comes."""
        timer = threading.Timer(timeout, self._process.kill)
        timer.start()
        try:
            line = self._process.stdout.readline()
            while line and not line.startswith("{"):
                line = self._process.stdout.readline()
        finally:
            timer.cancel()
        if line:
            return dict(json.loads(line))
        self.problem = f"exit {self._process.wait()}: {self.errors()[-600:]}"
        return {}

    def say(self, word: str) -> None:
        try:
            self._process.stdin.write(word + "\n")
            self._process.stdin.flush()
        except OSError:
            pass

    def leave(self, timeout: float) -> None:
        self._process.stdin.close()
        try:
            self._process.wait(timeout)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read()


class Child(Talker):
    def __init__(self, level: str, workload: str, folder: str, number: int) -> None:
        self.level = level
        self.lap = os.path.join(folder, f"{workload}-{level}-{number}.lap")
        command = [os.path.join(HERE, "child.py"), "turns", level, workload, self.lap]
        if level in RUN:
            command = [os.environ["LAPTIME"], "run", "-q", "-o", self.lap, *RUN[level], *command]
        else:
            command = [sys.executable, *command]
        super().__init__(command, os.path.join(folder, f"{workload}-{level}-{number}.err"))
        self.turns: list[list[float]] = []
        self.answer: dict[str, Any] = {}

    def turn(self) -> None:
        self.say("go")
        answer = self.read(60)
        if answer:
            self.turns.append(answer["us"])

    def end(self) -> None:
        self.say("end")
        self.answer = self.read(60).get("end", {})
        self.leave(30)
        self.answer["stderr"] = self.errors()[-400:]
        self.answer["file_bytes"] = os.path.getsize(self.lap) if os.path.exists(self.lap) else None


def take_turns(
    levels: list[str], workload: str, folder: str, seconds: float, start_timeout: float = 100
) -> dict[str, Any]:
    """What steps take at each level.

    `levels` may name a level more than once: its children are pooled.
    """
    children = start_children(levels, workload, folder, start_timeout)
    play(children, time.monotonic() + seconds)
    return summary(children)


def start_children(levels: list[str], workload: str, folder: str, timeout: float) -> list[Child]:
    children = [Child(level, workload, folder, i) for i, level in enumerate(levels)]
    for child in children:
        child.read(timeout)
    return children


def play(children: list[Child], until: float) -> None:
    """Runs rounds until that moment, each child in turn, in random order. Then all end."""
    alive = [child for child in children if not child.problem]
    order = random.Random(3)
    while alive and time.monotonic() < until:
        order.shuffle(alive)
        for child in alive:
            child.turn()
        alive = [child for child in alive if not child.problem]
    for child in alive:
        child.end()


def summary(children: list[Child]) -> dict[str, Any]:
    """`ratio`: of medians, turn by turn. `whole`: of the time of all steps together, recorded and
    resting.
    """
    rounds = min((len(child.turns) for child in children if not child.problem), default=0)
    medians = {
        id(child): [statistics.median(turn) for turn in child.turns[:rounds]]
        for child in children
        if not child.problem
    }
    bare = [
        medians[id(child)] for child in children if child.level == "bare" and id(child) in medians
    ]
    base = [statistics.mean(turn) for turn in zip(*bare)]
    bare_mean = (
        statistics.fmean(
            us
            for child in children
            if child.level == "bare"
            for turn in child.turns[:rounds]
            for us in turn
        )
        if base
        else 0
    )
    table: dict[str, Any] = {}
    for level in dict.fromkeys(child.level for child in children):
        mine = [child for child in children if child.level == level and id(child) in medians]
        entry: dict[str, Any] = {
            "problems": [c.problem for c in children if c.level == level and c.problem]
        }
        if mine and rounds and base:
            pooled = [us for child in mine for turn in child.turns[:rounds] for us in turn]
            ratios = [
                statistics.mean(medians[id(c)][i] for c in mine) / base[i] for i in range(rounds)
            ]
            entry |= {
                "us": round(statistics.median(pooled), 1),
                "ratio": round(statistics.median(ratios), 4),
                "whole": round(statistics.fmean(pooled) / bare_mean, 4),
                "each": [
                    round(statistics.median(m / b for m, b in zip(medians[id(c)], base)), 4)
                    for c in mine
                ],
            }
        entry["answers"] = [child.answer for child in mine]
        table[level] = entry
    return {"rounds": rounds, "levels": table}
