"""What torch's CPU allocator does, against torch.profiler's own account of it and against what a
model must hold.
"""

import ctypes
import gc
import os
import threading
import weakref
from contextlib import contextmanager
from pathlib import Path

import laptime
import pytest
import torch
from laptime._native import recording
from laptime.frameworks.torch import memory, ops, shim_build
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
from torch_runs import read_tables
from watching_mode import WatchingMode


@pytest.fixture(autouse=True)
def no_models_of_other_tests():
    gc.collect()


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(1, 4, 3)
        self.norm = nn.BatchNorm2d(4)
        self.fc = nn.Linear(4 * 6 * 6, 10)

    def forward(self, x):
        x = torch.relu(self.norm(self.conv(x)))
        return self.fc(x.flatten(1))


def learn(model, optimizer, x, y):
    optimizer.zero_grad()
    nn.functional.cross_entropy(model(x), y).backward()
    optimizer.step()


def batch():
    return torch.randn(8, 1, 8, 8), torch.randint(0, 10, (8,))


@contextmanager
def recorded(path, *sources):
    """Records with these sources alone, without hooks."""
    assert recording.start(str(path)) == ""
    try:
        for source in sources:
            source.on()
        yield
        for source in sources:
            source.off()
    finally:
        for source in sources:
            source.close()
        recording.stop()


def step(source):
    source.at_step()
    recording.mark_step()


def total(rows, column):
    return sum(row[column] for row in rows)


def bytes_of(tensors):
    return sum(tensor.untyped_storage().nbytes() for tensor in tensors)


def test_counts_and_peak_are_those_of_torch_profiler(tmp_path):
    model, (x, y) = Net(), batch()
    optimizer = torch.optim.Adam(model.parameters())
    learn(model, optimizer, x, y)
    optimizer.zero_grad()
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
        ) as profiler:
            for _ in range(4):
                learn(model, optimizer, x, y)
                step(source)
    events = [
        event for event in profiler.profiler.kineto_results.events() if event.name() == "[memory]"
    ]
    theirs = [event.nbytes() for event in sorted(events, key=lambda event: event.start_ns())]
    tables = read_tables(tmp_path / "run.lap", "memory_steps", "memory_curve")
    steps = tables["memory_steps"]
    assert len(steps) == 4
    assert total(steps, "allocations") == sum(1 for n in theirs if n > 0)
    assert total(steps, "allocated_bytes") == sum(n for n in theirs if n > 0)
    assert total(steps, "releases") == sum(1 for n in theirs if n < 0)
    base = bytes_of([*model.parameters(), *model.buffers()]) + bytes_of(
        value for state in optimizer.state.values() for value in state.values()
    )
    live = peak = 0
    for n in theirs:
        live += n
        peak = max(peak, live)
    assert max(row["bytes"] for row in tables["memory_curve"]) == base + peak


@pytest.mark.parametrize("kind, states", [(torch.optim.SGD, 0), (torch.optim.Adam, 2)])
def test_roles_of_a_known_model(tmp_path, kind, states):
    model, (x, y) = Net(), batch()
    optimizer = kind(model.parameters(), lr=0.01)
    kept = []
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        for _ in range(3):
            learn(model, optimizer, x, y)
            kept.append(torch.zeros(1_000_000))  # the peak lies here, where all gradients are alive
            step(source)
            kept.clear()
    parameters = list(model.parameters())
    by_category = {
        row["category"]: row["bytes"]
        for row in read_tables(tmp_path / "run.lap", "memory", "--by", "category")["memory"]
    }
    assert by_category["parameter"] == bytes_of(parameters)
    assert by_category["gradient"] == bytes_of(parameter.grad for parameter in parameters)
    assert by_category["buffer"] == bytes_of(model.buffers())
    counters = 4 * len(parameters) if states else 0  # Adam's step numbers
    assert by_category.get("optimizer state", 0) == states * bytes_of(parameters) + counters


