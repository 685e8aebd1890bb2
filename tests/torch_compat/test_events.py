"""The events, averages and tables of laptime's torch.profiler beside the original's, over the same
steps.
"""

import inspect
import re
import threading
from pathlib import Path

import pytest
import torch
from laptime.compat import torch_profiler
from laptime.compat.torch_profiler import ProfilerActivity, autograd, profile, record_function
from torch.profiler import profile as original
from training import Training, run

STEPS = 3


@pytest.fixture(scope="module")
def pair():
    """The same steps, profiled by both with all that can be compared switched on."""
    options = {"steps": STEPS, "record_shapes": True, "with_flops": True}
    return run(original, **options), run(profile, **options)


def outline(events):
    return [
        (e.name, e.cpu_parent.name if e.cpu_parent else None, len(e.cpu_children)) for e in events
    ]


def test_same_ops_in_the_same_order_with_the_same_parents(pair):
    theirs, ours = pair
    assert outline(ours.events()) == outline(theirs.events())
    assert len(ours.events()) > 50 * STEPS


@pytest.mark.parametrize(
    "field",
    [
        "input_shapes",
        "scope",
        "flops",
        "is_user_annotation",
        "device_type",
        "trace_name",
        "key",
        "count",
    ],
)
def test_same_fields(pair, field):
    theirs, ours = ([(e.name, getattr(e, field)) for e in p.events()] for p in pair)
    assert ours == theirs


def test_autograd_numbers_tie_the_same_events_together(pair):
    """The numbers themselves go on from profile to profile."""

    def families(events):
        first = min(e.sequence_nr for e in events if e.sequence_nr >= 0)
        return [(e.name, e.sequence_nr - first if e.sequence_nr >= 0 else -1) for e in events]

    theirs, ours = pair
    assert families(ours.events()) == families(theirs.events())
    backward = [e for e in ours.events() if e.scope == 1 and e.sequence_nr >= 0]
    assert backward and all(e.fwd_thread == ours.events()[0].thread for e in backward)


def test_same_averages(pair):
    for by_shape in (False, True):
        theirs, ours = (
            [
                (a.key, a.count, str(a.input_shapes), a.flops, a.is_user_annotation)
                for a in p.key_averages(by_shape)
            ]
            for p in pair
        )
        assert ours == theirs


def test_averages_are_the_sums_of_the_events(pair):
    """laptime adds up in C++; torch's own Python does it over the same events."""
    _, ours = pair
    for by_shape in (False, True):
        fast, slow = ours.key_averages(by_shape), ours.events().key_averages(by_shape)
        assert [a.key for a in fast] == [a.key for a in slow]
        for a, b in zip(fast, slow):
            assert a.cpu_time_total == pytest.approx(b.cpu_time_total)
            assert a.self_cpu_time_total == pytest.approx(b.self_cpu_time_total, abs=1e-6)
            assert (a.count, a.flops, a.input_shapes, a.scope) == (
                b.count,
                b.flops,
                b.input_shapes,
                b.scope,
            )


def shortest(events):
    """By name: a call that was interrupted says nothing."""
    result = {}
    for event in events:
        result[event.name] = min(result.get(event.name, float("inf")), event.cpu_time_total)
    return result


def test_times_are_plausible(pair):
    theirs, ours = (shortest(p.events()) for p in pair)
    long = [name for name, time in theirs.items() if time > 50 and ours[name] > 50]
    assert "forward" in long
    for name in long:
        assert 0.02 < ours[name] / theirs[name] < 50, name
    for event in pair[1].events():
        assert event.self_cpu_time_total >= 0
        assert (
            event.cpu_time_total >= sum(child.cpu_time_total for child in event.cpu_children) - 1e-6
        )


def mask(table):
    """A table with every number, and the unit that its size chooses, hidden; columns stay where
    they are.
    """

    def hide(match):
        return "#".rjust(len(match[0]))

    hidden = [re.sub(r" *-?\d+\.\d+(us|ms|s|%)", hide, line) for line in table.splitlines()]
    return [re.sub(r"total: +#", "total: #", line) for line in hidden]


TABLES = [
    {},
    {"row_limit": 5},
    {"max_name_column_width": 20},
    {"header": "Steps"},
    {"top_level_events_only": True},
    {"time_unit": "ms"},
    {"max_shapes_column_width": 30},
    {"sort_by": "count", "row_limit": 1},
]


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_same_table(pair, options):
    for by_shape in (False, True):
        theirs, ours = (
            mask(p.key_averages(group_by_input_shape=by_shape).table(**options)) for p in pair
        )
        assert ours == theirs


def test_table_with_shares_that_add_up(pair):
    averages = pair[1].key_averages()
    assert averages.self_cpu_time_total == pytest.approx(
        sum(a.self_cpu_time_total for a in averages)
    )
    top = [e for e in pair[1].events() if e.cpu_parent is None]
    assert averages.self_cpu_time_total == pytest.approx(sum(e.cpu_time_total for e in top))
    assert averages.total_average().count == len(pair[1].events())


