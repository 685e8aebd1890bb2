"""Ops with names, counts and nesting as torch.profiler has them, and with the lines that called
them.
"""

import gc
import threading
import weakref
from collections import Counter
from pathlib import Path

import marked_programs as programs
import pytest
import torch
from laptime.frameworks.torch import ops
from profiled_ops import everything, profiled
from recorded_ops import marked_lines, record

FILE = programs.__file__
MARKS = marked_lines(FILE)


@pytest.fixture
def recorded(tmp_path):
    return lambda function, **options: record(tmp_path / "run.lap", function, **options)[1]


def parents(spans):
    """[(name, name of the one around it)] of (thread, start, end, name)."""
    pairs, around = [], []
    for thread, start, end, name in sorted(spans, key=lambda span: (span[0], span[1], -span[2])):
        while around and not (
            around[-1][0] == thread and around[-1][1] <= start and end <= around[-1][2]
        ):
            around.pop()
        pairs.append((name, around[-1][3] if around else ""))
        around.append((thread, start, end, name))
    return sorted(pairs)


def lines_of(function_name):
    """The marked lines of one function of the programs."""
    import inspect

    target = getattr(programs, function_name)
    source, first = inspect.getsourcelines(target)
    return {(line, name) for line, name in MARKS if first <= line < first + len(source)}


def test_names_and_counts_are_torchs(recorded):
    everything()
    peer = profiled(everything)
    assert recorded(everything).counts() == Counter(event.name() for event in peer)


def test_nesting_is_torchs(recorded):
    everything()
    peer = parents(
        (event.start_thread_id(), event.start_ns(), event.end_ns(), event.name())
        for event in profiled(everything)
    )
    assert parents((op.thread, op.start, op.end, op.name) for op in recorded(everything)) == peer


def test_lines_and_modules_of_a_model(recorded):
    net = programs.Net()
    own = recorded(lambda: programs.train_step(net, programs.images()))
    expected = set().union(*map(lines_of, ("Block", "Net", "scaled", "images", "train_step")))
    assert set(own.placed(FILE)) == expected
    assert own.placed(FILE)[next(mark for mark in MARKS if mark[1] == "aten::conv2d")] == 2
    assert [op.module for op in own.named("aten::conv2d")] == [
        "Net.blocks.0.conv",
        "Net.blocks.1.conv",
    ]
    assert [op.module for op in own.named("aten::add") if op.file] == [
        "Net.blocks.0",
        "Net.blocks.1",
    ]
    assert [op.module for op in own.named("aten::linear")] == ["Net.head"]
    assert [op.module for op in own.named("aten::mul") if op.file] == ["Net"]
    assert [op.module for op in own.named("aten::sum") if op.file] == [""]


def test_backward_ops_have_no_line_of_the_caller(recorded):
    net = programs.Net()
    x = programs.images()
    own = recorded(lambda: programs.train_step(net, x))
    assert not [op for op in own if op.kind == "backward" and op.file]
    assert not [op for op in own.named("aten::convolution_backward") if op.file]


@pytest.mark.parametrize("way", ["reentrant", "other"])
def test_checkpoints_keep_lines_when_they_run_again(recorded, way):
    net = programs.Net(checkpoints=way)
    x = programs.images()
    own = recorded(lambda: programs.train_step(net, x))
    convolutions = own.named("aten::conv2d")
    line = next(line for line, name in MARKS if name == "aten::conv2d")
    assert [op.line for op in convolutions] == [line] * 4  # twice forward, twice again
    assert [op.module for op in convolutions].count("Net.blocks.1.conv") == 2


@pytest.mark.parametrize("name", ["generator", "named", "without_gradients", "failing"])
def test_lines_of_odd_programs(recorded, name):
    x = torch.ones(4, 4)
    own = recorded(lambda: getattr(programs, name)(x))
    expected = lines_of(name) | (lines_of("pieces") if name == "generator" else set())
    assert {(line, op) for line, op in own.placed(FILE)} == expected
    assert not [op for op in own if op.end < op.start]


def test_own_autograd_function(recorded):
    x = torch.ones(3, requires_grad=True)
    own = recorded(lambda: programs.own_function(x).backward())
    assert lines_of("own_function") <= set(own.placed(FILE))
    lines = [op.line for op in own.named("aten::mul") if op.file]
    text = Path(FILE).read_text().splitlines()
    assert ["backward op" in text[line - 1] for line in lines] == [False, True]


def test_hooks_have_their_own_lines_and_the_modules_path(recorded):
    own = recorded(lambda: programs.hooked(torch.ones(2)))
    assert [(op.line, op.module) for op in own.named("aten::cos")] == [
        (next(iter(lines_of("hook")))[0], "Identity")
    ]


def test_deep_recursion(recorded):
    own = recorded(lambda: programs.deep(torch.ones(2), 700))
    assert set(own.placed(FILE)) == lines_of("deep")


def test_threads_have_their_own_lines(recorded):
    x = torch.ones(2)
    own = recorded(lambda: programs.in_threads(x, 4))
    line = next(iter(lines_of("scaled")))[0]
    assert [op.line for op in own.named("aten::mul")] == [line] * 4
    assert len({op.thread for op in own.named("aten::mul")}) == 4


