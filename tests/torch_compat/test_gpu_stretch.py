"""Who switches the GPU's collector off again; its records are tested where there is a GPU."""

import pytest
import torch

from laptime import _cuda
from laptime.compat.torch_profiler import gpu_stretch, sources


class Source:
    def __init__(self, state):
        self.state = state

    def on(self):
        self.state = _cuda.CAPTURING

    def off(self):
        self.state = _cuda.DRAINING

    def flush(self): ...


@pytest.mark.parametrize("before, after", [(_cuda.IDLE, _cuda.DRAINING), (_cuda.FINALIZED, _cuda.DRAINING), (_cuda.CAPTURING, _cuda.CAPTURING)])
def test_a_stretch_leaves_the_gpu_as_it_found_it(monkeypatch, before, after):
    source = Source(before)
    monkeypatch.setattr(sources, "gpu", lambda: source)
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    stretch = gpu_stretch.GpuStretch()
    stretch.begin()
    assert source.state == _cuda.CAPTURING
    stretch.wait()
    stretch.end()
    assert source.state == after
