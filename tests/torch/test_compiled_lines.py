"""Code that torch.compile generates has the lines that it was made from."""

import importlib.util
import os
import shutil
import textwrap

import laptime
import pytest
import torch
from laptime._native import torch_ops
from laptime.frameworks.torch.compiled_lines import CompiledLines
from recorded_ops import export_ops, record
from torch import nn
from torch._inductor.utils import fresh_cache

HERE = os.path.abspath(__file__)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(32, 64), nn.Linear(64, 8)

    def forward(self, x):
        x = self.first(x)  # product 1
        x = torch.relu(x) * 2.5
        return self.second(x)  # product 2


def line_of(mark):
    with open(HERE, encoding="utf-8") as file:
        return next(number for number, text in enumerate(file, 1) if text.endswith(f"# {mark}\n"))


def trace(*frames):
    """As torch writes a stack trace: the outermost frame first."""
    return "".join(
        f'  File "{file}", line {line}, in {name}\n    some code\n' for file, line, name in frames
    )


def test_the_users_innermost_line_is_taken_and_its_function_is_known_as_elsewhere():
    library = torch.nn.functional.__file__
    inside = (HERE, line_of("product 1"), "forward")
    rows = CompiledLines().rows_of(
        [
            (9, trace((HERE, 1, "<module>"), inside, (library, 10, "linear"))),
            (3, None),
            (5, trace((library, 10, "linear"))),
            (7, "no trace"),
        ]
    )
    assert [row[0] for row in rows] == [3, 5, 7, 9]
    assert rows[:3] == [(line, "", "", 0, 0) for line in (3, 5, 7)]
    name = getattr(Net.forward.__code__, "co_qualname", "forward")
    assert rows[3] == (9, HERE, name, Net.forward.__code__.co_firstlineno, inside[1])


def test_a_file_that_is_not_there_or_no_python_still_has_its_line(tmp_path):
    cell = tmp_path / "cell.py"
    cell.write_text("%matplotlib inline\n")
    rows = CompiledLines().rows_of(
        [(1, trace((str(cell), 4, "f"))), (2, trace((str(tmp_path / "gone.py"), 5, "g")))]
    )
    assert rows == [(1, str(cell), "f", 4, 4), (2, str(tmp_path / "gone.py"), "g", 5, 5)]


# The form that inductor gives a module with Triton kernels; the kernels' calls are stood in for by
# ops.
GENERATED = """
    # AOT ID: ['0_forward']
    class triton_poi_fused_relu_0:
        run = staticmethod(lambda x, grid: x.relu())

    def call(args):
        arg0_1, arg1_1 = args
        args.clear()
        # Topologically Sorted Source Nodes: [x], Original ATen: [aten.relu]
        buf0 = triton_poi_fused_relu_0.run(arg0_1, grid=(1,))
        # Topologically Sorted Source Nodes: [y], Original ATen: [aten.mm]
        buf1 = buf0.mm(arg1_1)
        del buf0
        # Topologically Sorted Source Nodes: [], Original ATen: []
        buf2 = buf1.exp()
        # Topologically Sorted Source Nodes: [z], Original ATen: [aten.mm]
        return buf2.mm(buf2)

    def benchmark_compiled_module(x):
        return x.sqrt()
"""


def test_ops_of_a_generated_module(tmp_path):
    text = textwrap.dedent(GENERATED).lstrip()
    path = tmp_path / "torchinductor_somebody" / "ab" / "cab.py"
    path.parent.mkdir(parents=True)
    path.write_text(text)
    starts = [number for number, line in enumerate(text.splitlines(), 1) if "Topologically" in line]
    first, second = line_of("product 1"), line_of("product 2")
    linemap = zip(
        starts,
        [
            trace((HERE, first, "forward")),
            trace((HERE, second, "forward")),
            None,
            trace((HERE, second, "forward")),
        ],
    )
    spec = importlib.util.spec_from_file_location("generated", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    x = torch.randn(4, 4)

    def run():
        torch_ops.add_generated_code(str(path), CompiledLines().rows_of(linemap))
        module.call([x, x])  # region
        module.benchmark_compiled_module(x)  # other region

    _, ops = record(tmp_path / "run.lap", run)
    found = {op.name: op.line for op in ops if op.file == HERE}
    assert found["aten::relu"] == first, "called from within a function of the generated module's"
    assert found["aten::mm"] == second
    assert found["aten::exp"] == line_of("region"), "nothing is known of it"
    assert found["aten::sqrt"] == line_of("other region"), "what came before was another function"


@pytest.mark.skipif(shutil.which("g++") is None, reason="inductor needs a C++ compiler here")
def test_a_training_through_inductor(tmp_path):
    torch._dynamo.reset()
    model = Net()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    # A cache of its own: what was compiled from a copy of this file elsewhere names that one.
    with fresh_cache(), laptime.profile(tmp_path / "run.lap", lines=False, budget=None):
        compiled = torch.compile(model)
        for _ in range(4):
            optimizer.zero_grad()
            compiled(torch.randn(16, 32)).sum().backward()
            optimizer.step()
    ops = export_ops(tmp_path / "run.lap")
    # A step makes five products, two of them forward. While it compiles, torch calls the same ops
    # with tensors that hold nothing.
    products = [op for op in ops if op.name in ("aten::mm", "aten::addmm")][-10:]
    assert {(op.file, op.line) for op in products} == {
        (HERE, line_of("product 1")),
        (HERE, line_of("product 2")),
    }, products
