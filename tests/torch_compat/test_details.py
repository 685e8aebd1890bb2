"""What torch.profiler shows of ops beside their times, and of the program's state: laptime's beside
the original's.
"""

import copy
import json
import pickle
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
import torch
from laptime.compat import torch_profiler
from laptime.compat.torch_profiler import (
    ExecutionTraceObserver,
    ProfilerActivity,
    profile,
    record_function,
    schedule,
)
from torch.profiler import profile as original
from training import Training, run

CPU = [ProfilerActivity.CPU]
BOTH = pytest.mark.parametrize("profiler", [original, profile], ids=["theirs", "ours"])


def ops_in(profile, folder):
    path = folder / "trace.json"
    profile.export_chrome_trace(str(path))
    return [
        e
        for e in json.loads(path.read_text())["traceEvents"]
        if e.get("cat") in ("cpu_op", "user_annotation")
    ]


def test_an_annotation_that_is_open_at_stop_is_kept_up_to_there():
    found = {}
    for profiler in (original, profile):
        p = profiler(activities=CPU)
        p.start()
        with record_function("outer"):
            torch.ones(2)
            with record_function("inner"):
                torch.ones(2)
                p.stop()
        found[profiler] = {e.name: e for e in p.events() if e.is_user_annotation}
    ours = found[profile]
    assert set(ours) == set(found[original]) == {"outer", "inner"}
    assert ours["inner"].cpu_parent is ours["outer"]
    assert ours["outer"].cpu_time_total >= ours["inner"].cpu_time_total > 0
    assert [c.name for c in ours["inner"].cpu_children] == ["aten::ones"]


def test_a_step_inside_of_an_annotation_keeps_it():
    cycles = {original: [], profile: []}
    for profiler, names in cycles.items():
        with profiler(
            activities=CPU,
            schedule=schedule(wait=0, warmup=1, active=1, repeat=2),
            on_trace_ready=lambda p, names=names: names.append(sorted(e.name for e in p.events())),
        ) as p:
            for _ in range(4):
                with record_function("around"):
                    torch.ones(2)
                    p.step()
    assert cycles[profile] == cycles[original]
    assert [names.count("around") for names in cycles[profile]] == [1, 1]


@BOTH
def test_torch_reports_that_it_is_profiled(profiler):
    assert not torch.autograd._profiler_enabled()
    with profiler(activities=CPU) as p:
        assert torch.autograd._profiler_enabled()
        with torch._C._profiler._RecordFunctionFast("fast"):
            torch.ones(2)
    assert not torch.autograd._profiler_enabled()
    assert "fast" in {e.name for e in p.events()}


@BOTH
def test_data_pipes_have_rows(profiler):
    pipe = torch.utils.data.datapipes.iter.IterableWrapper(range(3)).map(str)
    with profiler(activities=CPU) as p:
        list(pipe)
    assert any("Mapper" in e.name for e in p.events())


def test_averages_pickle_and_copy():
    averages = run(profile, record_shapes=True).key_averages(group_by_input_shape=True)
    for other in (pickle.loads(pickle.dumps(averages)), copy.deepcopy(averages)):
        assert [(a.key, a.count, a.self_cpu_time_total, a.input_shapes) for a in other] == [
            (a.key, a.count, a.self_cpu_time_total, a.input_shapes) for a in averages
        ]


def test_record_function_ids_are_unique(tmp_path):
    ids = [e["args"]["Record function id"] for e in ops_in(run(profile), tmp_path)]
    assert len(ids) > 100 and 0 not in ids and len(set(ids)) == len(ids)


def test_execution_traces_link_by_record_function_ids(tmp_path):
    observer = ExecutionTraceObserver().register_callback(str(tmp_path / "execution.json"))
    p = run(profile, execution_trace_observer=observer)
    observer.unregister_callback()
    nodes = {}
    for node in json.loads((tmp_path / "execution.json").read_text())["nodes"]:
        for attribute in node["attrs"]:
            if attribute["name"] == "rf_id" and attribute["value"]:
                nodes[attribute["value"]] = node["name"]
    ops = ops_in(p, tmp_path)
    assert len(ops) > 100
    assert all(nodes[e["args"]["Record function id"]] == e["name"] for e in ops)


def test_inputs_are_those_of_the_original(tmp_path):
    def inputs(profiler):
        ops = ops_in(run(profiler, record_shapes=True, steps=1), tmp_path)
        return Counter(
            (e["name"], str(e["args"].get("Input Strides")), str(e["args"].get("Concrete Inputs")))
            for e in ops
            if e["name"]
            in (
                "aten::conv2d",
                "aten::addmm",
                "aten::add_",
                "aten::threshold_backward",
                "aten::flatten",
            )
        )

    theirs, ours = inputs(original), inputs(profile)
    assert ours == theirs and len(ours) > 4


