"""Programs that know nothing of PyTorch, built here and run as a user would: examples/cuda, NVTX
beside kernels.
"""

import glob
import os
import shutil
import subprocess

import pytest
from conftest import ROOT
from test_capture import LAPTIME, report

NVCC = next(
    (
        path
        for path in [shutil.which("nvcc"), *sorted(glob.glob("/usr/local/cuda*/bin/nvcc"))]
        if path and os.path.exists(path)
    ),
    None,
)
needs_nvcc = pytest.mark.skipif(NVCC is None, reason="nvcc is not installed")


def build_example(folder):
    """As a user would: by its CMakeLists.txt, where there is a CMake."""
    source, binary = ROOT / "examples" / "cuda", folder / "build" / "trainer"
    if shutil.which("cmake") is None:
        binary.parent.mkdir()
        commands = [[NVCC, "-O2", "-std=c++17", "-o", str(binary), str(source / "main.cu")]]
    else:
        commands = [
            [
                "cmake",
                "-S",
                str(source),
                "-B",
                str(binary.parent),
                "-DCMAKE_BUILD_TYPE=Release",
                f"-DCMAKE_CUDA_COMPILER={NVCC}",
            ],
            ["cmake", "--build", str(binary.parent)],
        ]
    for command in commands:
        subprocess.run(command, check=True, capture_output=True, text=True, timeout=120)
    return binary


def run_binary(binary, lap):
    done = subprocess.run(
        [LAPTIME, "run", "-q", "-o", str(lap), "--", str(binary)],
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


@needs_nvcc
def test_the_cuda_example(tmp_path):
    lap = tmp_path / "run.lap"
    done = run_binary(build_example(tmp_path), lap)
    assert done.stdout.startswith("slope 3.0"), done.stdout
    found = report(lap, "kernels", "copies", "streams", "warnings")
    calls = {
        word: row["calls"]
        for row in found["kernels"]
        for word in ("find_gradient", "descend")
        if word in row["name"]
    }
    assert calls == {"find_gradient": 200, "descend": 200} and len(found["kernels"]) == 2, found[
        "kernels"
    ]
    copies = {row["kind"]: row["calls"] for row in found["copies"]}
    assert copies["HtoD"] == 400 and copies["DtoH"] == 201, found["copies"]
    assert not [row for row in found["warnings"] if row["name"].startswith("gpu")], found[
        "warnings"
    ]


WITH_NVTX = r"""
#include <nvtx3/nvToolsExt.h>
__global__ void fill(float* x) { x[threadIdx.x] = threadIdx.x; }
int main() {
  float* x = nullptr;
  if (cudaMalloc(&x, 256 * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < 20; ++i) {
    nvtxRangePushA("my step");
    fill<<<1, 256>>>(x);
    nvtxRangePop();
  }
  return cudaDeviceSynchronize() == cudaSuccess ? 0 : 2;
}
"""


@needs_nvcc
def test_nvtx_ranges_beside_kernels(tmp_path):
    (tmp_path / "program.cu").write_text(WITH_NVTX)
    subprocess.run(
        [NVCC, "-std=c++17", "-o", str(tmp_path / "program"), str(tmp_path / "program.cu"), "-ldl"],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    run_binary(tmp_path / "program", tmp_path / "run.lap")
    found = report(tmp_path / "run.lap", "kernels", "scopes")
    assert [row["calls"] for row in found["kernels"] if "fill" in row["name"]] == [20]
    assert [row["calls"] for row in found["scopes"] if row["name"] == "my step"] == [20]
