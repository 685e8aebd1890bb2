"""Who switches the GPU's collector off again; its records are tested where there is a GPU."""

import torch
from laptime.collect import cuda
from laptime.compat.torch_profiler import gpu_session, sources


class Source:
    state = cuda.State.IDLE

    def __init__(self):
        self.calls = []

    def on(self):
        self.calls.append("on")
        self.state = cuda.State.CAPTURING

    def off(self):
        self.calls.append("off")

    def flush(self):
        self.calls.append("flush")


def test_a_session_takes_back_its_own_request(monkeypatch):
    """A recording around it has its own (cuda_collector_test.cpp)."""
    source = Source()
    monkeypatch.setattr(sources, "gpu", lambda: source)
    monkeypatch.setattr(torch.cuda, "init", lambda: None)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: None)
    session = gpu_session.GpuSession()
    session.begin()
    session.wait()
    session.end()
    assert source.calls == ["on", "flush", "off"]