@BOTH
def test_values_and_keywords_of_inputs_are_in_events(profiler):
    with profiler(activities=CPU, record_shapes=True) as p:
        torch.zeros(2, 6).as_strided([4, 3], [1, 4])
        with torch._C._profiler._RecordFunctionFast(
            "with keywords", [torch.ones(2)], {"stream": 0, "grid": "g"}
        ):
            pass
    events = {e.name: e for e in p.events()}
    assert events["aten::as_strided"].concrete_inputs[1:3] == [[4, 3], [1, 4]]
    assert events["with keywords"].kwinputs == {"stream": 0, "grid": "g"}


def test_module_hierarchy_of_torch_script(tmp_path):
    class Inner(torch.nn.Module):
        def forward(self, x):
            return x.sigmoid()

    class Outer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.inner = Inner()

        def forward(self, x):
            return self.inner(x).tanh()

    script = torch.jit.script(Outer())
    found = []
    for profiler in (original, profile):
        with profiler(activities=CPU, with_modules=True) as p:
            script(torch.ones(2))
        found.append(
            {
                e["name"]: e["args"].get("Module Hierarchy")
                for e in ops_in(p, tmp_path)
                if e["name"] in ("aten::sigmoid", "aten::tanh")
            }
        )
    assert found[1] == found[0] and "inner(Inner)" in found[1]["aten::sigmoid"]


def test_the_rest_of_the_interface_is_there():
    assert torch_profiler.itt is torch.profiler.itt
    low = torch_profiler._KinetoProfile(activities=CPU)
    low.start()
    torch.ones(2)
    low.stop()
    assert isinstance(low, torch.profiler._KinetoProfile) and isinstance(
        profile(activities=CPU), torch_profiler._KinetoProfile
    )
    assert "aten::ones" in {e.name for e in low.events()}


def test_options_that_laptime_does_not_have_keep_their_effect(capfd):
    config = torch._C._profiler._ExperimentalConfig(capture_overload_names=True)
    with profile(activities=CPU, experimental_config=config) as p:
        torch.ones(2).add(1)
    assert "Tensor" in {e.overload_name for e in p.events() if e.name == "aten::add"}
    assert (
        "experimental_config's capture_overload_names; PyTorch's own profiler does"
        in capfd.readouterr().err
    )
    with (
        pytest.raises(RuntimeError),
        profile(activities=[{ProfilerActivity.CPU: ["NO_SUCH_TYPE"]}]),
    ):
        pass
    verbose = torch._C._profiler._ExperimentalConfig(verbose=True)
    with profile(activities=CPU, with_stack=True, experimental_config=verbose) as p:
        torch.ones(2)
    assert isinstance(p.profiler, torch_profiler.autograd.profile)


def test_a_timeout_leaves_partial_results(caplog):
    p = run(profile, post_processing_timeout_s=0.0)
    assert len(p.events()) < len(p.profiler.cycles()[0]) and "partial results" in caplog.text
    assert sum(a.count for a in p.key_averages()) == len(p.profiler.cycles()[0])


def test_memory_timelines_have_their_categories(tmp_path):
    from laptime.compat.torch_profiler.memory_categories import CATEGORIES

    p = run(profile, profile_memory=True)
    p.export_memory_timeline(str(tmp_path / "memory.json"), device="cpu")
    _, sizes = json.loads((tmp_path / "memory.json").read_text())
    most = {name: max(row[n + 1] for row in sizes) for n, name in enumerate(CATEGORIES)}
    assert all(
        most[name] > 0 for name in ("activation", "gradient", "temporary", "autograd detail")
    )
    activations = Training().images.shape[0] * 4 * 26 * 26 * 4  # what the convolution gives
    assert activations <= most["activation"] < 20 * activations


def test_without_a_compiler_torch_gives_shapes_flops_and_memory(tmp_path):
    program = tmp_path / "program.py"
    program.write_text("""
import torch
from laptime.compat.torch_profiler import ProfilerActivity, profile
more = {"record_shapes": True, "with_flops": True, "profile_memory": True}
with profile(activities=[ProfilerActivity.CPU], **more) as p:
    torch.ones(8, 8) @ torch.ones(8, 8)
mm = next(e for e in p.events() if e.name == "aten::mm")
print(mm.input_shapes, mm.flops, mm.cpu_memory_usage)
with profile(activities=[ProfilerActivity.CPU]) as p:
    torch.ones(8)
print(type(p.profiler).__module__, len(p.events()) > 0)
""")
    environment = {
        "PATH": "/nowhere",
        "HOME": str(tmp_path),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "CXX": "/nowhere/c++",
    }
    done = subprocess.run(
        [sys.executable, str(program)],
        capture_output=True,
        text=True,
        env=environment,
        cwd=Path(tmp_path),
        timeout=120,
    )
    assert done.stdout.splitlines() == [
        "[[8, 8], [8, 8]] 1024 256",
        "laptime.compat.torch_profiler.autograd True",
    ], done.stderr
    assert "without a C++ compiler; PyTorch's own profiler does" in done.stderr
