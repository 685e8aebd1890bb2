"""torch.compile: what was compiled, why again, where a graph broke; garbage collections beside."""

import gc
import json
import subprocess

import laptime
import torch
from torch.utils.data import DataLoader, TensorDataset
from torch_runs import LAPTIME


def spans(path, tmp_path):
    out = tmp_path / "trace.json"
    subprocess.run(
        [LAPTIME, "export", path, "--to", "chrome", "-o", out], check=True, capture_output=True
    )
    return [event for event in json.loads(out.read_text())["traceEvents"] if event.get("ph") == "X"]


def scaled(x, factor):
    y = x * factor
    print("a graph breaks here")
    return y.sum()


def test_compilations_recompilations_and_graph_breaks(tmp_path, capsys):
    torch._dynamo.reset()
    compiled = torch.compile(scaled, backend="eager", dynamic=False)
    with laptime.profile(tmp_path / "run.lap", lines=False, ops=False):
        compiled(torch.randn(4), 2.0)
        compiled(torch.randn(6), 2.0)
        torch._dynamo.reset()
        compiled(torch.randn(4), 2.0)
    found = spans(tmp_path / "run.lap", tmp_path)
    by_name = {
        name: [event for event in found if event["name"] == name]
        for name in ("torch.compile", "recompile", "graph break")
    }
    assert all(by_name.values())
    assert {event["args"].get("function") for event in by_name["recompile"]} >= {"scaled"}
    assert "size mismatch" in by_name["recompile"][0]["args"]["reason"]
    line = scaled.__code__.co_firstlineno + 2
    assert any(
        str(line) in json.dumps(event["args"]) and "print" in event["args"]["reason"]
        for event in by_name["graph break"]
    )
    assert sum(event["dur"] for event in by_name["torch.compile"]) > 0


def test_compiled_training_step_as_without_us(record):
    got = []

    def train():
        torch._dynamo.reset()
        torch.manual_seed(0)
        model = torch.nn.Linear(4, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

        @torch.compile(backend="eager")
        def step(x):
            optimizer.zero_grad()
            model(x).sum().backward()
            optimizer.step()

        for (x,) in DataLoader(TensorDataset(torch.randn(40, 4)), batch_size=8):
            step(x)
        got.append([parameter.detach().clone() for parameter in model.parameters()])

    train()
    run = record(train)
    assert all(torch.equal(a, b) for a, b in zip(*got))
    assert set(run.phases) == {"train"} and sum(run.samples) == 40 and len(run.phases) >= 4


def test_garbage_collections(tmp_path):
    with laptime.profile(tmp_path / "run.lap", lines=False, ops=False):
        gc.collect()
        gc.collect(0)
    names = [event["name"] for event in spans(tmp_path / "run.lap", tmp_path)]
    assert "gc 2" in names and "gc 0" in names
    assert not [
        callback
        for callback in gc.callbacks
        if "laptime" in type(getattr(callback, "__self__", None)).__module__
    ]
