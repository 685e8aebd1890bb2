"""Where a training program's steps end, told from what a loop cannot do without: batches asked for, optimizers that step.

Pure rules: events in, ended steps out. Nothing here knows torch, time or threads.

* Batches and optimizer steps: a step ends where the next batch is asked for, if an optimizer stepped since. So several
  batches for one optimizer step (accumulation) are one step, and so is one batch for several optimizers.
* Batches asked for without gradients, or from a loader that is never trained on: each is a step of ``validation``, or of
  ``inference`` in a program without an optimizer.
* No batches: a step ends with the optimizer's step; of several that step in turn, with the first one's.
"""

from __future__ import annotations

from typing import NamedTuple

TRAIN = "train"
VALIDATION = "validation"
INFERENCE = "inference"

SKIPPED = -2  # in the place of an optimizer's number

# A loop that steps so often on one batch has left its loader behind (persistent workers keep an iterator alive).
MOST_STEPS_A_BATCH = 32


# A loop that reads so many batches with gradients and never steps has its optimizer inside a compiled function.
MOST_BATCHES_A_STEP = 32


class Ended(NamedTuple):
    phase: str
    samples: int  # 0: unknown


class StepRules:
    """One for each thread that trains. Loaders and optimizers are known by numbers."""

    def __init__(self) -> None:
        self._has_optimizer = False
        self._trained: set[int] = set()  # loaders whose batches were trained on
        self._open: set[int] = set()  # loaders with batches to come
        self._unseen: set[int] = set()  # loaders whose optimizers step out of sight, in compiled functions
        self._zeroed: set[int] = set()  # optimizers whose gradients were zeroed since one stepped
        self._leader = -1  # the optimizer that ends steps where no loader does
        self._follower = -1  # another that stepped since
        self._looping = -1  # the loader whose batch ended the step before
        self._ended = Ended("", 0)
        self._loaders: set[int] = set()  # of the batches of this step
        self._begin()

    def _begin(self) -> None:
        self._loaders.clear()
        self._with_gradients = False
        self._optimizer_steps = 0
        self._batches = 0
        self._samples = 0

    def optimizer_made(self) -> None:
        self._has_optimizer = True

    def gradients_zeroed(self, optimizer: int) -> None:
        """Twice without a step in between: the steps must be out of sight."""
        self._has_optimizer = True
        if optimizer in self._zeroed:
            self._unseen |= self._loaders
        self._zeroed.add(optimizer)

    def ask(self, loader: int, gradients: bool, evaluating: bool = False) -> Ended | None:
        """The program asks for a batch. ``gradients``: they are on; ``evaluating``: a model was put into eval mode."""
        self._open.add(loader)
        if not self._batches:
            return None
        phase = TRAIN if self._optimizer_steps else self._phase_before(loader, gradients, evaluating)
        if not phase:
            return None
        self._looping = loader
        return self._end(phase)

    def got(self, loader: int, samples: int, gradients: bool) -> None:
        """It got one."""
        self._loaders.add(loader)
        self._batches += 1
        self._samples += samples
        self._with_gradients |= gradients

    def closed(self, loader: int) -> None:
        """The loader is at its end: there will be no more batches."""
        self._open.discard(loader)

    def dropped(self, loader: int) -> Ended | None:
        """Nobody holds the loader's iterator any more: the loop over it was left early, or knew how many batches to read."""
        ended = None
        if loader in self._open and loader in self._loaders:
            if self._optimizer_steps:
                ended = self._end(TRAIN)
            elif self._looping == loader and not self._with_gradients:
                ended = self._end(self._idle_phase())
        self._open.discard(loader)
        return ended

    def optimizer_stepped(self, optimizer: int) -> Ended | None:
        """``SKIPPED`` for one that should have, and did not: its gradients had overflown."""
        self._has_optimizer = True
        self._unseen.clear()
        self._zeroed.clear()
        if not self._loaders.isdisjoint(self._open):
            self._optimizer_steps += 1
            if self._optimizer_steps < MOST_STEPS_A_BATCH:
                return None
            self._open -= self._loaders
        return self._step_without_loader(self._leader if optimizer == SKIPPED else optimizer)

    def _step_without_loader(self, optimizer: int) -> Ended | None:
        if optimizer != self._leader and self._leader != -1 and optimizer != self._follower:
            self._follower = optimizer
            return None
        self._leader, self._follower = optimizer, -1
        if self._trained.isdisjoint(self._loaders):
            self._samples = 0  # read long before, all at once
        return self._end(TRAIN)

    def _phase_before(self, loader: int, gradients: bool, evaluating: bool) -> str | None:
        """What the batches so far were for, if they end a step here although no optimizer stepped."""
        if not self._with_gradients:
            return self._idle_phase() if gradients or loader in self._loaders else None
        was_training = not self._trained.isdisjoint(self._loaders)
        if not gradients:
            return TRAIN if was_training else None  # batches of an accumulation that is left unfinished
        if loader in self._unseen:
            return TRAIN
        if was_training or loader not in self._loaders:
            return None
        if self._trained or evaluating or not self._has_optimizer:
            return self._idle_phase()
        if self._batches < MOST_BATCHES_A_STEP:
            return None
        self._unseen.add(loader)
        return TRAIN

    def _idle_phase(self) -> str:
        return VALIDATION if self._has_optimizer else INFERENCE

    def _end(self, phase: str) -> Ended:
        ended = self._ended
        if ended.phase is not phase or ended.samples != self._samples:  # most steps are like the one before
            ended = self._ended = Ended(phase, self._samples)
        if phase is TRAIN and self._optimizer_steps:
            self._trained |= self._loaders
        self._begin()
        return ended
