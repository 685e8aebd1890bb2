"""What is recorded of torch in some steps only: ops, memory, the GPU."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from laptime.collect import sources
from laptime.collect.source import Source

if TYPE_CHECKING:
    from laptime.frameworks.torch import Options

NAME = "torch"

report_off = partial(sources.report_off, NAME)


def load_sources(options: Options) -> sources.Sources:
    """The sources that the options request, switched off."""
    lines = {"include": options["include"], "exclude": options["exclude"]}
    wanted: dict[str, Callable[[], Source]] = {}
    if options["ops"]:
        wanted["ops"] = partial(_load, "ops", shapes=options["shapes"], **lines)
    if options["memory"]:
        wanted["memory"] = partial(_load, "memory")
    if options["gpu"] and sys.modules["torch"].version.cuda is not None:
        wanted["gpu"] = partial(_load, "gpu", **lines)
    return sources.load_sources(NAME, wanted)


def _load(name: str, **arguments: Any) -> Source:
    source: Source = import_module(f"laptime.frameworks.torch.{name}").load(**arguments)
    return source
