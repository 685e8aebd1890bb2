"""Python imports this when it starts in a process of `laptime run` (the folder is on PYTHONPATH), before the program.

It starts the collectors, takes its folder off the program's sys.path, and lets the sitecustomize that it stands before have
its turn. Any Python may find it: one that has no laptime, or an older one, goes on as if it were not there.
"""

import os
import sys

_folder = os.path.dirname(os.path.abspath(__file__))
sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry or os.curdir) != _folder]
_this = sys.modules.pop("sitecustomize")
try:
    import sitecustomize  # type: ignore[import-not-found, unused-ignore]  # noqa: F401
except ImportError:
    sys.modules["sitecustomize"] = _this  # the import that runs this file looks for it
try:
    from laptime._collectors import start_from_environment
except Exception:
    pass
else:
    start_from_environment()
