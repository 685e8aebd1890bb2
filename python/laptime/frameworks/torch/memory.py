"""Records what torch's allocators do, for the CPU and for CUDA.

``source = load()``, then ``on()`` and ``off()`` around what should be recorded. The CPU's allocator
gets a wrapper (shim/cpu_memory.cpp), CUDA's a tracker (shim/cuda_memory.cpp). They follow each
recorded block to its release, in resting steps too. So every recorded block is complete.
``memory_roles`` reports what each block is for.
"""

from __future__ import annotations

import sys

from laptime._native import recording
from laptime._native import torch_memory as _native
from laptime.collect.signal_handlers import raised_by_handler
from laptime.collect.source import Source
from laptime.frameworks.torch import shim_build
from laptime.frameworks.torch.memory_roles import Roles


def load() -> MemorySource:
    """The source for the torch that the program has imported, off. Raises with the reason if memory
    cannot be recorded.
    """
    torch = sys.modules.get("torch")
    if torch is None:
        raise RuntimeError("torch is not imported")
    try:
        with shim_build.library(torch) as path:
            memory = _native.open(
                path,
                torch.Tensor,
                torch.nn.Parameter,
                torch._C.DisableTorchFunction,
                torch._C._is_torch_function_mode_enabled,
            )
    except shim_build.BuildError as error:
        raise RuntimeError(str(error)) from None
    return MemorySource(memory)


class MemorySource(Source):
    """Contract: ``on`` and ``off`` may be called in any order. While off, the program's allocations
    cost almost nothing.
    """

    kind = "memory"

    def __init__(self, memory: _native.Memory) -> None:
        self._memory = memory
        memory.attach()
        if not memory.self_test():
            memory.close()
            raise RuntimeError("the allocator's wrapper does not work with this torch")
        self._roles = Roles(memory)
        self._open = True
        self._cuda_pending = sys.modules["torch"].version.cuda is not None
        self._await_cuda()

    def _await_cuda(self) -> None:
        """CUDA's allocator can be followed only after the program has initialised CUDA. Torch calls
        this function then.
        """
        if self._cuda_pending:
            sys.modules["torch"].cuda._lazy_call(self._attach_cuda)

    def _attach_cuda(self) -> None:
        if not self._cuda_pending:
            return
        self._cuda_pending = False
        if not self._memory.attach_cuda():
            recording.warn(
                "memory_of_gpu",
                "the GPU's memory is not recorded: CUDA's headers were not found when the op"
                " recorder was built",
            )

    def on(self) -> None:
        if self._open:
            self._memory.attach()
            self._memory.on()
            self._roles.begin()

    def off(self) -> None:
        self._roles.end()
        self._memory.off()

    @property
    def off_function(self) -> int:
        """For native code that switches it off on any thread. ``off`` is called afterwards all the
        same.
        """
        return self._memory.off_function

    def at_step(self) -> None:
        """Runs at the end of a recorded step. A failure closes the source."""
        try:
            self._memory.attach()
            self._roles.at_step()
        except Exception as error:
            if not raised_by_handler(error):
                self.close()
            raise

    def close(self) -> None:
        """Stops for good. Blocks that were recorded are still followed to their release."""
        self.off()
        self._roles.close()
        self._memory.close()
        self._open = False
