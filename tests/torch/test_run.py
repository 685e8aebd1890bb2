"""`laptime run` on programs that use torch: they notice nothing, and their steps are there."""

import subprocess
import sys
import textwrap

import pytest
from torch_runs import LAPTIME

TRAIN = """
    import hashlib
    import sys
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, TensorDataset

    torch.manual_seed(1)
    data = TensorDataset(torch.randn(96, 8), torch.randn(96, 1))
    model = nn.Sequential(nn.Linear(8, 16), nn.Dropout(0.3), nn.Linear(16, 1))
    optimizer = torch.optim.AdamW(model.parameters())
    warnings = []
    for _ in range(4):
        for x, y in DataLoader(data, batch_size=8, shuffle=True):
            optimizer.zero_grad(set_to_none=True)
            loss = (model(x) - y).pow(2).mean()
            loss.backward()
            optimizer.step()
            warnings.append(loss.item())
    weights = b"".join(p.detach().numpy().tobytes() for p in model.parameters())
    digest = hashlib.sha256(weights).hexdigest()
    print(digest, sum(warnings).hex(), torch.rand(3).tolist())
"""


def bare(tmp_path, source, name="program.py", code=0):
    (tmp_path / name).write_text(textwrap.dedent(source).lstrip("\n"))
    process = subprocess.run(
        [sys.executable, name], cwd=tmp_path, capture_output=True, text=True, timeout=300
    )
    assert process.returncode == code, process.stderr
    return process


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """The training without us."""
    return bare(tmp_path_factory.mktemp("bare"), TRAIN)


@pytest.mark.parametrize(
    "options",
    [(), ("--full", "--shapes"), ("--no-ops", "--no-lines")],
    ids=["default", "full", "no ops"],
)
def test_training_is_bitwise_the_same(run, trained, options):
    process, recorded = run(TRAIN, *options)
    assert process.stdout == trained.stdout and process.stderr == trained.stderr
    assert recorded.phases == ["train"] * 48 and recorded.samples == [8] * 48


def test_a_training_never_loads_the_reader(run):
    ends = """
    print("modules:", [name for name in ("_native", "_reader") if f"laptime.{name}" in sys.modules])
    print("mapped:", "/laptime/_reader." in open("/proc/self/maps").read())
"""
    process, recorded = run(TRAIN + ends, "--full", "--shapes")
    assert "modules: ['_native']" in process.stdout and "mapped: False" in process.stdout
    assert recorded.phases == ["train"] * 48


def test_steps_that_are_recorded(run):
    def flags(*options):
        return [step["recorded"] for step in run(TRAIN, *options)[1].steps]

    assert flags("--full") == [1] * 48
    assert flags("--steps", "3:5,10:12") == [
        1 if step in (3, 4, 10, 11) else 0 for step in range(48)
    ]
    budgeted = flags()
    assert budgeted[:2] == [0, 0] and sum(budgeted) >= 8 and 0 in budgeted[2:]


def test_tracebacks_have_no_frame_of_ours(run, tmp_path):
    source = """
        import torch
        from torch.utils.data import DataLoader

        class Breaks(torch.utils.data.Dataset):
            def __len__(self):
                return 4

            def __getitem__(self, index):
                raise ValueError("no such sample")

        for batch in DataLoader(Breaks()):
            pass
    """
    process, _ = run(source, code=1)
    assert (
        process.stderr == bare(tmp_path, source, code=1).stderr
        and "no such sample" in process.stderr
    )


def test_torch_imported_late_in_a_thread(run):
    _, recorded = run("""
        import threading

        def work():
            import torch
            parameter = torch.nn.Parameter(torch.ones(3))
            optimizer = torch.optim.SGD([parameter], lr=0.1)
            for _ in range(4):
                parameter.sum().backward()
                optimizer.step()

        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    """)
    assert recorded.phases == ["train"] * 4


def test_program_without_torch_pays_nothing(run):
    process, recorded = run("""
        import sys
        print(sorted(name for name in sys.modules if name.startswith("laptime.frameworks.torch")))
    """)
    assert process.stdout == "[]\n" and not recorded.steps


WORKERS = """
    import torch
    from torch.utils.data import DataLoader, Dataset

    class Squares(Dataset):
        def __len__(self):
            return 32

        def __getitem__(self, index):
            value = float(index)
            return torch.tensor([value * value])

    if __name__ == "__main__":
        parameter = torch.nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([parameter], lr=1e-9)
        loader = DataLoader(
            Squares(), batch_size=4, num_workers=2, multiprocessing_context="{how}"
        )
        for batch in loader:
            optimizer.zero_grad()
            (parameter * batch).sum().backward()
            optimizer.step()
        print(parameter.item())
"""


def without_trackers(stderr):
    """Without what Python's tracker of semaphores may warn of at the end of a program, with and
    without laptime.
    """
    return [
        line
        for line in stderr.splitlines()
        if "resource_tracker" not in line and not line.startswith("  warnings.warn(")
    ]


@pytest.mark.parametrize("how", ["fork", "spawn", "forkserver"])
def test_workers_record_their_parts(run, tmp_path, how):
    process, recorded = run(WORKERS.format(how=how))
    expected = bare(tmp_path, WORKERS.format(how=how))
    assert process.stdout == expected.stdout and without_trackers(
        process.stderr
    ) == without_trackers(expected.stderr)
    assert recorded.phases == ["train"] * 8 and recorded.calls["fetch"] == 8


def test_beside_the_programs_own_profilers(run):
    process, recorded = run(
        """
        import cProfile
        import torch
        from torch.profiler import ProfilerActivity, profile

        parameter = torch.nn.Parameter(torch.ones(64, 64))
        optimizer = torch.optim.SGD([parameter], lr=0.1)

        def train(steps):
            for _ in range(steps):
                optimizer.zero_grad()
                (parameter @ parameter).sum().backward()
                optimizer.step()

        with profile(activities=[ProfilerActivity.CPU]) as torch_profile:
            train(10)
        calls = {event.key: event.count for event in torch_profile.key_averages()}
        print(calls["aten::matmul"], calls["Optimizer.step#SGD.step"])
        profiler = cProfile.Profile()
        profiler.enable()
        train(10)
        profiler.disable()
        of_sgd = [entry for entry in profiler.getstats() if "sgd.py" in str(entry.code)]
        print(max(entry.callcount for entry in of_sgd if "step" in str(entry.code)))
    """,
        "--full",
    )
    assert process.stdout == "10 10\n10\n", process.stderr
    assert recorded.phases == ["train"] * 20


def test_no_loader_and_no_write_access_for_a_compiled_shim(run):
    """Ops that cannot be had are one line; the rest works."""
    process, recorded = run(
        TRAIN,
        env={"PATH": "/nonexistent", "CXX": "/nonexistent/c++", "XDG_CACHE_HOME": "/proc/nowhere"},
    )
    assert len([line for line in process.stderr.splitlines() if line.startswith("laptime: ")]) <= 1
    assert recorded.phases == ["train"] * 48


@pytest.mark.parametrize("text", ["5", "5:3", "a:b", "-1:4", "1:2:3"])
def test_bad_steps_get_one_line(tmp_path, text):
    process = subprocess.run(
        [LAPTIME, "run", f"--steps={text}", "-c", "1"], cwd=tmp_path, capture_output=True, text=True
    )
    assert (
        process.returncode == 2 and "--steps" in process.stderr and process.stderr.count("\n") == 1
    ), process.stderr
