"""What laptime's torch.profiler writes: traces as Kineto's, the TensorBoard handler's files,
stacks, memory.
"""

import gzip
import json
import re
import socket
from collections import Counter

import pytest
from laptime.compat.torch_profiler import profile, schedule, tensorboard_trace_handler
from torch.profiler import profile as original
from training import run


@pytest.fixture(scope="module")
def traces(tmp_path_factory):
    """The same steps as written by torch and by laptime."""
    loaded = []
    for profiler in (original, profile):
        path = str(tmp_path_factory.mktemp("traces") / "trace.json")
        p = run(
            profiler, steps=4, record_shapes=True, schedule=schedule(wait=1, warmup=1, active=2)
        )
        p.add_metadata("note", 'with "quotes"')
        p.add_metadata_json("numbers", "[1, 2]")
        p.export_chrome_trace(path)
        with open(path) as file:
            loaded.append(json.load(file))
    return loaded


def events(trace, **wanted):
    return [e for e in trace["traceEvents"] if all(e.get(k) == v for k, v in wanted.items())]


def test_same_events(traces):
    def names(trace):
        return Counter((e["cat"], e["name"]) for e in events(trace, ph="X") if e["cat"] != "Trace")

    theirs, ours = map(names, traces)
    for helper in [key for key in theirs if key[1].startswith("profiler::_record_function")]:
        del theirs[helper]
    assert ours == theirs


def test_steps_have_their_numbers(traces):
    assert [
        e["name"] for e in events(traces[1], cat="user_annotation") if e["name"].startswith("Prof")
    ] == ["ProfilerStep#2", "ProfilerStep#3"]


def test_arguments_are_kinetos(traces):
    for name in ("aten::conv2d", "aten::addmm", "ConvolutionBackward0", "forward"):
        theirs, ours = (events(trace, ph="X", name=name)[0]["args"] for trace in traces)
        assert set(ours) <= set(theirs)
        for key in ("Input Dims", "Input type"):
            assert ours.get(key) == theirs.get(key), (name, key)
        assert set(ours) >= {"External id", "Ev Idx", "Record function id"}
        assert ("Sequence number" in ours, ours.get("Fwd thread id")) == (
            "Sequence number" in theirs,
            theirs.get("Fwd thread id"),
        )


def test_flows_lead_from_forward_to_backward(traces):
    theirs, ours = (sorted((a["name"], b["name"]) for a, b in _ends(trace)) for trace in traces)
    assert ours == theirs and len(ours) > 5


def _ends(trace):
    """The ops at the two ends of each flow."""
    at = {}
    for event in events(trace, ph="X", cat="cpu_op"):
        at.setdefault((event["tid"], event["ts"]), event)
    starts = {e["id"]: e for e in events(trace, ph="s", cat="fwdbwd")}
    return [
        (at[starts[e["id"]]["tid"], starts[e["id"]]["ts"]], at[e["tid"], e["ts"]])
        for e in events(trace, ph="f", cat="fwdbwd")
    ]


def test_top_level_fields(traces):
    theirs, ours = traces
    assert set(theirs) - set(ours) <= {"deviceProperties", "host_name"}
    assert ours["note"] == 'with "quotes"' and ours["numbers"] == [1, 2]
    assert ours["record_shapes"] == 1 and re.fullmatch("[0-9A-F]{32}", ours["trace_id"])
    assert {type(e["ts"]) for e in events(ours, ph="X")} <= {float, int}
    assert (
        abs(
            ours["baseTimeNanoseconds"] / 1e9
            + events(ours, ph="X")[0]["ts"] / 1e6
            - __import__("time").time()
        )
        < 600
    )


def test_modules_have_rows_for_the_module_view(tmp_path):
    path = tmp_path / "trace.json"
    run(profile, with_modules=True, steps=2).export_chrome_trace(str(path))
    trace = json.loads(path.read_text())
    rows = events(trace, ph="X", cat="python_function")
    modules = [
        "Net",
        "Net.features",
        "Net.features.0",
        "Net.features.1",
        "Net.features.2",
        "Net.classifier",
    ]
    assert [row["name"] for row in rows] == [f"nn.Module: {module}" for module in modules] * 2
    names = {row["args"]["Python id"]: row["name"] for row in rows}
    parents = [names.get(row["args"]["Python parent id"]) for row in rows[:6]]
    assert parents == [None, "nn.Module: Net", *["nn.Module: Net.features"] * 3, "nn.Module: Net"]
    assert [row["args"]["Python module id"] for row in rows[6:]] == [
        row["args"]["Python module id"] for row in rows[:6]
    ]
    convolution = events(trace, name="aten::conv2d")[0]
    assert (
        rows[2]["ts"]
        <= convolution["ts"]
        <= convolution["ts"] + convolution["dur"]
        <= rows[2]["ts"] + rows[2]["dur"] + 0.002
    )


