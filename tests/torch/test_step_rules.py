"""Events in, steps out: every shape of a training loop that the rules know, as a line of a table.

Events: ``ask A`` (gradients on), ``ask A off`` (off), ``ask A eval`` (a model is in eval mode), each followed by a batch of 4
unless ``end A`` follows at once; ``drop A``: the iterator is gone; ``made``; ``zero o``, ``step o``: optimizer o's gradients
were zeroed, it stepped; ``skip``.
"""

import pytest

from laptime._torch.step_rules import MOST_BATCHES_A_STEP, MOST_STEPS_A_BATCH, SKIPPED, StepRules


def play(script):
    rules, ended = StepRules(), []
    words = [event.split() for event in script.replace("\n", ";").split(";") if event.split()]
    for (verb, *rest), following in zip(words, [*words[1:], ["none"]]):
        mark = None
        if verb == "ask":
            loader, gradients = ord(rest[0]), "off" not in rest
            mark = rules.ask(loader, gradients, "eval" in rest)
            if following[:2] != ["end", rest[0]]:
                rules.got(loader, 4, gradients)
        elif verb == "end":
            rules.closed(ord(rest[0]))
        elif verb == "drop":
            mark = rules.dropped(ord(rest[0]))
        elif verb == "zero":
            rules.gradients_zeroed(ord(rest[0]))
        elif verb == "made":
            rules.optimizer_made()
        else:
            mark = rules.optimizer_stepped(SKIPPED if verb == "skip" else ord(rest[0]))
        if mark:
            ended.append(f"{mark.phase} {mark.samples}")
    return ended


CASES = {
    "a batch, a step": ("made; ask A; step o; ask A; step o; ask A; end A", ["train 4"] * 2),
    "accumulation": ("made; ask A; ask A; step o; ask A; ask A; step o; ask A; end A", ["train 8"] * 2),
    "accumulation without having seen the optimizer made": ("ask A; step o; ask A; ask A; step o; ask A; end A", ["train 4", "train 8"]),
    "an accumulation's rest is stepped after the loop": (
        "made; ask A; step o; ask A; ask A; end A; step o; ask A; step o; ask A; end A", ["train 4", "train 4", "train 4"]),
    "two optimizers, one batch": ("made; ask A; step d; step g; ask A; step d; step g; ask A; end A", ["train 4"] * 2),
    "several steps on one batch": ("made; ask A; step o; step o; step o; ask A; step o; ask A; end A", ["train 4"] * 2),
    "validation without gradients": (
        "made; ask A; step o; ask A; end A; ask V off; ask V off; ask V off; end V; ask A; step o; ask A; end A",
        ["train 4", "validation 4", "validation 4", "train 4"]),
    "validation in the middle of an epoch": (
        "made; ask A; step o; ask V off; ask V off; end V; ask A; step o; ask A; end A", ["train 4", "validation 4", "train 4"]),
    "validation with gradients on": (
        "made; ask A; step o; ask A; end A; ask V; ask V; ask V; end V; ask A; step o; ask A; end A",
        ["train 4", "validation 4", "validation 4", "train 4"]),
    "a look at validation data before training": (
        "made; ask V off; ask V off; end V; ask A; step o; ask A; end A", ["validation 4", "train 4"]),
    "the same in eval mode only": ("made; ask V eval; ask V eval; end V; ask A; step o; ask A; end A", ["validation 4", "train 4"]),
    "a loop that knows its length": (
        "made; ask A; step o; ask A; step o; drop A; ask V off; ask V off; drop V", ["train 4"] * 2 + ["validation 4"] * 2),
    "single batches without gradients": ("ask A off; drop A; ask A off; drop A; ask A off", ["inference 4"] * 2),
    "validation left early": ("made; ask A; step o; ask V off; drop V; ask A; step o; ask A; end A", ["train 4", "validation 4", "train 4"]),
    "one validation batch a step": (
        "made; ask A; step o; ask V off; ask A; step o; ask V off; ask A; end A", ["train 4", "validation 4"] * 2),
    "validation on the training loader": (
        "made; ask A; step o; ask A; end A; ask A off; ask A off; end A", ["train 4", "validation 4"]),
    "validation interrupts an accumulation": (
        "made; ask A; step o; ask A; ask V off; ask V off; end V; ask A; step o; ask A; end A",
        ["train 4", "train 4", "validation 4", "train 4"]),
    "inference": ("ask A off; ask A off; ask A off; end A", ["inference 4"] * 2),
    "inference with gradients on": ("ask A; ask A; ask A; end A", ["inference 4"] * 2),
    "two loaders read together": (
        "made; ask A; ask B; step o; ask A; ask B; step o; ask A; end A", ["train 8", "train 8"]),
    "two loaders read together without gradients": ("ask A off; ask B off; ask A off; ask B off; ask A off; end A", ["inference 8"] * 2),
    "a loader in a loader": (
        "made; ask A; ask B; step o; ask B; step o; ask B; end B; ask A; ask B; step o; ask B; end B; ask A; end A",
        ["train 8", "train 4", "train 8"]),
    "a batch ahead": ("made; ask A; ask A; step o; ask A; step o; ask A; end A; step o", ["train 8", "train 4", "train 0"]),
    "no loader": ("made; step o; step o; step o", ["train 0"] * 3),
    "no loader, two optimizers in turn": ("made; step d; step g; step d; step g", ["train 0"] * 2),
    "no loader, another optimizer takes over": ("step a; step a; step b; step b; step b", ["train 0"] * 4),
    "batches kept in a list first": ("made; ask A; ask A; ask A; end A; step o; step o", ["train 0"] * 2),
    "one batch for ever": ("made; ask A; drop A; step o; step o", ["train 0"] * 2),
    "left early": ("made; ask A; step o; ask A; step o; drop A; ask B; step o; ask B; end B", ["train 4", "train 4", "train 4"]),
    "skipped steps": ("made; ask A; skip; ask A; step o; ask A; end A", ["train 4"] * 2),
    "skipped steps without a loader": ("made; skip; step o; skip", ["train 0"] * 3),
    "steps in a compiled function": (
        "ask A; zero o; ask A; zero o; ask A; zero o; ask A; zero o; ask A; end A", ["train 8", "train 4", "train 4"]),
    "gradients zeroed before and in the loop": (
        "made; zero o; ask A; zero o; ask A; step o; ask A; ask A; zero o; step o; ask A; end A", ["train 4", "train 4", "train 8"]),
    "accumulation with gradients zeroed first": (
        "made; ask A; zero o; ask A; step o; ask A; zero o; ask A; step o; ask A; end A", ["train 8"] * 2),
    "nothing": ("", []),
    "a loader that is empty": ("ask A; end A; ask A; end A", []),
}


@pytest.mark.parametrize("script, ended", CASES.values(), ids=CASES.keys())
def test_steps_end_where_the_rules_say(script, ended):
    assert play(script) == ended


def test_loader_left_behind_by_persistent_workers():
    ended = play("made; ask A; " + "step o; " * (MOST_STEPS_A_BATCH + 9))
    assert len(ended) == 10


def test_optimizer_inside_a_compiled_function():
    ended = play("made; " + "ask A; " * (MOST_BATCHES_A_STEP + 3) + "end A; ask V off; ask V off; end V; ask A; ask A; end A")
    assert ended == [f"train {4 * MOST_BATCHES_A_STEP}", "train 4", "train 4", "validation 4", "train 4"]