def test_a_region_that_ends_on_another_thread_or_out_of_order(recorded):
    def program():
        first = torch.profiler.record_function("first")
        second = torch.profiler.record_function("second")
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        torch.ones(2).neg()
        second.__exit__(None, None, None)
        moved = torch.profiler.record_function("moved")
        moved.__enter__()
        thread = threading.Thread(target=moved.__exit__, args=(None, None, None))
        thread.start()
        thread.join()
        torch.ones(2).abs()

    own = recorded(program)
    assert own.counts()["first"] == own.counts()["second"] == 1
    assert own.named("aten::neg")[0].line == program.__code__.co_firstlineno + 6
    assert own.named("aten::abs")[0].line == program.__code__.co_firstlineno + 13


def test_an_address_that_a_new_module_takes_has_the_new_name(recorded):
    def program():
        for index in range(4):
            net = torch.nn.Sequential(*[torch.nn.ReLU() for _ in range(index + 1)])
            net(torch.ones(2))
            ops.load().off()  # names are given now
            del net

    own = recorded(program)
    assert {op.module for op in own.named("aten::relu")} <= {
        f"Sequential.{i}" for i in range(4)
    } | {"ReLU"}


def dead_references():
    return sum(type(each) is weakref.ref and each() is None for each in gc.get_objects())


def test_modules_that_are_gone_leave_no_memory_and_those_that_live_keep_their_names(recorded):
    kept, counted = [], []

    def program():
        kept.append(torch.nn.Sequential(torch.nn.Identity(), torch.nn.ReLU()))
        before = dead_references()
        for _ in range(20_000):
            net = torch.nn.Sequential(torch.nn.Identity())
            other = torch.nn.Sequential(torch.nn.Identity())
            del net, other
        counted.append(dead_references() - before)
        kept[0](torch.ones(2))

    own = recorded(program)
    assert [op.module for op in own.named("aten::relu")] == ["Sequential.1"]
    assert counted[0] < 10_000


class Scale(torch.nn.Module):
    def forward(self, x):
        x = x.mul(2)
        return shifted(x)


def shifted(x):
    return x.sub(1)


def test_a_function_defined_again_at_the_same_address_has_its_own_line(recorded):
    """As in a notebook, where a cell runs again. Both ways to the line: the op called by the
    function, and by a library's that it calls.
    """
    file, expected = programs.__file__ + ".again.py", Counter()

    def define_and_call():
        x = torch.ones(2, requires_grad=False)
        for blank in range(60):
            own = {"torch": torch}
            exec(
                compile(
                    "\n" * blank + "def f(x):\n    x.mul_(2)\n    torch.nn.functional.relu_(x)\n",
                    file,
                    "exec",
                ),
                own,
            )
            own.pop("f")(x)
            expected[blank + 2, "aten::mul_"] += 1
            expected[blank + 3, "aten::relu_"] += 1

    found = recorded(define_and_call, include=["*.again.py"]).placed(file)
    assert found == expected


def test_layers_of_one_class_and_the_same_function_outside_of_them(recorded):
    """Frames at the same address, with the same code, for different modules."""
    net = torch.nn.Sequential(*[Scale() for _ in range(3)])

    def program():
        for _ in range(2):
            shifted(net(torch.ones(2)))
        for _ in range(200):
            shifted(torch.ones(2))
        net(torch.ones(2))

    own = recorded(program)
    layers = [f"Sequential.{i}" for i in range(3)]
    assert [op.module for op in own.named("aten::mul")] == 3 * layers
    assert [op.module for op in own.named("aten::sub")] == 2 * [*layers, ""] + 200 * [""] + layers
    assert {op.line for op in own.named("aten::sub")} == {shifted.__code__.co_firstlineno + 1}


def test_switching_is_exact(tmp_path):
    x = torch.ones(2)

    def program():
        x.neg()
        source.off()
        x.abs()
        source.on()
        x.neg()

    source = ops.load()
    _, own = record(tmp_path / "run.lap", program, source=source)
    assert own.counts() == {"aten::neg": 2}
    source.close()
    source.on()
    before = source.events
    x.neg()
    assert source.events == before


def train(steps, source=None):
    torch.manual_seed(7)
    net = torch.nn.Sequential(
        torch.nn.Conv2d(3, 4, 3),
        torch.nn.ReLU(),
        torch.nn.Flatten(),
        torch.nn.Dropout(0.3),
        torch.nn.Linear(4 * 36, 5),
    )
    optimizer = torch.optim.Adam(net.parameters())
    warnings = []
    for _ in range(steps):
        if source:
            source.on()
        optimizer.zero_grad()
        loss = net(torch.randn(8, 3, 8, 8)).square().mean()
        loss.backward()
        optimizer.step()
        warnings.append(loss.item())
        if source:
            source.off()
    return warnings, [parameter.detach().clone() for parameter in net.parameters()]


@pytest.mark.parametrize("shapes", [False, True])
def test_training_is_the_same_bit_for_bit(tmp_path, shapes):
    bare_losses, bare = train(5)
    source = ops.load(shapes=shapes)
    result = []
    record(tmp_path / "run.lap", lambda: result.append(train(5, source)), source=source)
    assert result[0][0] == bare_losses
    assert all(torch.equal(one, other) for one, other in zip(result[0][1], bare))


def test_includes_and_excludes(recorded):
    x = torch.ones(2)
    own = recorded(lambda: programs.scaled(x), exclude=["*/marked_programs.py"])
    assert [op.file for op in own.named("aten::mul")] == [__file__]
    own = recorded(lambda: torch.nn.ReLU()(x), include=["*/torch/nn/functional.py"])
    assert own.named("aten::relu")[0].file.endswith("torch/nn/functional.py")
    ops.load()
