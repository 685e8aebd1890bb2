"""Inside a trial: makes the changes in the program, keeps its losses, and ends it after enough
steps.

Contract: installed right after the program's import of torch, before its own code uses torch. The
trial's result lists what could not be applied. The program then runs without it.
"""

from __future__ import annotations

import atexit
import functools
import inspect
import json
import os
import time
from collections.abc import Callable
from typing import Any

TRIAL_VARIABLE = (  # JSON: {"changes": ["workers=2", …], "steps": N, "seconds": S, "result": FILE}
    "LAPTIME_TUNE"
)
_WARM = 2  # steps at the beginning that are not counted


def install() -> None:
    """Only in the process that the trial is for. Its workers and other children stay unchanged."""
    trial = json.loads(os.environ.pop(TRIAL_VARIABLE))
    result = _Result(trial["result"])
    # The wrapper that is installed last sees a call first. Workers must exist before the code that
    # needs them looks for them.
    for text in sorted(trial["changes"], key=lambda text: text.startswith("workers=")):
        name, _, value = text.partition("=")
        try:
            _MAKERS[name](value)
        except Exception as error:
            result.problems.append(f"{text}: {' '.join(str(error).split())}")
    _keep_losses(result)
    _end_after(trial["steps"], trial["seconds"], result)
    atexit.register(result.write)


class _Result:
    def __init__(self, path: str) -> None:
        self._path = path
        self._process = os.getpid()
        self.problems: list[str] = []
        self.losses: list[Any] = []
        self.ended = False

    def write(self) -> None:
        if os.getpid() != self._process:
            return
        losses = [float(loss) for loss in self.losses]
        with open(self._path, "w", encoding="utf-8") as file:
            json.dump({"problems": self.problems, "losses": losses, "ended": self.ended}, file)


# ---- losses and the end of the trial ----


def _keep_losses(result: _Result) -> None:
    """Keeps losses without reading them, because reading would make the host wait for a GPU. They
    are read when the program ends.
    """
    import torch

    backward = torch.Tensor.backward

    @functools.wraps(backward)
    def kept(self: Any, *args: Any, **kwargs: Any) -> Any:
        if self.numel() == 1 and not torch.compiler.is_compiling():
            result.losses.append(self.detach())
        return backward(self, *args, **kwargs)

    torch.Tensor.backward = kept


def _end_after(steps: int, seconds: float, result: _Result) -> None:
    """Counts the first optimizer's steps, then ends the program as sys.exit() does."""
    from torch.optim.optimizer import register_optimizer_step_post_hook

    counted: dict[str, Any] = {"optimizer": None, "steps": 0, "since": 0.0}

    def after(optimizer: Any, args: Any, kwargs: Any) -> None:
        if counted["optimizer"] is None:
            counted["optimizer"] = id(optimizer)
        if counted["optimizer"] != id(optimizer):
            return
        counted["steps"] += 1
        if counted["steps"] == _WARM:
            counted["since"] = time.monotonic()
        enough = counted["steps"] >= steps + _WARM
        if enough or (counted["steps"] > _WARM and time.monotonic() - counted["since"] > seconds):
            result.ended = True
            raise SystemExit(0)

    register_optimizer_step_post_hook(after)


# ---- changes ----


def _loader_argument(name: str, value: Any, when: Callable[[dict[str, Any]], bool]) -> None:
    from torch.utils.data import DataLoader

    original = DataLoader.__init__
    signature = inspect.signature(original)

    @functools.wraps(original)
    def initialised(self: Any, *args: Any, **kwargs: Any) -> None:
        given = signature.bind(self, *args, **kwargs).arguments
        if name not in given and when(given):
            kwargs[name] = value
        original(self, *args, **kwargs)

    DataLoader.__init__ = initialised


def _workers(value: str) -> None:
    _loader_argument("num_workers", int(value), lambda given: True)


def _with_workers(given: dict[str, Any]) -> bool:
    number: int = given.get("num_workers", 0)
    return number > 0


def _optimizer(value: str) -> None:
    from torch import optim

    for optimizer in {optim.Adam, optim.AdamW, optim.SGD, optim.Adagrad}:
        if value in inspect.signature(optimizer.__init__).parameters:
            optimizer.__init__ = _chosen(optimizer.__init__, value)


