import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture(scope="session", autouse=True)
def one_thread():
    torch.set_num_threads(1)
    # Where no compiler is, torch's own profiler does the work and there is nothing to compare.
    from laptime.compat.torch_profiler import sources

    assert sources.problem({"CPU"}, None) is None