@pytest.mark.parametrize(
    "name",
    ["profile", "schedule", "record_function", "tensorboard_trace_handler", "supported_activities"],
)
def test_same_options(name):
    def parameters(function):
        return {
            p.name: (p.kind, p.default) for p in inspect.signature(function).parameters.values()
        }

    assert parameters(getattr(torch_profiler, name)) == parameters(getattr(torch.profiler, name))


@pytest.mark.parametrize(
    "name", [n for n in vars(original) | vars(original.__mro__[1]) if not n.startswith("_")]
)
def test_same_methods(name):
    ours, theirs = (
        list(inspect.signature(getattr(each, name)).parameters) for each in (profile, original)
    )
    assert ours[: len(theirs)] == theirs
    assert ours == theirs or not torch.__version__.startswith("2.13.")  # older ones lack some


def test_exports_every_public_name():
    assert set(torch.profiler.__all__) <= set(torch_profiler.__all__)


def test_schedule_gives_the_same_cycles():
    cycles = {}
    for profiler in (original, profile):
        ready = cycles.setdefault(profiler, [])
        schedule = torch_profiler.schedule(skip_first=1, wait=1, warmup=1, active=2, repeat=2)
        run(
            profiler,
            steps=12,
            schedule=schedule,
            on_trace_ready=lambda p, ready=ready: ready.append(
                (
                    p.step_num,
                    [(e.key, e.count) for e in p.key_averages()],
                    [e.trace_name for e in p.events() if e.trace_name.startswith("Prof")],
                )
            ),
        )
    assert cycles[profile] == cycles[original]
    assert [names for _, _, names in cycles[profile]] == [
        ["ProfilerStep#3", "ProfilerStep#4"],
        ["ProfilerStep#7", "ProfilerStep#8"],
    ]


def test_acc_events_keeps_all_cycles():
    counts = {}
    for profiler in (original, profile):
        p = run(
            profiler,
            steps=8,
            schedule=torch_profiler.schedule(wait=1, warmup=1, active=2, repeat=2),
            acc_events=True,
        )
        counts[profiler] = {a.key: a.count for a in p.key_averages()}
        assert len(p.events()) == sum(counts[profiler].values())
    assert counts[profile] == counts[original]


def test_record_function_nests_decorates_and_works_in_threads():
    @record_function("decorated")
    def work():
        with record_function("inner"):
            torch.ones(3).add(1)

    with profile(activities=[ProfilerActivity.CPU]) as p:
        work()
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
    inner = [e for e in p.events() if e.name == "inner"]
    assert [e.cpu_parent.name for e in inner] == ["decorated", "decorated"]
    assert [[c.name for c in e.cpu_children] for e in inner] == [["aten::ones", "aten::add"]] * 2
    assert inner[0].thread != inner[1].thread


def test_with_stack_names_the_line_of_the_program():
    options = {"record_shapes": True, "with_stack": True}
    p = run(profile, **options)
    line = next(
        n
        for n, text in enumerate(
            inspect.getsourcelines(Training.step)[0], inspect.getsourcelines(Training.step)[1]
        )
        if "cross_entropy" in text
    )
    convolutions = [
        e
        for e in p.events()
        if e.name in ("aten::conv2d", "ConvolutionBackward0", "aten::convolution_backward")
    ]
    assert {e.name for e in convolutions} == {
        "aten::conv2d",
        "ConvolutionBackward0",
        "aten::convolution_backward",
    }
    for event in convolutions:
        users = [frame for frame in event.stack if "training.py" in frame]
        assert re.fullmatch(r".*training\.py\(\d+\): (Net\.)?forward", users[0]), event.stack
    warnings = {tuple(e.stack) for e in p.events() if e.name == "aten::cross_entropy_loss"}
    assert [
        bool(re.fullmatch(rf".*training\.py\({line}\): (Training\.)?step", stack[1]))
        for stack in warnings
    ] == [True]
    by_stack = p.key_averages(group_by_stack_n=5)
    assert "Source Location" in by_stack.table(row_limit=3)
    assert sum(a.count for a in by_stack) == len(p.events())
    assert p.key_averages().table().count("Source Location") == 0


def functions(event):
    """An event's stack as (file's name, function), without what only torch has between the frames
    (built-in functions and modules) and what only laptime has (autograd's own two functions).
    """
    frames = [
        re.fullmatch(r"(.*)\(\d+\): (.*)", frame)
        for frame in event.stack
        if "autograd/__init__.py" not in frame
    ]
    return [(Path(frame[1]).name, frame[2].split(".")[-1]) for frame in frames if frame]


def is_in_backward(event):
    return event is not None and (
        event.name.startswith("autograd::engine") or is_in_backward(event.cpu_parent)
    )