def _chosen(original: Any, value: str) -> Any:
    @functools.wraps(original)
    def initialised(self: Any, *args: Any, **kwargs: Any) -> None:
        kwargs.update({"foreach": None, "fused": None, value: True})
        original(self, *args, **kwargs)

    return initialised


def _threads(value: str) -> None:
    import torch

    torch.set_num_threads(int(value))


def _tf32(value: str) -> None:
    import torch

    torch.set_float32_matmul_precision("high")


def _cudnn_benchmark(value: str) -> None:
    import torch

    torch.backends.cudnn.benchmark = True


def _on_first_call(prepare: Callable[[Any, tuple[Any, ...]], None]) -> None:
    """Calls ``prepare`` with each outermost module that has parameters, before its first call, and
    with the arguments of that call.

    Stops at the first step of an optimizer. Hooks on all modules would slow every later step, and a
    compiler would trace them.
    """
    from torch.nn.modules.module import (
        register_module_forward_hook,
        register_module_forward_pre_hook,
    )
    from torch.optim.optimizer import register_optimizer_step_post_hook

    depth = [0]
    seen: set[int] = set()

    def before(module: Any, inputs: tuple[Any, ...]) -> None:
        depth[0] += 1
        if depth[0] == 1 and id(module) not in seen and next(module.parameters(), None) is not None:
            seen.add(id(module))
            prepare(module, inputs)

    def after(module: Any, inputs: Any, output: Any) -> None:
        depth[0] -= 1

    handles = [
        register_module_forward_pre_hook(before),
        register_module_forward_hook(after, always_call=True),
    ]

    def stepped(optimizer: Any, args: Any, kwargs: Any) -> None:
        while handles:
            handles.pop().remove()

    register_optimizer_step_post_hook(stepped)


def _compile(value: str) -> None:
    import torch

    def prepare(module: Any, inputs: tuple[Any, ...]) -> None:
        module.forward = torch.compile(module.forward)

    _on_first_call(prepare)


def _autocast(value: str) -> None:
    import torch

    def prepare(module: Any, inputs: tuple[Any, ...]) -> None:
        forward = module.forward
        device = next(module.parameters()).device.type

        @functools.wraps(forward)
        def cast(*args: Any, **kwargs: Any) -> Any:
            with torch.autocast(device, dtype=torch.bfloat16):
                output = forward(*args, **kwargs)
            return (
                output.float()
                if isinstance(output, torch.Tensor) and output.is_floating_point()
                else output
            )

        module.forward = cast

    _on_first_call(prepare)


def _channels_last(value: str) -> None:
    import torch

    def prepare(module: Any, inputs: tuple[Any, ...]) -> None:
        module.to(memory_format=torch.channels_last)
        forward = module.forward

        @functools.wraps(forward)
        def laid_out(*args: Any, **kwargs: Any) -> Any:
            images = (
                (
                    a.contiguous(memory_format=torch.channels_last)
                    if isinstance(a, torch.Tensor) and a.dim() == 4
                    else a
                )
                for a in args
            )
            return forward(*images, **kwargs)

        module.forward = laid_out

    _on_first_call(prepare)


def _pin_memory(value: str) -> None:
    _loader_argument("pin_memory", True, lambda given: True)


def _non_blocking(value: str) -> None:
    """Non-blocking copies from loaders with pinned memory. Without pinned memory this has no
    effect.
    """
    import torch

    _pin_memory(value)
    for name in ("to", "cuda"):
        original = getattr(torch.Tensor, name)

        def moved(self: Any, *args: Any, _original: Any = original, **kwargs: Any) -> Any:
            # Only copies from pinned memory may be non-blocking without harm. The argument may be
            # positional.
            if self.device.type == "cpu" and len(args) < 2 and self.is_pinned():
                kwargs.setdefault("non_blocking", True)
            return _original(self, *args, **kwargs)

        setattr(torch.Tensor, name, functools.wraps(original)(moved))


_MAKERS: dict[str, Callable[[str], None]] = {
    "workers": _workers,
    "persistent_workers": lambda value: _loader_argument("persistent_workers", True, _with_workers),
    "prefetch": lambda value: _loader_argument("prefetch_factor", int(value), _with_workers),
    "pin_memory": _pin_memory,
    "optimizer": _optimizer,
    "threads": _threads,
    "tf32": _tf32,
    "cudnn_benchmark": _cudnn_benchmark,
    "compile": _compile,
    "autocast": _autocast,
    "channels_last": _channels_last,
    "non_blocking": _non_blocking,
}