def test_lines_activations_inputs_and_growth(tmp_path):
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    data = DataLoader(
        TensorDataset(torch.randn(80, 1, 8, 8), torch.randint(0, 10, (80,))), batch_size=8
    )
    kept = []
    with laptime.profile(tmp_path / "run.lap", lines=False, memory=True, budget=None):
        for x, y in data:
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x), y)
            torch.zeros(200_000)  # the peak lies here, before backward
            loss.backward()
            optimizer.step()
            kept.append(torch.ones(500))
    tables = read_tables(tmp_path / "run.lap", "memory", "memory_growth", "memory_steps")
    assert {"parameter", "activation", "input"} <= {row["category"] for row in tables["memory"]}
    relu = Net.forward.__code__.co_firstlineno + 1
    (activations,) = (
        row for row in tables["memory"] if row["category"] == "activation" and row["line"] == relu
    )
    assert activations["file"] == __file__
    output = 8 * 4 * 6 * 6 * 4
    assert (
        2 * output <= activations["bytes"] < 3 * output
    )  # what norm and relu keep of it, and norm's mean and variance
    (growth,) = tables["memory_growth"]
    leak = test_lines_activations_inputs_and_growth.__code__.co_firstlineno + 14
    assert (growth["file"], growth["line"], growth["op"]) == (__file__, leak, "aten::ones")
    assert growth["bytes_per_step"] == 2000
    assert len(tables["memory_steps"]) == 10


def test_blocks_of_resting_times_and_other_threads(tmp_path):
    before = torch.zeros(1000)
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        first = torch.zeros(100)
        source.off()
        unseen = torch.zeros(200)
        holder = [first]
        del first
        thread = threading.Thread(target=holder.clear)
        thread.start()
        thread.join()
        source.on()
        del before, unseen
        grown = torch.zeros(10)
        grown.resize_(1000)
        shared = torch.from_numpy(torch.zeros(5).numpy().copy())
        del grown, shared
        recording.mark_step()
    (row,) = read_tables(tmp_path / "run.lap", "memory_steps")["memory_steps"]
    # first, grown twice, the source of shared; what was never told of does not come off
    assert (row["allocations"], row["releases"]) == (4, 4)
    assert row["allocated_bytes"] == row["released_bytes"] == 400 + 40 + 4000 + 20


def test_several_recordings_and_blocks_that_outlive_them(tmp_path):
    for number in range(2):
        source = memory.load()
        with recorded(tmp_path / f"{number}.lap", source):
            kept = torch.zeros(100)
            recording.mark_step()
        (row,) = read_tables(tmp_path / f"{number}.lap", "memory_steps")["memory_steps"]
        assert (row["allocations"], row["end_bytes"]) == (1, 400)
    del kept


def test_a_forked_child_goes_on_unrecorded(tmp_path):
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        inherited = torch.zeros(100)
        child = os.fork()
        if child == 0:
            del inherited
            torch.zeros(100)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        recording.mark_step()
    (row,) = read_tables(tmp_path / "run.lap", "memory_steps")["memory_steps"]
    assert (row["allocations"], row["end_bytes"]) == (1, 400)


def test_nothing_of_the_program_is_kept_alive(tmp_path):
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        model, (x, y) = Net(), batch()
        optimizer = torch.optim.Adam(model.parameters())
        learn(model, optimizer, x, y)
        step(source)
        watched = [weakref.ref(thing) for thing in (model, optimizer, model.fc.weight)]
        del model, optimizer, x, y
        gc.collect()
        assert [reference() for reference in watched] == [None] * 3


@pytest.fixture(scope="module")
def own_allocator(tmp_path_factory):
    """A library with an allocator of the program's own."""
    path = tmp_path_factory.mktemp("own") / "own.so"
    shim_build.compile_against(torch, [Path(__file__).parent / "own_allocator.cpp"], str(path))
    library = ctypes.CDLL(str(path))
    yield library
    library.own_restore()


