"""The GPU as a source that is switched with the steps of a PyTorch program.

Only one tool at a time can use CUPTI. A program that starts torch.profiler for its GPU gets it.
Laptime releases CUPTI first, reports that in one line, and stays off.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch
from torch.autograd.profiler import profile

from laptime._messages import say
from laptime._native import gpu as _native
from laptime._native import recording
from laptime.collect import cuda
from laptime.collect.patches import Patches
from laptime.collect.source import Source


def load(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> TorchGpu | cuda.Off:
    source = cuda.load(include, exclude)
    return TorchGpu(source) if isinstance(source, cuda.GpuSource) else source


class TorchGpu(Source):
    kind = cuda.GpuSource.kind

    def __init__(self, source: cuda.GpuSource) -> None:
        self._source = source
        self._stands_aside = False
        self._patches = Patches()
        # laptime's own profiler, which may have replaced it, shares the GPU
        torchs = profile.__mro__[-2]
        self._patches.replace(torchs, "_prepare_trace", self._before_profiler)

    @property
    def switch(self) -> tuple[_native.Library, cuda.Requester]:
        return self._source.switch

    def on(self) -> None:
        self._source.on()

    def off(self) -> None:
        self._source.off()

    def at_step(self) -> None:
        self._source.at_step()

    def close(self) -> None:
        self._patches.remove()
        self._source.close()
        if self._stands_aside:
            self._source.resume()

    def _before_profiler(self, prepare: Callable[..., Any]) -> Callable[..., Any]:
        def _prepare_trace(profiler: profile) -> Any:
            if torch.profiler.ProfilerActivity.CUDA in getattr(profiler, "kineto_activities", ()):
                self._stand_aside()
            return prepare(profiler)

        return _prepare_trace

    def _stand_aside(self) -> None:
        if self._stands_aside:
            return
        self._stands_aside = True
        left = self._source.leave(torch.cuda.synchronize)
        say(
            "torch.profiler takes the GPU; laptime records no more GPU work"
            if left
            else "CUPTI was not released in time; torch.profiler may get no GPU work"
        )
        recording.warn(
            "gpu_left",
            "the GPU was left to the program's own torch.profiler; its work is recorded until then"
            " only",
        )
