"""What can be tried, for which programs, and what the replay of a run says it would bring.

Pure: facts of a recorded run in, changes out. A change is a name and a value, as ``workers=2``;
``applied`` knows how to make it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_WORKERS = 8
_FOREACH = 0.8  # of what a loop over single tensors takes: Adam on a CPU


@dataclass(frozen=True)
class Facts:
    """Of the program as it is."""

    cpus: int
    gpu: bool  # which it trains on
    loader: bool  # it waits for batches of a DataLoader
    workers: bool  # which other processes make
    optimizer: bool  # one of torch.optim's steps
    convolutions: bool


@dataclass(frozen=True)
class Change:
    name: str
    value: str = ""
    whatif: tuple[str, ...] = ()  # arguments of `laptime whatif`; none: nothing is predicted
    needs: str = ""  # the name of a change without which it means nothing
    by_hand: str = field(default="", compare=False)  # what to write in the source

    @property
    def text(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


def candidates(facts: Facts) -> Iterator[Change]:
    """In the order in which they are tried where nothing is predicted."""
    if facts.loader:
        yield from _of_loader(facts)
    if facts.optimizer:
        yield Change(
            "optimizer",
            "fused",
            ("--rule", "single-tensor-optimizer"),
            by_hand="fused=True in the optimizer's arguments",
        )
        yield Change(
            "optimizer",
            "foreach",
            ("--scale", f"Optimizer.step*={_FOREACH}"),
            by_hand="foreach=True in the optimizer's arguments",
        )
    for count in sorted({1, max(1, facts.cpus // 2), facts.cpus}):
        yield Change("threads", str(count), by_hand=f"torch.set_num_threads({count})")
    if facts.gpu:
        yield Change(
            "tf32", whatif=("--rule", "tf32"), by_hand="torch.set_float32_matmul_precision('high')"
        )
        yield Change("cudnn_benchmark", by_hand="torch.backends.cudnn.benchmark = True")
    if facts.convolutions:
        yield Change(
            "channels_last", by_hand="model.to(memory_format=torch.channels_last), and images too"
        )
    yield Change(
        "autocast",
        whatif=("--rule", "mixed-precision") if facts.gpu else (),
        by_hand="with torch.autocast(device, dtype=torch.bfloat16): around the model's call",
    )
    yield Change(
        "compile",
        whatif=("--rule", "launch-bound") if facts.gpu else (),
        by_hand="model.compile() once the model is made",
    )


def _of_loader(facts: Facts) -> Iterator[Change]:
    count = 1
    while not facts.workers and count <= min(facts.cpus, MOST_WORKERS):
        yield Change(
            "workers",
            str(count),
            ("--workers", str(count)),
            by_hand=f"num_workers={count} in DataLoader(…)",
        )
        count *= 2
    needs = "" if facts.workers else "workers"
    yield Change(
        "persistent_workers", needs=needs, by_hand="persistent_workers=True in DataLoader(…)"
    )
    yield Change("prefetch", "4", needs=needs, by_hand="prefetch_factor=4 in DataLoader(…)")
    if facts.gpu:
        yield Change("pin_memory", by_hand="pin_memory=True in DataLoader(…)")
        yield Change(
            "non_blocking",
            whatif=("--rule", "pageable-copy"),
            by_hand="pin_memory=True in DataLoader(…), and tensor.to(device, non_blocking=True)",
        )