def test_stacks_are_those_of_the_original():
    """Not their lines: torch tells where a function begins, laptime where it was. Of backward, the
    ops that torch ties to a forward op.
    """
    verbose = torch._C._profiler._ExperimentalConfig(
        verbose=True
    )  # without it the original has none
    profiles = (
        run(original, with_stack=True, experimental_config=verbose),
        run(profile, with_stack=True),
    )
    theirs, ours = ([e for e in p.events() if e.name.startswith("aten::")] for p in profiles)
    assert [e.name for e in theirs] == [e.name for e in ours]
    forward = [(a, b) for a, b in zip(theirs, ours) if not is_in_backward(b)]
    assert len(forward) > 60
    assert [(b.name, functions(b)) for _, b in forward] == [
        (a.name, functions(a)) for a, _ in forward
    ]
    convolutions = [
        (functions(b), functions(a))
        for a, b in zip(theirs, ours)
        if b.name == "aten::convolution_backward"
    ]
    assert len(convolutions) == 3 and all(a == b and len(a) > 3 for a, b in convolutions)


def test_frames_are_kept_only_where_they_are_asked_for():
    with profile(activities=[ProfilerActivity.CPU], with_modules=True) as p:
        torch.ones(2).add(1)
    assert all(not e.stack for e in p.events())
    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as p:
        deep = torch.nn.Sequential(torch.nn.Sequential(torch.nn.ReLU()))
        deep(torch.ones(2))
    stacks = {e.name: e.stack for e in p.events()}
    assert len([frame for frame in stacks["aten::relu"] if "container.py" in frame]) == 2


def test_averages_by_stack_tell_callers_apart_as_deep_as_is_asked():
    def caller(x):
        return helper(x)

    def other_caller(x):
        return helper(x)

    def helper(x):
        return x.sigmoid()

    with profile(activities=[ProfilerActivity.CPU], with_stack=True) as p:
        for call in (caller, other_caller, caller):
            call(torch.ones(2))
    counts = {
        n: sorted(a.count for a in p.key_averages(group_by_stack_n=n) if a.key == "aten::sigmoid")
        for n in (0, 1, 2)
    }
    assert counts == {0: [3], 1: [3], 2: [1, 2]}


def test_collection_can_be_switched_off_in_between():
    with profile(activities=[ProfilerActivity.CPU]) as p:
        torch.ones(1).add(1)
        p.toggle_collection_dynamic(False, [ProfilerActivity.CPU])
        torch.ones(1).sub(1)
        p.toggle_collection_dynamic(True, [ProfilerActivity.CPU])
        torch.ones(1).mul(1)
    names = {e.name for e in p.events()}
    assert {"aten::add", "aten::mul"} <= names and "aten::sub" not in names


def test_an_exception_in_the_block_leaves_a_profile():
    p = profile(activities=[ProfilerActivity.CPU])
    with pytest.raises(ZeroDivisionError), p:
        torch.ones(1).add(1)
        raise ZeroDivisionError
    assert "aten::add" in {a.key for a in p.key_averages()}


def test_errors_are_those_of_torch():
    def without_activities(profiler):
        try:
            return profiler(activities=[]).activities
        except AssertionError as error:  # since torch 2.13
            return str(error)

    assert without_activities(profile) == without_activities(original)
    for profiler in (original, profile):
        p = profiler(activities=[ProfilerActivity.CPU])
        with pytest.raises(AssertionError, match="Profiler must be initialized before"):
            p.key_averages()
        with pytest.raises(
            AssertionError, match="Profiler must be initialized before accessing events"
        ):
            p.events()


def test_autograd_profiler():
    tables = []
    for profiler in (torch.autograd.profiler.profile, autograd.profile):
        training = Training()
        with profiler(record_shapes=True) as p:
            training.step()
        tables.append(mask(p.key_averages().table()) + mask(p.table(row_limit=3)) + mask(str(p)))
        assert p.total_average().key == "Total"
        assert p.self_cpu_time_total > 0
    assert tables[1] == tables[0]


def test_results_are_those_without_a_profiler():
    bare, profiled = Training(), Training()
    for _ in range(3):
        bare.step()
    with profile(activities=[ProfilerActivity.CPU], record_shapes=True, with_stack=True):
        for _ in range(3):
            profiled.step()
    for a, b in zip(bare.model.parameters(), profiled.model.parameters()):
        assert torch.equal(a, b)


def test_grouping_by_overload_is_said_to_have_no_effect(pair, capfd):
    ours = pair[1]
    plain = [(a.key, a.count) for a in ours.key_averages()]
    assert capfd.readouterr().err == ""
    assert [(a.key, a.count) for a in ours.key_averages(group_by_overload_name=True)] == plain
    assert "group_by_overload_name has no effect" in capfd.readouterr().err
