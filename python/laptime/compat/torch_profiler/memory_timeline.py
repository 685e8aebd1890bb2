"""``export_memory_timeline``: memory over time by category, in torch's three formats.

memory_categories.py gives each block its category. A block from before the profile counts from the
profile's first moment if it was released during the profile. Otherwise it is invisible.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from typing import Any

from laptime.compat.torch_profiler.memory_categories import CATEGORIES, backward_passes, category

_UNKNOWN = CATEGORIES.index("unknown")
_COLORS = (
    "darkgreen",
    "goldenrod",
    "black",
    "mediumpurple",
    "red",
    "mediumblue",
    "royalblue",
    "grey",
)
_PREEXISTING, _CREATE, _DESTROY = 1, 2, 4  # torch.profiler._memory_profiler.Action
_BEFORE = -1

Event = tuple[int, int, int, int]  # ns, action, bytes (negative: released), category


def export(loaded: Any, path: str, device: str) -> None:
    """``path`` ends with .html, .raw.json.gz or .json.gz, or with anything else for plain JSON."""
    events = list(_events(loaded, device))
    if path.endswith(".html"):
        text = _html(*_points(events), device)
    elif path.endswith("raw.json.gz"):
        text = json.dumps(events)
    else:
        text = json.dumps(_points(events))
    if path.endswith(".gz"):
        with gzip.open(path, "wt", encoding="utf-8") as out:
            out.write(text)
    else:
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def _events(loaded: Any, device: str) -> Iterator[Event]:
    name = "cpu" if device.startswith("cpu") else device
    marks = [mark for mark in loaded.memory() if mark[3] == name]
    roles = dict(loaded.roles())
    passes = backward_passes(loaded.event(row) for row in range(len(loaded)))
    alive: dict[int, int] = {}  # by address: the index in `during` of its allocation
    before: list[Event] = []
    during: list[Event] = []

    def classify(address: int, end: int | None) -> int:
        made = alive.pop(address)
        ns, action, count, _ = during[made]
        kind = CATEGORIES.index(category(ns, end, roles.get(address), passes))
        during[made] = (ns, action, count, kind)
        return kind

    for ns, count, address, _ in marks:
        if count >= 0:
            if address in alive:
                classify(address, ns)
            alive[address] = len(during)
            during.append((ns, _CREATE, count, _UNKNOWN))
        elif address in alive:
            during.append((ns, _DESTROY, count, classify(address, ns)))
        else:
            role = roles.get(address)
            kind = CATEGORIES.index(role) if role in CATEGORIES else _UNKNOWN
            before.append((_BEFORE, _PREEXISTING, -count, kind))
            during.append((ns, _DESTROY, count, kind))
    for address in tuple(alive):
        classify(address, None)
    yield from before
    yield from during


def _points(events: list[Event]) -> tuple[list[int], list[list[int]]]:
    """Times in µs, and for each of them the bytes by category after a leading 0."""
    times: list[int] = []
    sizes: list[list[int]] = []
    first = min((ns for ns, *_ in events if ns != _BEFORE), default=0)
    for ns, _, count, kind in events:
        time = (first if ns == _BEFORE else ns) // 1000
        if not times or times[-1] != time:
            times.append(time)
            sizes.append(sizes[-1].copy() if sizes else [0] * (len(CATEGORIES) + 1))
        sizes[-1][kind + 1] += count
    return times, sizes


def _html(times: list[int], sizes: list[list[int]], device: str) -> str:
    width, height = 1200, 500
    span = max(times[-1] - times[0], 1) if times else 1
    most = max((sum(row) for row in sizes), default=0) or 1
    areas = []
    for index, color in enumerate(_COLORS):
        low = [sum(row[: index + 1]) for row in sizes]
        high = [sum(row[: index + 2]) for row in sizes]
        if low == high:
            continue
        at = [(time - times[0]) * width / span for time in times]
        edge = [f"{x:.1f},{height - y * height / most:.1f}" for x, y in zip(at, high)]
        edge += [
            f"{x:.1f},{height - y * height / most:.1f}" for x, y in zip(reversed(at), reversed(low))
        ]
        areas.append(
            f'<polygon points="{" ".join(edge)}" fill="{color}" fill-opacity="0.7">'
            f"<title>{CATEGORIES[index]}</title></polygon>"
        )
    return (
        '<html>\n<head><meta charset="utf-8" /><title>Memory timeline,'
        f" {device}</title></head>\n<body>\n"
        f"<p>{device}: at most {most / 2**20:.2f} MiB over {span / 1000:.3f} ms; "
        f"{', '.join(f'{name}: {color}' for name, color in zip(CATEGORIES, _COLORS))}</p>\n"
        f'<svg width="{width}" height="{height}" style="border: 1px'
        f' solid">{"".join(areas)}</svg>\n</body>\n</html>{os.linesep}'
    )