def test_an_allocator_that_the_program_sets_later_works_and_is_followed(tmp_path, own_allocator):
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        first = torch.zeros(100)
        assert own_allocator.own_set()  # as it would without us
        unseen = torch.zeros(100)
        step(source)
        second = torch.zeros(50)
        del first, unseen
        recording.mark_step()
        del second
        source.off()
        torch.zeros(100)
    assert own_allocator.own_got() >= 3 and own_allocator.own_alive() == 0
    own_allocator.own_restore()
    first_step, second_step = read_tables(tmp_path / "run.lap", "memory_steps")["memory_steps"]
    assert (first_step["allocations"], first_step["end_bytes"]) == (1, 400)
    assert (second_step["allocations"], second_step["releases"], second_step["end_bytes"]) == (
        1,
        1,
        200,
    )


PROGRAM = """
    import torch
    from torch import nn
    torch.manual_seed(1)
    model = nn.Linear(20, 5)
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(30):
        optimizer.zero_grad()
        loss = model(torch.randn(4, 20)).pow(2).sum()
        loss.backward()
        optimizer.step()
    print(loss.item())
    kept = torch.zeros(100)  # freed while the interpreter ends
"""


def test_same_results_and_a_clean_end(run, tmp_path):
    with_memory, found = run(PROGRAM, "--memory", "--full")
    without, _ = run(PROGRAM, "--no-ops")
    assert with_memory.stdout == without.stdout
    assert "laptime" not in with_memory.stderr.replace("laptime: building", "")
    assert len(found.steps) == 30


class Own(torch.Tensor):
    """Of a class with a say in everything that is asked of its tensors."""

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        asked.append(function)
        return super().__torch_function__(function, types, args, kwargs or {})


asked = []


def test_roles_told_inside_of_one_another_and_of_subclasses(tmp_path):
    """A thread's roles do not mix with what another tells while the first one reads its tensors."""
    source = memory.load()
    with recorded(tmp_path / "run.lap", source):
        state, more, parameter, own = (
            torch.ones(1 << 16),
            torch.ones(1 << 17),
            torch.ones(1 << 18),
            torch.ones(1 << 19).as_subclass(Own),
        )
        asked.clear()

        def tensors():
            yield state
            source._memory.mark_parameters([parameter, "no tensor"])
            yield from (more, own, None)

        source._memory.mark(tensors(), "optimizer state")
        assert asked == []
        recording.mark_step()
    by_category = {
        row["category"]: row["bytes"]
        for row in read_tables(tmp_path / "run.lap", "memory", "--by", "category")["memory"]
    }
    by_category.pop("unknown", None)
    assert by_category == {
        "optimizer state": bytes_of([state, more, own]),
        "parameter": bytes_of([parameter]),
    }


def test_modes_of_the_program_see_nothing_of_it(tmp_path):
    model, (x, y) = Net(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    source = memory.load()
    with recorded(tmp_path / "run.lap", source), WatchingMode() as mode:
        for _ in range(2):
            learn(model, optimizer, x, y)
            step(source)
    assert mode.seen and torch.Tensor._cdata.__get__ not in mode.seen
    by_category = {
        row["category"]: row["bytes"]
        for row in read_tables(tmp_path / "run.lap", "memory", "--by", "category")["memory"]
    }
    assert by_category["parameter"] == bytes_of(model.parameters())


def test_bytes_of_ops_are_those_of_torch_profiler(tmp_path):
    model, (x, y) = Net(), batch()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    both = ops.load(), memory.load()
    with recorded(tmp_path / "run.lap", *both):
        with torch.profiler.profile(
            activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True
        ) as profiler:
            for _ in range(3):
                learn(model, optimizer, x, y)
                step(both[1])
    theirs = {
        event.key: event.self_cpu_memory_usage
        for event in profiler.key_averages()
        if event.key != "[memory]"
    }
    ours = {
        row["name"]: row["self_bytes"] for row in read_tables(tmp_path / "run.lap", "ops")["ops"]
    }
    assert {name: n for name, n in ours.items() if n} == {
        name: n for name, n in theirs.items() if n
    }
    rows = read_tables(tmp_path / "run.lap", "memory")["memory"]
    assert sum(row["share"] for row in rows if row["share"] is not None) == pytest.approx(1)
