"""line_profiler's settings: the defaults, and the TOML file that changes them.

The file is the given one, else ``$LINE_PROFILER_RC``, else the nearest ``line_profiler.toml`` or
``pyproject.toml`` that parses, from the current folder upwards. Its table is
``tool.line_profiler``.

Python 3.10 reads TOML only if the package tomli is installed. Without it, files that were not
requested are ignored.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

ConfigArgument = str | os.PathLike[str] | bool | None

DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "kernprof": {
        "line_by_line": False,
        "builtin": False,
        "rich": False,
        "skip_zero": False,
        "summarize": False,
        "preimports": True,
        "prof_imports": False,
        "verbose": 0,
        "outfile": "",
        "setup": "",
        "unit": 1e-6,
        "output_interval": 0,
        "prof_mod": [],
    },
    "cli": {"unit": 1e-6, "rich": False, "skip_zero": False, "sort": False, "summarize": False},
    "setup": {"environ_flags": ["LINE_PROFILE"], "cli_flags": ["--line-profile", "--line_profile"]},
    "write": {
        "output_prefix": "profile_output",
        "lprof": True,
        "text": True,
        "timestamped_text": True,
        "stdout": True,
    },
    "show": {
        "sort": True,
        "stripzeros": True,
        "rich": True,
        "details": False,
        "summarize": True,
        "column_widths": {"line": 6, "hits": 9, "time": 12, "perhit": 8, "percent": 8},
    },
}


class Config(NamedTuple):
    path: str | None  # of the file that was read
    tables: Mapping[str, Mapping[str, Any]]


class ConfigError(ValueError):
    """A requested file cannot be used. The message is one line."""


class MissingConfig(ConfigError, FileNotFoundError):
    """The file does not exist. line_profiler raises a FileNotFoundError here."""


def load(config: ConfigArgument = None) -> Config:
    """``False``: the defaults alone. ``None`` or ``True``: looks for a file. Otherwise the file,
    which must then be valid.
    """
    if config is False:
        return Config(None, DEFAULTS)
    requested = None if config is None or config is True else os.fspath(config)
    path, content = _read(requested) if requested else _look_for_file()
    if path is None:
        return Config(None, DEFAULTS)
    try:
        return Config(
            path,
            _merged(
                DEFAULTS,
                _table(_table(content, "tool"), "tool.line_profiler"),
                "tool.line_profiler",
            ),
        )
    except TypeError as error:
        if requested:
            raise ConfigError(f"Cannot load configurations from {requested!r}: {error}") from None
        return Config(None, DEFAULTS)


def column_widths(config: ConfigArgument = None) -> Mapping[str, int]:
    """At least the default widths, because narrower ones would not hold the headings."""
    return _column_widths(
        config if config is None or isinstance(config, bool) else os.fspath(config)
    )


@functools.lru_cache(maxsize=16)
def _column_widths(config: str | bool | None) -> Mapping[str, int]:
    least = DEFAULTS["show"]["column_widths"]
    wanted = load(config).tables["show"]["column_widths"]
    return MappingProxyType({column: max(width, wanted[column]) for column, width in least.items()})


def says_yes(text: str) -> bool:
    return text.casefold() not in ("", "0", "off", "false", "f", "no", "n")


def _toml_reader() -> Any:
    try:
        import tomllib  # type: ignore[import-not-found, unused-ignore]
    except ImportError:
        import tomli as tomllib  # type: ignore[import-not-found, no-redef, unused-ignore]
    return tomllib


def _read(path: str) -> tuple[str, dict[str, Any]]:
    try:
        tomllib = _toml_reader()
    except ImportError:
        raise ConfigError(
            f"Cannot load configurations from {path!r}: Python 3.10 needs the package tomli for"
            " that"
        ) from None
    try:
        with open(path, "rb") as file:
            return os.path.abspath(path), tomllib.load(file)
    except FileNotFoundError as error:
        raise MissingConfig(f"Cannot load configurations from {path!r}: {error}") from None
    except (OSError, ValueError) as error:
        raise ConfigError(f"Cannot load configurations from {path!r}: {error}") from None


def _look_for_file() -> tuple[str | None, dict[str, Any]]:
    named = os.environ.get("LINE_PROFILER_RC")
    for candidate in [named] if named else _candidates():
        try:
            return _read(candidate)
        except ConfigError:
            continue
    return None, {}


def _candidates() -> Iterator[str]:
    folder = os.getcwd()
    while True:
        for name in ("line_profiler.toml", "pyproject.toml"):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                yield path
        if folder == os.path.dirname(folder):
            return
        folder = os.path.dirname(folder)


def _table(content: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    """The table at a dotted path within a table."""
    table = content.get(path.rpartition(".")[2], {})
    if not isinstance(table, Mapping):
        raise TypeError(f"{path!r} is no table")
    return table


def _merged(defaults: Mapping[str, Any], given: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The defaults with the given values. Unknown names are left out."""
    given = {key.replace("-", "_"): value for key, value in given.items()}
    return {
        key: (
            _merged(default, _table(given, f"{path}.{key}"), f"{path}.{key}")
            if isinstance(default, Mapping)
            else given.get(key, default)
        )
        for key, default in defaults.items()
    }
