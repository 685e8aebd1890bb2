"""Shapes, types and FLOPs of ops as torch.profiler has them, and what becomes of inputs that are
too many.
"""

import json

import pytest
import torch
from laptime.compat import torch_profiler
from profiled_ops import everything, profiled
from recorded_ops import record
from torch.utils.flop_counter import (
    FlopCounterMode,
    mm_flop,
    sdpa_backward_flop_count,
    sdpa_flop_count,
)


@pytest.fixture
def recorded(tmp_path):
    return lambda function, **options: record(tmp_path / "run.lap", function, **options)[1]


def test_shapes_are_torchs(recorded):
    everything()
    peer = sorted(
        (event.name(), str(event.shapes()))
        for event in profiled(everything)
        if event.shapes() and event.name() != "aten::cat"
    )  # a list of tensors, which events leave empty
    own = recorded(everything, shapes=True)
    assert (
        sorted((op.name, op.shapes) for op in own if op.shapes and op.name != "aten::cat") == peer
    )
    assert own.named("aten::cat")[0].types == '["TensorList", "Scalar"]'
    assert (
        own.named("aten::conv2d")[0].types
        == '["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar"]'
    )


def test_flops_are_torchs_and_the_profilers_ops_without_have_some(recorded):
    everything()
    peer = sorted((event.name(), event.flops()) for event in profiled(everything) if event.flops())
    own = recorded(everything, shapes=True)
    ours = sorted((op.name, op.flops) for op in own if op.flops)
    beyond = ("aten::convolution_backward", "aten::_scaled_dot_product_flash_attention_for_cpu")
    assert [row for row in ours if row[0] not in beyond] == peer
    assert {name for name, _ in ours} >= set(beyond)


def convolutions():
    """Of one to three dimensions, transposed, with a padding that has a name, without a batch; most
    with a backward pass.
    """

    def learned(*sizes):
        return torch.ones(*sizes, requires_grad=True)

    functions = torch.nn.functional
    functions.conv1d(learned(2, 4, 9), learned(6, 4, 3), stride=2, dilation=2).sum().backward()
    functions.conv2d(
        torch.ones(2, 4, 9, 8), learned(6, 4, 3, 2), padding=(1, 0)
    ).sum().backward()  # no gradient of the input
    functions.conv2d(learned(2, 4, 9, 8), learned(6, 4, 3, 3), padding="same").sum().backward()
    functions.conv3d(learned(2, 4, 5, 6, 7), learned(6, 4, 1, 2, 3)).sum().backward()
    functions.conv_transpose1d(learned(2, 4, 9), learned(4, 4, 3), stride=2).sum().backward()
    functions.conv_transpose2d(
        learned(2, 4, 9, 8), learned(4, 2, 3, 3), stride=2, output_padding=1
    ).sum().backward()
    functions.conv2d(
        torch.ones(4, 9, 8), torch.ones(6, 2, 3, 3), groups=2
    )  # backward, flop_counter takes no note of groups
    functions.conv_transpose3d(torch.ones(1, 4, 3, 3, 3), torch.ones(4, 2, 2, 2, 2))


def test_flops_of_convolutions_are_flop_counters(recorded):
    with FlopCounterMode(display=False) as peer:
        convolutions()
    counted = peer.get_flop_counts()["Global"]
    own = recorded(convolutions, shapes=True)
    backward = [op.flops for op in own if op.name == "aten::convolution_backward"]
    forward = {
        op.name: op.flops
        for op in own
        if "conv" in op.name and op.flops and op.name != "aten::convolution_backward"
    }
    assert sum(backward) == counted[torch.ops.aten.convolution_backward]
    assert sum(op.flops for op in own if op.name in forward) == counted[torch.ops.aten.convolution]
    assert set(forward) == {
        f"aten::{name}"
        for name in (
            "conv1d",
            "conv2d",
            "conv3d",
            "conv_transpose1d",
            "conv_transpose2d",
            "conv_transpose3d",
            "convolution",
        )
    }


