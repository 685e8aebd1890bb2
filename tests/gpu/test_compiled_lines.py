"""Kernels that torch.compile and Triton make: each with the line of the program that it was made
from.
"""

import pytest
from test_capture import report, run_program

COMPILED = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = nn.Linear(512, 512), nn.Linear(512, 512)

    def forward(self, x):
        x = self.first(x)  # product 1
        x = torch.relu(x) * 2.5  # pointwise
        x = self.second(x)  # product 2
        return x.softmax(1)  # reduction

model = Net().cuda()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
compiled = torch.compile(model)
for _ in range(8):
    x = torch.randn(256, 512, device="cuda")
    y = compiled(x)  # region
    loss = y.square().sum()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
torch.cuda.synchronize()
"""


def line_of(source, mark):
    return next(
        number for number, text in enumerate(source.splitlines(), 1) if text.endswith(f"# {mark}")
    )


@pytest.mark.parametrize(
    "options", [("--full",), ("--full", "--no-ops")], ids=["with ops", "without ops"]
)
def test_kernels_of_compiled_code_have_the_source_line(options, tmp_path):
    pytest.importorskip("triton")
    lap, _, _ = run_program(COMPILED, tmp_path, *options)
    rows = report(lap, "kernels")["kernels"]
    lines = {
        mark: line_of(COMPILED, mark)
        for mark in ("product 1", "pointwise", "product 2", "reduction", "region")
    }
    triton = {(row["pass"], row["line"]) for row in rows if row["name"].startswith("triton_")}
    assert triton, [row["name"] for row in rows]
    assert {line for _, line in triton} <= set(range(lines["product 1"], lines["reduction"] + 1)), (
        triton
    )
    assert ("forward", lines["pointwise"]) in triton and (
        "forward",
        lines["reduction"],
    ) in triton, triton
    assert any(passed == "backward" for passed, _ in triton), triton
    products = {
        row["line"]
        for row in rows
        if not row["name"].startswith("triton_") and row["line"] in lines.values()
    }
    assert {lines["product 1"], lines["product 2"]} <= products, rows
    in_region = sum(row["total_ns"] for row in rows if row["line"] == lines["region"])
    assert in_region <= 0.02 * sum(row["total_ns"] for row in rows), rows


OWN_KERNEL = """
import torch, triton, triton.language as tl

@triton.jit
def double_kernel(x, y, n: tl.constexpr):
    i = tl.program_id(0) * n + tl.arange(0, n)
    tl.store(y + i, tl.load(x + i) * 2)

def double(x):
    y = torch.empty_like(x)
    double_kernel[(x.numel() // 256,)](x, y, 256)  # launch
    return y

class Double(torch.autograd.Function):
    @staticmethod
    def forward(context, x):
        return double(x)
    @staticmethod
    def backward(context, gradient):
        return double(gradient.contiguous())

weight = torch.ones(4096, device="cuda", requires_grad=True)
optimizer = torch.optim.SGD([weight], lr=0.01)
for _ in range(8):
    optimizer.zero_grad()
    Double.apply(weight).sum().backward()
    optimizer.step()
torch.cuda.synchronize()
"""


@pytest.mark.parametrize(
    "options", [("--full",), ("--full", "--no-ops")], ids=["with ops", "without ops"]
)
def test_a_triton_kernel_of_the_programs_own_has_the_line_that_launched_it(options, tmp_path):
    pytest.importorskip("triton")
    lap, _, _ = run_program(OWN_KERNEL, tmp_path, *options)
    rows = [row for row in report(lap, "kernels")["kernels"] if row["name"] == "double_kernel"]
    assert {row["line"] for row in rows} == {line_of(OWN_KERNEL, "launch")}, rows
    assert {row["pass"] for row in rows} == {"forward", "backward"}, rows
