"""Shapes, types and FLOPs of ops as torch.profiler has them, and what becomes of inputs that are too many."""

import json

import pytest
import torch
from laptime.compat import torch_profiler
from profiled_ops import everything, profiled
from recorded_ops import record


@pytest.fixture
def recorded(tmp_path):
    return lambda function, **options: record(tmp_path / "run.lap", function, **options)[1]


def test_shapes_are_torchs(recorded):
    everything()
    peer = sorted((event.name(), str(event.shapes())) for event in profiled(everything)
                  if event.shapes() and event.name() != "aten::cat")  # a list of tensors, which events leave empty
    own = recorded(everything, shapes=True)
    assert sorted((op.name, op.shapes) for op in own if op.shapes and op.name != "aten::cat") == peer
    assert own.named("aten::cat")[0].types == '["TensorList", "Scalar"]'
    assert own.named("aten::conv2d")[0].types == '["float", "float", "float", "ScalarList", "ScalarList", "ScalarList", "Scalar"]'


def test_flops_are_torchs_and_attention_has_some(recorded):
    everything()
    peer = sorted((event.name(), event.flops()) for event in profiled(everything) if event.flops())
    own = recorded(everything, shapes=True)
    ours = sorted((op.name, op.flops) for op in own if op.flops)
    attention = [row for row in ours if "attention" in row[0]]
    assert [row for row in ours if "attention" not in row[0]] == peer
    assert [flops for _, flops in attention] == [2 * (1 * 2 * 8 * 6) * (4 + 4)]


def test_types_of_odd_inputs_are_torchs(recorded):
    """Lists of optional tensors, of doubles, of booleans, empty ones, and inputs that are missing."""
    x = torch.ones(2, 3, 4, 4)

    def odd():
        x[0, torch.tensor([1, 2])].sum()
        torch.nn.functional.interpolate(x, scale_factor=2.0)
        torch.nn.functional.layer_norm(x, [4, 4])
        torch.ones([]).reshape([])
        torch.einsum("abcd,ab->cd", x, torch.ones(2, 3))
        torch.nested.nested_tensor([torch.ones(2), torch.ones(3)]).sum(-1, keepdim=True)

    odd()
    peer = sorted((event.name(), *(str(type_) for type_ in event.dtypes())) for event in profiled(odd) if event.dtypes())
    own = recorded(odd, shapes=True)
    assert sorted((op.name, *json.loads(op.types)) for op in own if op.types) == peer


def test_long_lists_of_tensors_have_their_shapes_or_none(recorded):
    """A text of 4096 characters holds some 500 of these, and one list of 400 but not three."""

    def shapes_of(count):
        tensors = [torch.ones(i % 5 + 1, 2) for i in range(count)]
        own = recorded(lambda: torch._foreach_addcmul_(tensors, tensors, tensors), shapes=True)
        return [list(tensor.shape) for tensor in tensors], json.loads(own.named("aten::_foreach_addcmul_")[0].shapes)

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
    (event,) = [event for event in json.loads((tmp_path / "trace.json").read_text())["traceEvents"] if event.get("name") == "Many"]
    shapes, types = event["args"]["Input Dims"], event["args"]["Input type"]
    assert len(shapes) == len(types) == min(count, 1024)
    assert all(shape in ([64, 64], []) for shape in shapes) and set(types) <= {"", "c10::BFloat16", "float"}
    assert shapes[0] == ([64, 64] if count == 300 else [])
    assert [event.name for event in profiler.events()].count("Many") == 1