def test_flops_of_attention_and_fp8_are_flop_counters(recorded):
    query, key, value = (torch.ones(2, 3, length, 4, requires_grad=True) for length in (8, 6, 6))
    left, right = (
        torch.ones(16, 32).to(torch.float8_e4m3fn),
        torch.ones(48, 32).to(torch.float8_e4m3fn).t(),
    )

    def program():
        torch.nn.functional.scaled_dot_product_attention(query, key, value).sum().backward()
        torch._scaled_mm(left, right, torch.ones([]), torch.ones([]), out_dtype=torch.float32)

    own = recorded(program, shapes=True)
    sizes = [list(tensor.shape) for tensor in (query, key, value)]
    flops = {op.name: op.flops for op in own if op.flops}
    assert flops["aten::_scaled_dot_product_flash_attention_for_cpu"] == sdpa_flop_count(*sizes)
    assert flops[
        "aten::_scaled_dot_product_flash_attention_for_cpu_backward"
    ] == sdpa_backward_flop_count(sizes[0], *sizes)
    assert flops["aten::_scaled_mm"] == mm_flop(left.shape, right.shape)
    assert own.named("aten::_scaled_mm")[0].types.startswith(
        '["c10::Float8_e4m3fn", "c10::Float8_e4m3fn", "float"'
    )


def test_types_of_odd_inputs_are_torchs(recorded):
    """The types are torch's for lists of optional tensors, of doubles, of booleans.

    So they are for empty lists, and for inputs that are missing.
    """
    x = torch.ones(2, 3, 4, 4)

    def odd():
        x[0, torch.tensor([1, 2])].sum()
        torch.nn.functional.interpolate(x, scale_factor=2.0)
        torch.nn.functional.layer_norm(x, [4, 4])
        torch.ones([]).reshape([])
        torch.einsum("abcd,ab->cd", x, torch.ones(2, 3))
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).sum(-1, keepdim=True)
        torch.nn.functional.conv1d(
            torch.ones(1, 2, 5), torch.ones(2, 2, 3, requires_grad=True)
        ).sum().backward()

    odd()
    peer = sorted(
        (event.name(), *(str(type_) for type_ in event.dtypes()))
        for event in profiled(odd)
        if event.dtypes()
    )
    own = recorded(odd, shapes=True)
    assert sorted((op.name, *json.loads(op.types)) for op in own if op.types) == peer


def test_long_lists_of_tensors_have_their_shapes_or_none(recorded):
    """A text of 4096 characters holds some 500 of these, and one list of 400 but not three."""

    def shapes_of(count):
        tensors = [torch.ones(i % 5 + 1, 2) for i in range(count)]
        own = recorded(lambda: torch._foreach_addcmul_(tensors, tensors, tensors), shapes=True)
        return [list(tensor.shape) for tensor in tensors], json.loads(
            own.named("aten::_foreach_addcmul_")[0].shapes
        )

    expected, shapes = shapes_of(400)
    assert shapes == [expected, [], [], []]
    assert shapes_of(3000)[1] == [[], [], [], []]


class Many(torch.autograd.Function):
    @staticmethod
    def forward(context, *tensors):
        return tensors[0] * 2


@pytest.mark.parametrize("count, type_", [(300, torch.bfloat16), (1300, torch.float32)])
def test_an_op_with_more_inputs_than_a_text_holds(tmp_path, count, type_):
    """Their texts are cut between two inputs, never within one: what reads them as JSON can."""
    tensors = [torch.ones(64, 64, dtype=type_) for _ in range(count)]
    with torch_profiler.profile(record_shapes=True) as profiler:
        Many.apply(*tensors)
    profiler.export_chrome_trace(str(tmp_path / "trace.json"))
    (event,) = [
        event
        for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"]
        if event.get("name") == "Many"
    ]
    shapes, types = event["args"]["Input Dims"], event["args"]["Input type"]
    assert len(shapes) == len(types) == min(count, 1024)
    assert all(shape in ([64, 64], []) for shape in shapes) and set(types) <= {
        "",
        "c10::BFloat16",
        "float",
    }
    assert shapes[0] == ([64, 64] if count == 300 else [])
    assert [event.name for event in profiler.events()].count("Many") == 1
