"""Options that only torch's own profiler supports."""

from __future__ import annotations

import re
from typing import Any

# With_stack brings frames; all threads are always recorded.
_HAS_EFFECT_HERE = {
    "verbose",
    "profile_all_threads",
}


def of_torch(experimental_config: Any, activity_filters: Any) -> list[str]:
    """The names of the options that are given."""
    names = [
        f"experimental_config's {name}"
        for name in _changed(experimental_config)
        if name not in _HAS_EFFECT_HERE
    ]
    return [*names, *(["filters of activities"] if activity_filters else [])]


def _changed(config: Any) -> list[str]:
    """The values of a configuration. Torch shows them only in its pickle, in the order of the
    constructor's parameters.
    """
    if config is None:
        return []
    try:
        values, defaults = config.__getstate__(), type(config)().__getstate__()
    except (AttributeError, TypeError):
        return ["options"]
    names = re.findall(r"(\w+): ", (type(config).__init__.__doc__ or "").partition(") -> ")[0])[1:]
    names += ["options"] * (len(values) - len(names))
    return [name for name, value, default in zip(names, values, defaults) if value != default]
