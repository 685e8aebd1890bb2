"""``python -m laptime.frameworks.torch.ops_doctor [--build]``: prints what `laptime doctor` reports
about torch's ops, as ``state<TAB>detail``.

``--build`` compiles and tests the recorder. Without it, only the present state is checked.
"""

from __future__ import annotations

import importlib.util
import sys


def main(arguments: list[str]) -> str:
    if importlib.util.find_spec("torch") is None:
        return f"note\tno PyTorch in {sys.prefix}"
    import torch

    from laptime.frameworks.torch import ops, shim_build

    if "--build" in arguments:
        kind = ops.load().kind
        state = "ok" if kind == "compiled" else "problem" if kind.startswith("off") else "note"
        return f"{state}\ttorch {torch.__version__}: op recorder: {kind}"
    if shim_build.is_built(torch):
        return f"ok\ttorch {torch.__version__}: the op recorder is built"
    if not shim_build.has_compiler():
        return (
            f"note\ttorch {torch.__version__}: no C++ compiler to build the op recorder with;"
            " `laptime doctor --build` shows what records ops instead"
        )
    return (
        f"note\ttorch {torch.__version__}: the op recorder is built when it is first used, or now"
        " by `laptime doctor --build`"
    )


if __name__ == "__main__":
    print(main(sys.argv[1:]))