def test_children_lie_within_their_parents(traces):
    open_until = []
    for event in sorted(events(traces[1], ph="X"), key=lambda e: (e["ts"], -e["dur"])):
        if event["cat"] == "Trace":
            continue
        while open_until and event["ts"] >= open_until[-1] - 0.0005:
            open_until.pop()
        assert not open_until or event["ts"] + event["dur"] <= open_until[-1] + 0.002
        open_until.append(event["ts"] + event["dur"])


def test_gzip_and_twice(tmp_path):
    p = run(profile)
    p.export_chrome_trace(str(tmp_path / "a.json"))
    p.export_chrome_trace(str(tmp_path / "b.json.gz"))
    with gzip.open(tmp_path / "b.json.gz", "rt") as file:
        zipped = json.load(file)
    assert zipped["traceEvents"] == json.loads((tmp_path / "a.json").read_text())["traceEvents"]


def test_an_unwritable_call_site_is_an_error(tmp_path):
    p = run(profile)
    with pytest.raises(RuntimeError, match="nowhere"):
        p.export_chrome_trace(str(tmp_path / "nowhere" / "trace.json"))


@pytest.mark.parametrize("worker, zipped", [(None, False), ("rank0", True)])
def test_tensorboard_files_have_their_names(tmp_path, worker, zipped):
    names = []
    for profiler in (original, profile):
        folder = tmp_path / profiler.__module__
        run(
            profiler,
            steps=4,
            schedule=schedule(wait=1, warmup=1, active=1, repeat=1),
            on_trace_ready=tensorboard_trace_handler(str(folder), worker, use_gzip=zipped),
        )
        names.append([re.sub(r"\d{10,}", "TIME", path.name) for path in folder.iterdir()])
    assert names[0] == names[1] and len(names[0]) == 1
    assert names[1][0].startswith(worker or socket.gethostname())


def test_stacks_are_folded(tmp_path):
    p = run(profile, with_stack=True)
    p.export_stacks(str(tmp_path / "stacks.txt"), "self_cpu_time_total")
    lines = (tmp_path / "stacks.txt").read_text().splitlines()
    assert lines and all(re.fullmatch(r"\S+ \d+", line) for line in lines)
    assert any(
        re.search(r"training.py.*;.*training.py.*;.*nn/modules/conv.py", line) for line in lines
    ), "callers first"
    with pytest.raises(ValueError, match="metric should be one of"):
        p.export_stacks(str(tmp_path / "stacks.txt"), "nothing")
    without = run(profile)
    with pytest.raises(AssertionError, match="requires with_stack=True"):
        without.export_stacks(str(tmp_path / "stacks.txt"))


def test_memory(tmp_path):
    pytest.importorskip("laptime.frameworks.torch.memory")
    theirs, ours = (
        run(profiler, profile_memory=True, record_shapes=True) for profiler in (original, profile)
    )
    usage = [
        {a.key: a.self_cpu_memory_usage for a in p.key_averages() if a.key.startswith("aten::")}
        for p in (theirs, ours)
    ]
    assert usage[1] == usage[0]
    assert "Self CPU Mem" in ours.key_averages().table()
    ours.export_memory_timeline(str(tmp_path / "memory.json"), device="cpu")
    times, sizes = json.loads((tmp_path / "memory.json").read_text())
    assert len(times) == len(sizes) > 10 and times == sorted(times)
    ours.export_memory_timeline(str(tmp_path / "memory.raw.json.gz"), device="cpu")
    with gzip.open(tmp_path / "memory.raw.json.gz", "rt") as file:
        raw = json.load(file)
    assert {len(event) for event in raw} == {4} and {event[1] for event in raw} <= {1, 2, 4}
    ours.export_memory_timeline(str(tmp_path / "memory.html"), device="cpu")
    assert "<svg" in (tmp_path / "memory.html").read_text()
    with pytest.raises(ValueError, match="profile_memory=True"):
        run(profile).export_memory_timeline(str(tmp_path / "memory.json"))
