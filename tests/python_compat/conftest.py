import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from compat_sandbox import Sandbox


@pytest.fixture
def sandbox(tmp_path):
    return Sandbox(tmp_path)
