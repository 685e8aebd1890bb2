"""``torch.profiler.profile`` over laptime's recording: the class that programs see."""

from __future__ import annotations

import gzip
import json
import os
import shutil
import tempfile
from collections.abc import Iterable
from typing import Any

import torch.profiler

from laptime.compat.torch_profiler import autograd, memory_timeline, own_options, sources

_FLAGS = ("profile_memory", "with_stack", "record_shapes", "with_modules", "with_flops")
_BACKEND_OPTIONS = (*_FLAGS, "acc_events", "custom_trace_id_callback", "post_processing_timeout_s")


class _KinetoProfile(torch.profiler._KinetoProfile):
    """See torch.profiler._KinetoProfile. With options that laptime does not have, torch's own
    profiler records.
    """

    profiler: Any

    def prepare_trace(self) -> None:
        if self._is_torchs():
            super().prepare_trace()
            return
        if self.profiler is None or not self.acc_events:
            options = {
                name: getattr(self, name) for name in _BACKEND_OPTIONS if hasattr(self, name)
            }
            self.profiler = autograd.profile(
                use_cpu=True, use_kineto=True, use_device=self._device(), **options
            )
        self.profiler._prepare_trace()

    def start_trace(self) -> None:
        if self._is_torchs():
            super().start_trace()
            return
        if self.execution_trace_observer:
            self.execution_trace_observer.start()
        self.profiler._start_trace()
        for flag in _FLAGS:
            if getattr(self, flag, False):
                self.add_metadata_json(flag, "1")
        distributed = self._get_distributed_info()
        if distributed:
            self.add_metadata_json("distributedInfo", json.dumps(distributed, default=str))
        for key, value in self.preset_metadata.items():
            self.add_metadata_json(key, value)

    def stop_trace(self) -> None:
        if self._is_torchs():
            super().stop_trace()
            return
        if self.execution_trace_observer:
            self.execution_trace_observer.stop()
        self.profiler.__exit__(None, None, None)

    def export_chrome_trace(self, path: str, use_python_export: bool = False) -> None:
        if self._is_torchs():
            options = {"use_python_export": True} if use_python_export else {}
            super().export_chrome_trace(path, **options)
            return
        self._expect_profiler("exporting chrome trace")
        metadata = {"trace_id": json.dumps(self.profiler.trace_id), **self._metadata()}
        if not path.endswith(".gz"):
            self.profiler.export_chrome_trace(path, metadata)
            return
        with tempfile.TemporaryDirectory(prefix="laptime-") as folder:
            plain = os.path.join(folder, os.path.basename(path).removesuffix(".gz"))
            self.profiler.export_chrome_trace(plain, metadata)
            with open(plain, "rb") as text, gzip.open(path, "wb") as out:
                shutil.copyfileobj(text, out)

    def add_metadata(self, key: str, value: str) -> None:
        if self._is_torchs():
            super().add_metadata(key, value)
        else:
            self._metadata()[key] = json.dumps(value)

    def add_metadata_json(self, key: str, value: str) -> None:
        if self._is_torchs():
            super().add_metadata_json(key, value)
        else:
            json.loads(value)  # invalid JSON would make the whole trace unreadable
            self._metadata()[key] = value

    def toggle_collection_dynamic(self, enable: bool, activities: Iterable[Any]) -> None:
        if self.profiler is not None:
            self.profiler.toggle_collection_dynamic(enable, activities)

    def events(self) -> Any:
        if self._is_torchs():
            return super().events()
        self._expect_profiler("accessing events")
        return self.profiler.function_events

    def export_memory_timeline(self, path: str, device: str | None = None) -> None:
        if self._is_torchs():
            super().export_memory_timeline(path, device)
            return
        self._expect_profiler("exporting memory")
        if not self.profile_memory:
            raise ValueError("profile_memory=True required for memory profiling.")
        memory_timeline.export(self.profiler.cycles()[0].loaded, path, device or "cpu")

    def _is_torchs(self) -> bool:
        """Whether torch's own profiler records. Decided once."""
        decided = self.__dict__.get("_is_torchs_decided")
        if decided is None:
            why = sources.problem(
                {activity.name for activity in self.activities},
                self._device(),
                details=self.record_shapes or self.with_flops or self.profile_memory,
            )
            if why is None:
                why = (
                    ", ".join(
                        own_options.of_torch(
                            self.experimental_config, getattr(self, "activity_filters", None)
                        )
                    )
                    or None
                )
            if why is not None:
                sources.fall_back(why)
            decided = self.__dict__["_is_torchs_decided"] = why is not None
        return decided

    def _device(self) -> str | None:
        device = self.use_device
        return None if device == "cuda" and not torch.cuda.is_available() else device

    def _metadata(self) -> dict[str, str]:
        metadata: dict[str, str] = self.__dict__.setdefault("_trace_metadata", {})
        return metadata

    def _expect_profiler(self, what: str) -> None:
        if self.profiler is None:
            raise AssertionError(f"Profiler must be initialized before {what}")


class profile(_KinetoProfile, torch.profiler.profile):
    """See torch.profiler.profile."""
