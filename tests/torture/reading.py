"""Reads recorded runs with the laptime command."""

import json
import subprocess
from collections import Counter

# What a kill leaves in any case: Python's counts since the last step were in memory, and the
# campaign counts scopes.
OF_A_KILL = ("counts_in_memory",)


def tables(laptime, run, *names):
    """The rows of these tables by the table's name, each row a dict. An error has the command's one
    line.
    """
    ended = subprocess.run(
        [laptime, "report", run, *names, "--json"], capture_output=True, text=True, timeout=120
    )
    if ended.returncode != 0:
        raise RuntimeError(ended.stderr.strip() or f"report ended with {ended.returncode}")
    found = json.loads(ended.stdout)["tables"]
    return {
        t["name"]: [dict(zip((c["name"] for c in t["columns"]), row)) for row in t["rows"]]
        for t in found
    }


def scope_calls(laptime, run):
    """By name, of all threads."""
    calls = Counter()
    for row in tables(laptime, run, "scopes")["scopes"]:
        calls[row["name"]] += row["calls"]
    return calls


def warnings(laptime, run):
    """What was lost, by name. That the program was killed, perhaps in the middle of a write, is
    only a note.
    """
    return {
        row["name"]: row["count"]
        for row in tables(laptime, run, "warnings")["warnings"]
        if row["severity"] != "info" and row["name"] not in OF_A_KILL
    }
