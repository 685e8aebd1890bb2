"""The decorator ``profile`` that stays in the code. It does nothing until profiling is requested.

kernprof requests it, or ``LINE_PROFILE=1`` in the environment, ``--line-profile`` on the command
line, or ``profile.enable()``. Except under kernprof, the results are shown and written when the
interpreter exits.
"""

from __future__ import annotations

import atexit
import functools
import io
import os
import sys
from typing import TYPE_CHECKING, Any

from laptime.compat.line_profiler import config as configuration

if TYPE_CHECKING:
    from laptime.compat.line_profiler.counted import CountedProfiler

# The first process that profiles leaves its id here. So children that multiprocessing starts do not
# write its files.
_OWNER = "LINE_PROFILER_OWNER_PID"


class GlobalProfiler:
    """Settings are read when they are first needed. Until then the program may change them."""

    def __init__(self, config: configuration.ConfigArgument = None) -> None:
        self._config_argument = config
        self._profile: Any = None  # a LineProfiler, or the profiler that kernprof lends
        self._owner_pid: int | None = None
        self.enabled: bool | None = None  # None: not yet decided

    @functools.cached_property
    def _config(self) -> configuration.Config:
        return configuration.load(self._config_argument)

    @functools.cached_property
    def setup_config(self) -> dict[str, list[str]]:
        return dict(self._config.tables["setup"])

    @functools.cached_property
    def write_config(self) -> dict[str, Any]:
        return {
            key: value
            for key, value in self._config.tables["write"].items()
            if key != "output_prefix"
        }

    @functools.cached_property
    def show_config(self) -> dict[str, Any]:
        return {
            key: value
            for key, value in self._config.tables["show"].items()
            if key != "column_widths"
        }

    @functools.cached_property
    def output_prefix(self) -> str:
        prefix: str = self._config.tables["write"]["output_prefix"]
        return prefix

    def __call__(self, func: Any) -> Any:
        if self.enabled is None:
            self._decide()
        if not self.enabled or self._profile is None:
            return func
        return self._profile(func)

    def enable(self, output_prefix: str | None = None) -> None:
        if self._is_child_of_owner():
            self.enabled = False
            return
        self._owner_pid = os.getpid()
        os.environ[_OWNER] = str(self._owner_pid)
        if self._profile is None:
            from laptime.compat.line_profiler.profiler import LineProfiler

            self._profile = LineProfiler()
            atexit.register(self.show)
        self.enabled = True
        if output_prefix is not None:
            self.output_prefix = output_prefix

    def disable(self) -> None:
        """Functions that are decorated from now on stay unchanged."""
        self.enabled = False

    def show(self) -> None:
        """Writes the results where ``write_config`` sets it."""
        if self._profile is None or self._owner_pid != os.getpid():
            return
        settings = {"config": self._config.path or False, **self.show_config}
        if self.write_config["stdout"]:
            self._profile.print_stats(**settings)
        self._write_texts(settings)
        if self.write_config["lprof"]:
            from laptime.compat.line_profiler.options import python_command

            path = f"{self.output_prefix}.lprof"
            self._profile.dump_stats(path)
            print(f"Wrote profile results to {path}")
            print("To view details run:")
            print(f"{python_command()} -m laptime.line_profiler -rtmz {path}")

    def _write_texts(self, settings: dict[str, Any]) -> None:
        from datetime import datetime

        names = []
        if self.write_config["text"]:
            names.append(f"{self.output_prefix}.txt")
        if self.write_config["timestamped_text"]:
            names.append(f"{self.output_prefix}_{datetime.now():%Y-%m-%dT%H%M%S}.txt")
        if not names or self._profile is None:
            return
        text = io.StringIO()
        self._profile.print_stats(**{**settings, "stream": text, "rich": False, "details": True})
        for name in names:
            with open(name, "w", encoding="utf-8") as file:
                file.write(text.getvalue())
            print(f"Wrote profile results to {name}")

    def _kernprof_overwrite(self, profile: CountedProfiler | None) -> None:
        """Takes kernprof's profiler; None when kernprof is done. kernprof writes the results
        itself.
        """
        self._profile = profile
        self.enabled = True

    def _decide(self) -> None:
        by_environment = any(
            configuration.says_yes(os.environ.get(flag, ""))
            for flag in self.setup_config["environ_flags"]
        )
        if by_environment or any(flag in sys.argv for flag in self.setup_config["cli_flags"]):
            self.enable()
        else:
            self.disable()

    @staticmethod
    def _is_child_of_owner() -> bool:
        import multiprocessing

        owner = os.environ.get(_OWNER)
        return (
            bool(owner)
            and owner != str(os.getpid())
            and multiprocessing.parent_process() is not None
        )
