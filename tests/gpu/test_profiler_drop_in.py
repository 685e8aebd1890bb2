"""laptime's torch.profiler with CUDA beside the original, over the same steps."""

import json

import pytest

torch = pytest.importorskip("torch")

STEPS = 5


def profiled(profile, tmp_path, **more):
    """The profiler after a warm-up and STEPS steps of a small training, with its trace."""
    from torch.profiler import ProfilerActivity

    torch.manual_seed(0)
    net = torch.nn.Sequential(
        torch.nn.Linear(256, 512), torch.nn.ReLU(), torch.nn.Linear(512, 10)
    ).cuda()
    optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)
    batch = torch.randn(64, 256)

    def step():
        loss = net(batch.cuda()).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss.item()

    for _ in range(3):
        step()
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA], **more) as profiler:
        for _ in range(STEPS):
            step()
    trace = tmp_path / f"{profile.__module__}.json"
    profiler.export_chrome_trace(str(trace))
    return profiler, json.loads(trace.read_text())


def test_cycles_of_a_schedule_all_have_their_kernels():
    """First: where torch.profiler has been, CUPTI cannot be had again."""
    from laptime.compat.torch_profiler import ProfilerActivity, profile, schedule

    x = torch.ones(64, 64, device="cuda")
    found = []
    with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=1, active=2, repeat=3),
        on_trace_ready=lambda p: found.append(len(on_device(p))),
    ) as profiler:
        for _ in range(12):
            x = x @ x / 64
            profiler.step()
    assert len(found) == 3 and len(set(found)) == 1 and found[0] >= 4


@pytest.fixture(scope="module")
def pair(tmp_path_factory):
    """The original second, once laptime has left CUPTI to it: it keeps it."""
    from laptime.compat.torch_profiler import profile as ours
    from laptime.compat.torch_profiler import sources
    from torch.profiler import profile as theirs

    folder = tmp_path_factory.mktemp("traces")
    mine = profiled(ours, folder, record_shapes=True, profile_memory=True)
    assert sources.gpu().leave(torch.cuda.synchronize)
    return mine, profiled(theirs, folder, record_shapes=True, profile_memory=True)


def on_device(profiler):
    cuda = torch.autograd.DeviceType.CUDA
    return sorted(
        e.name
        for e in profiler.events()
        if e.device_type == cuda and not getattr(e, "is_user_annotation", False)
    )


def test_the_same_kernels_and_copies_by_the_same_names(pair):
    (ours, _), (theirs, _) = pair
    assert on_device(ours) == on_device(theirs)
    assert len(on_device(ours)) > 10 * STEPS


def test_ops_have_the_time_of_the_kernels_that_they_launched(pair):
    (ours, _), (theirs, _) = pair
    for key in ("aten::addmm", "aten::mm", "aten::copy_"):
        mine, original = (next(a for a in p.key_averages() if a.key == key) for p in (ours, theirs))
        assert mine.count == original.count
        assert mine.device_time_total == pytest.approx(original.device_time_total, rel=0.25), key
        assert mine.self_device_time_total == pytest.approx(
            original.self_device_time_total, rel=0.25
        ), key


def test_the_table_has_torchs_columns(pair):
    (ours, _), (theirs, _) = pair

    def columns(profiler):
        return [
            word
            for word in profiler.key_averages()
            .table(sort_by="self_cuda_time_total", row_limit=5)
            .splitlines()[1]
            .split("  ")
            if word.strip()
        ]

    assert [c.strip() for c in columns(ours)] == [c.strip() for c in columns(theirs)]
    assert "Self CUDA time total" in ours.key_averages().table()


def test_the_trace_ties_each_kernel_to_its_launch(pair):
    (_, trace), _ = pair
    events = trace["traceEvents"]
    launches = {
        e["args"]["correlation"]
        for e in events
        if e.get("cat") == "cuda_runtime" and "correlation" in e["args"]
    }
    kernels = [e for e in events if e.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")]
    assert kernels and all(e["args"]["correlation"] in launches for e in kernels)
    assert all(e["pid"] == 0 and e["args"]["stream"] == e["tid"] for e in kernels)
    assert all(
        {"grid", "block", "registers per thread", "shared memory"} <= set(e["args"])
        for e in kernels
        if e["cat"] == "kernel"
    )
    assert {e["args"]["labels"] for e in events if e.get("name") == "process_labels"} >= {
        "CPU",
        "GPU 0",
    }
