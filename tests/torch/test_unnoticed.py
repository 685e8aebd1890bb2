"""What a program could notice of laptime besides the time it takes: its own code called for
laptime, its own exceptions kept from it.
"""

import enum
import signal
import subprocess
import sys

import laptime
import pytest
import torch
from laptime.collect.source import Source
from laptime.collect.sources import Sources
from watching_mode import WatchingMode

SEEN = """
    import torch
    from torch.overrides import TorchFunctionMode

    class Mode(TorchFunctionMode):
        calls = 0
        def __torch_function__(self, function, types, args=(), kwargs=None):
            Mode.calls += 1
            return function(*args, **(kwargs or {}))

    class Named(torch.Tensor):
        calls = 0
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            Named.calls += 1
            return super().__torch_function__(function, types, args, kwargs or {})

    class Numbers(torch.utils.data.Dataset):
        def __len__(self):
            return 64
        def __getitem__(self, index):
            return torch.ones(4)

    def train(collate=None):
        model = torch.nn.Linear(4, 4)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for batch in torch.utils.data.DataLoader(Numbers(), batch_size=2, collate_fn=collate):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()

    with Mode():
        train()
    train(lambda samples: torch.stack(samples).as_subclass(Named))
    print(Mode.calls, Named.calls)
"""


@pytest.mark.parametrize(
    "options", [[], ["--full", "--shapes", "--memory"]], ids=["default", "everything"]
)
def test_modes_and_classes_of_tensors_see_what_they_see_without(run, tmp_path, options):
    process, recorded = run(SEEN, *options)
    bare = subprocess.run(
        [sys.executable, tmp_path / "program.py"], capture_output=True, text=True, check=True
    )
    assert process.stdout == bare.stdout and process.stderr == ""
    assert set(recorded.samples) == {2}


class Preempted(Exception):
    pass


class Played(Source):
    kind = "source"

    def __init__(self, problem):
        self.problem = problem

    def on(self):
        self.problem()

    def off(self): ...
    def close(self): ...


def preempt(number, frame):
    raise Preempted


class Kind(enum.Enum):
    only = 1


def broken():
    Kind(7)  # an error that comes out of code which a default handler's class has, too


def test_what_a_handler_raises_while_a_source_is_switched_reaches_the_program(capfd):
    switched = []
    was = signal.signal(signal.SIGUSR1, preempt)
    try:
        sources = Sources(
            "torch",
            {
                "signalled": Played(lambda: signal.raise_signal(signal.SIGUSR1)),
                "next": Played(lambda: switched.append("next")),
            },
        )
        with pytest.raises(Preempted):
            sources.switch(True)
    finally:
        signal.signal(signal.SIGUSR1, was)
    assert (
        list(sources.loaded) == ["signalled", "next"]
        and switched == ["next"]
        and capfd.readouterr().err == ""
    )
    sources = Sources("torch", {"broken": Played(broken)})
    sources.switch(True)
    assert (
        not sources
        and capfd.readouterr().err == "laptime: torch broken off: 7 is not a valid Kind\n"
    )


def test_a_mode_around_a_block_sees_only_what_the_program_does(tmp_path):
    with WatchingMode() as mode:
        with laptime.profile(tmp_path / "run.lap", lines=False, memory=True):
            torch.ones(3).cumsum(0)
    assert [function.__name__ for function in mode.seen] == ["ones", "cumsum"]
