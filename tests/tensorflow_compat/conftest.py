import os

import pytest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
for framework in ("tensorflow", "keras", "jax"):
    pytest.importorskip(framework)
