"""What can be tried, for which programs, and what the replay of a run predicts for it.

Pure: takes facts of a recorded run, returns changes. A change is a name and a value, such as
``workers=2``. ``applied`` knows how to make it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

MOST_WORKERS = 8
_FOREACH = 0.8  # share of the time of a loop over single tensors: Adam on a CPU


@dataclass(frozen=True)
class Facts:
    """Facts of the unchanged program."""

    cpus: int
    gpu: bool  # it trains on a GPU
    loader: bool  # it waits for batches of a DataLoader
    workers: bool  # the loader's batches come from workers
    optimizer: bool  # an optimizer of torch.optim steps
    convolutions: bool


@dataclass(frozen=True)
class Change:
    name: str
    value: str = ""
    rule: str = ""  # the advice rule whose remedy this is; empty: no rule advises it
    by_rule: bool = False  # the replay of the rule's remedy predicts the gain
    # otherwise these arguments of `laptime whatif` do; empty: no prediction
    whatif: tuple[str, ...] = ()
    needs: str = ""  # the name of a change without which this has no effect
    by_hand: str = field(default="", compare=False)  # what to write in the source

    @property
    def prediction(self) -> tuple[str, ...]:
        """The arguments of `laptime whatif`. Empty: no prediction."""
        return ("--rule", self.rule) if self.by_rule else self.whatif

    @property
    def text(self) -> str:
        return f"{self.name}={self.value}" if self.value else self.name


def candidates(facts: Facts) -> Iterator[Change]:
    """All changes, in the order in which they are tried if there is no prediction."""
    if facts.loader:
        yield from _of_loader(facts)
    if facts.optimizer:
        yield Change(
            "optimizer",
            "fused",
            rule="single-tensor-optimizer",
            by_rule=True,
            by_hand="fused=True in the optimizer's arguments",
        )
        yield Change(
            "optimizer",
            "foreach",
            rule="single-tensor-optimizer",
            whatif=("--scale", f"Optimizer.step*={_FOREACH}"),
            by_hand="foreach=True in the optimizer's arguments",
        )
    for count in sorted({1, max(1, facts.cpus // 2), facts.cpus}):
        yield Change(
            "threads",
            str(count),
            rule="too-many-threads",
            by_hand=f"torch.set_num_threads({count})",
        )
    if facts.gpu:
        yield Change(
            "tf32", rule="tf32", by_rule=True, by_hand="torch.set_float32_matmul_precision('high')"
        )
        yield Change(
            "cudnn_benchmark",
            rule="cudnn-benchmark",
            by_hand="torch.backends.cudnn.benchmark = True",
        )
    if facts.convolutions:
        yield Change(
            "channels_last",
            rule="channels-last",
            by_hand="model.to(memory_format=torch.channels_last), and images too",
        )
    yield Change(
        "autocast",
        rule="mixed-precision" if facts.gpu else "cpu-bfloat16",
        by_rule=facts.gpu,
        by_hand="with torch.autocast(device, dtype=torch.bfloat16): around the model's call",
    )
    yield Change(
        "compile",
        rule="launch-bound" if facts.gpu else "",
        by_rule=facts.gpu,
        by_hand="model.compile() once the model is made",
    )


def _of_loader(facts: Facts) -> Iterator[Change]:
    count = 1
    while not facts.workers and count <= min(facts.cpus, MOST_WORKERS):
        yield Change(
            "workers",
            str(count),
            rule="no-workers",
            whatif=("--workers", str(count)),
            by_hand=f"num_workers={count} in DataLoader(…)",
        )
        count *= 2
    needs = "" if facts.workers else "workers"
    yield Change(
        "persistent_workers",
        rule="worker-start",
        needs=needs,
        by_hand="persistent_workers=True in DataLoader(…)",
    )
    yield Change(
        "prefetch", "4", rule="prefetch", needs=needs, by_hand="prefetch_factor=4 in DataLoader(…)"
    )
    if facts.gpu:
        yield Change("pin_memory", rule="pageable-copy", by_hand="pin_memory=True in DataLoader(…)")
        yield Change(
            "non_blocking",
            rule="pageable-copy",
            by_rule=True,
            by_hand="pin_memory=True in DataLoader(…), and tensor.to(device, non_blocking=True)",
        )
