"""Real training loops: the steps that are found, without a mark in the program."""

import pickle
import threading
import time
import warnings

import laptime
import pytest
import torch
from laptime.frameworks.torch.event_cost import EventCost
from torch import nn
from torch.utils.data import DataLoader, Dataset, IterableDataset, TensorDataset

TRAIN, VALIDATION, INFERENCE = "train", "validation", "inference"


def loader(samples=24, batch=8, **options):
    return DataLoader(
        TensorDataset(torch.randn(samples, 4), torch.randn(samples, 1)), batch_size=batch, **options
    )


def model_and_optimizer(kind=torch.optim.SGD, **options):
    model = nn.Linear(4, 1)
    return model, kind(model.parameters(), lr=0.01, **options)


def learn(model, optimizer, batch):
    optimizer.zero_grad()
    loss = (model(batch[0]) - batch[1]).pow(2).mean()
    loss.backward()
    optimizer.step()


def epoch(model, optimizer, batches):
    for batch in batches:
        learn(model, optimizer, batch)


def test_plain_loop(record):
    def loop():
        for _ in range(2):
            epoch(*model_and_optimizer(), loader(20))

    run = record(loop)
    assert run.phases == [TRAIN] * 6 and run.samples == [8, 8, 4] * 2
    assert run.calls["input"] == 6 and run.calls["input end"] == run.calls["start loader"] == 2
    assert (
        run.calls["Optimizer.step#SGD.step"] == 6
        and run.calls["Optimizer.zero_grad#SGD.zero_grad"] == 6
    )


def test_what_laptime_itself_computes_is_no_step(record, monkeypatch):
    def tries_torch_out(torch):
        for _ in range(3):
            torch.ones(1, requires_grad=True).mul(2).backward()
        return EventCost()

    monkeypatch.setattr("laptime.frameworks.torch.session.measure_event_cost", tries_torch_out)

    def loop():
        weight = torch.ones(4, requires_grad=True)
        for _ in range(5):
            weight.mul(2).sum().backward()
            weight.data.sub_(0.01)

    assert record(loop, ops=True).phases == [TRAIN] * 5


def test_checkpoints(record, tmp_path):
    original = torch.save

    def loop():
        model, optimizer = model_and_optimizer()
        for batch in loader(24):
            learn(model, optimizer, batch)
            torch.save(model.state_dict(), tmp_path / "model.pt")
        assert pickle.loads(pickle.dumps(torch.save)) is torch.save is torch.serialization.save
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'f'"):
            torch.save(model)

    run = record(loop)
    assert run.calls["checkpoint"] == 4 and torch.save is original is torch.serialization.save
    assert set(torch.load(tmp_path / "model.pt")) == {"weight", "bias"}


@pytest.mark.parametrize(
    "options",
    [{"num_workers": 2}, {"num_workers": 2, "persistent_workers": True}],
    ids=["workers", "persistent"],
)
def test_workers(record, options):
    def loop():
        batches = loader(40, **options)
        for _ in range(2):
            epoch(*model_and_optimizer(), batches)

    run = record(loop)
    assert run.phases == [TRAIN] * 10 and run.samples == [8] * 10
    assert run.calls["fetch"] == run.calls["input"] == 10 and run.calls["input end"] == 2


class Stream(IterableDataset):
    def __iter__(self):
        return iter(torch.randn(20, 5))


def test_iterable_dataset(record):
    def loop():
        model, optimizer = model_and_optimizer()
        for rows in DataLoader(Stream(), batch_size=8):
            learn(model, optimizer, (rows[:, :4], rows[:, 4:]))

    run = record(loop)
    assert run.phases == [TRAIN] * 3 and run.samples == [8, 8, 4]


def test_accumulation(record):
    def loop():
        model, optimizer = model_and_optimizer()
        for i, (x, y) in enumerate(loader(64)):
            (model(x) - y).pow(2).mean().backward()
            if i % 4 == 3:
                optimizer.step()
                optimizer.zero_grad()

    run = record(loop)
    assert run.phases == [TRAIN] * 2 and run.samples == [32, 32]


def test_two_optimizers(record):
    def loop():
        generator, discriminator = model_and_optimizer(), model_and_optimizer(torch.optim.Adam)
        for batch in loader():
            learn(*discriminator, batch)
            learn(*generator, batch)

    assert record(loop).phases == [TRAIN] * 3


@pytest.mark.parametrize("how", ["around", "inside", "inference_mode", "nothing"])
def test_validation(record, how):
    def validate(model):
        model.eval()
        if how == "around":
            with torch.no_grad():
                for x, _ in loader(16):
                    model(x)
        elif how == "inference_mode":
            with torch.inference_mode():
                for x, _ in loader(16):
                    model(x)
        else:
            for x, _ in loader(16):
                with torch.set_grad_enabled(how == "nothing"):
                    model(x)
        model.train()

    def loop():
        model, optimizer = model_and_optimizer()
        batches = loader()
        for _ in range(2):
            epoch(model, optimizer, batches)
            validate(model)

    assert record(loop).phases == ([TRAIN] * 3 + [VALIDATION] * 2) * 2


def test_validation_in_the_middle_of_an_epoch(record):
    def loop():
        model, optimizer = model_and_optimizer()
        other = loader(16)
        for i, batch in enumerate(loader(32)):
            learn(model, optimizer, batch)
            if i == 1:
                with torch.no_grad():
                    for x, _ in other:
                        model(x)

    assert record(loop).phases == [TRAIN] * 2 + [VALIDATION] * 2 + [TRAIN] * 2


def test_inference(record):
    def loop():
        model = nn.Linear(4, 1).eval()
        for x, _ in loader():
            with torch.no_grad():
                model(x)

    run = record(loop)
    assert run.phases == [INFERENCE] * 3 and run.samples == [8] * 3


def test_no_loader(record):
    def loop():
        model, optimizer = model_and_optimizer(torch.optim.AdamW)
        for _ in range(5):
            learn(model, optimizer, (torch.randn(8, 4), torch.randn(8, 1)))

    run = record(loop)
    assert run.phases == [TRAIN] * 5 and run.samples == [None] * 5


def test_one_batch_for_ever(record):
    def loop():
        batch = next(iter(loader()))
        model, optimizer = model_and_optimizer()
        for _ in range(5):
            learn(model, optimizer, batch)

    assert record(loop).phases == [TRAIN] * 5


def test_an_optimizer_that_calls_its_closure_again_and_again(record):
    calls = []

    def loop():
        model = nn.Linear(4, 1)
        optimizer = torch.optim.LBFGS(model.parameters(), max_iter=3)
        for x, y in loader():

            def closure(x=x, y=y):
                calls.append(1)
                optimizer.zero_grad()
                loss = (model(x) - y).pow(2).mean()
                loss.backward()
                return loss

            optimizer.step(closure)

    run = record(loop)
    assert run.phases == [TRAIN] * 3 and run.calls["Optimizer.update#LBFGS.step"] == len(calls) > 3


class Signs(torch.optim.Optimizer):
    def __init__(self, parameters, lr):
        super().__init__(parameters, {"lr": lr})

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for parameter in group["params"]:
                parameter -= group["lr"] * parameter.grad.sign()


@pytest.mark.parametrize(
    "kind, options",
    [
        (torch.optim.Adam, {"fused": True}),
        (torch.optim.Adam, {"foreach": True}),
        (torch.optim.SGD, {"foreach": False}),
        (Signs, {}),
    ],
    ids=["fused", "foreach", "single", "own"],
)
def test_kinds_of_optimizers(record, kind, options):
    assert (
        record(lambda: epoch(*model_and_optimizer(kind, **options), loader())).phases == [TRAIN] * 3
    )


def test_skipped_steps_of_a_gradient_scaler(record):
    def loop():
        model, optimizer = model_and_optimizer()
        scaler = torch.amp.GradScaler("cpu", init_scale=2.0)
        for i, (x, y) in enumerate(loader(32)):
            loss = (model(x) - y).pow(2).mean() * (float("inf") if i < 2 else 1)
            scaler.scale(loss).backward()
            scaler.step(optimizer)
            scaler.update()
            optimizer.zero_grad()

    run = record(loop)
    assert run.phases == [TRAIN] * 4 and run.calls["Optimizer.step#SGD.step"] == 2


def test_left_early(record):
    def loop():
        model, optimizer = model_and_optimizer()
        for _ in range(3):
            for i, batch in enumerate(loader(80)):
                learn(model, optimizer, batch)
                if i == 1:
                    break
        with torch.no_grad():
            for x, _ in loader(8):
                model(x)

    assert record(loop).phases == [TRAIN] * 6 + [VALIDATION]


def test_exception_in_the_middle_of_an_epoch(record):
    class Breaks(Dataset):
        def __len__(self):
            return 24

        def __getitem__(self, index):
            if index == 20:
                raise ValueError("sample 20")
            return torch.randn(4), torch.randn(1)

    def loop():
        model, optimizer = model_and_optimizer()
        with pytest.raises(ValueError, match="sample 20"):
            epoch(model, optimizer, DataLoader(Breaks(), batch_size=8))
        epoch(model, optimizer, loader())

    assert record(loop).phases == [TRAIN] * 5


def test_loaders_together_and_in_each_other(record):
    def loop():
        model, optimizer = model_and_optimizer()
        for batch, _ in zip(loader(), loader()):
            learn(model, optimizer, batch)
        for _ in loader(16):
            epoch(model, optimizer, loader(16))

    run = record(loop)
    assert run.phases == [TRAIN] * 7


def test_batch_ahead(record):
    def loop():
        model, optimizer = model_and_optimizer()
        batches = iter(loader(40))
        batch = next(batches)
        while batch is not None:
            following = next(batches, None)
            learn(model, optimizer, batch)
            batch = following

    assert record(loop).phases == [TRAIN] * 5


def test_batches_read_by_another_thread(record):
    def loop():
        model, optimizer = model_and_optimizer()
        read = []
        reader = threading.Thread(target=lambda: read.extend(loader(40)))
        reader.start()
        reader.join()
        epoch(model, optimizer, read)

    run = record(loop)
    assert run.phases == [TRAIN] * 5 and run.calls["input"] == 5


@pytest.mark.parametrize(
    "wrap",
    [lambda x, y: {"x": x, "y": y}, lambda x, y: [[x], y], lambda x, y: (x, {"y": y})],
    ids=["dictionary", "lists", "mixed"],
)
def test_samples_of_structured_batches(record, wrap):
    def collate(rows):
        return wrap(torch.stack([row[0] for row in rows]), None)

    def loop():
        model, optimizer = model_and_optimizer()
        for batch in loader(collate_fn=collate):
            x = batch["x"] if isinstance(batch, dict) else batch[0]
            x = x[0] if isinstance(x, list) else x
            learn(model, optimizer, (x, torch.zeros(len(x), 1)))

    assert record(loop).samples == [8] * 3


def test_marks_of_the_program_win(record):
    def loop():
        model, optimizer = model_and_optimizer()
        for _ in range(2):
            for batch in laptime.steps(loader(40), samples=lambda batch: len(batch[0])):
                learn(model, optimizer, batch)
        for batch in loader(16):
            learn(model, optimizer, batch)

    run = record(loop)
    assert run.phases == ["step"] * 10 and run.samples == [8] * 10
    assert run.calls["input"] == 5 * 2 + 2, "once each"


def test_an_optimizer_made_after_the_programs_first_mark_begins_no_step(record):
    def loop():
        laptime.step()
        for _ in range(4):
            time.sleep(0.02)
            model, optimizer = model_and_optimizer()
            learn(model, optimizer, (torch.ones(8, 4), torch.ones(8, 1)))
            laptime.step()

    run = record(loop)
    assert run.phases == ["step"] * 5
    assert all(step["wall_ns"] >= 20_000_000 for step in run.steps[1:])


@pytest.mark.parametrize("how", ["positional", "keyword"])
def test_a_closure_is_not_the_optimizers(record, how):
    def loop():
        model, optimizer = model_and_optimizer()
        for batch in loader(24):

            def closure(batch=batch):
                optimizer.zero_grad()
                loss = (model(batch[0]) - batch[1]).pow(2).mean()
                loss.backward()
                return loss

            assert (
                optimizer.step(closure) if how == "positional" else optimizer.step(closure=closure)
            ).requires_grad

    run = record(loop)
    assert run.phases == [TRAIN] * 3
    assert (
        run.calls["Optimizer.update#SGD.step"] == 3
        and "Optimizer.zero_grad#SGD.zero_grad" in run.calls
    )


class StepsWithModel(torch.optim.SGD):
    def step(self, model):
        assert type(model) is nn.Linear
        return super().step()


def test_what_an_optimizer_of_the_programs_takes_is_left_as_it_is(record):
    def loop():
        model, optimizer = model_and_optimizer(StepsWithModel)
        for batch in loader(24):
            (model(batch[0]) - batch[1]).pow(2).mean().backward()
            optimizer.step(model)

    assert record(loop).phases == [TRAIN] * 3


class Interrupting:
    @property
    def shape(self):
        raise KeyboardInterrupt


class Failing:
    @property
    def shape(self):
        raise RuntimeError("no shape")


def test_an_interrupt_while_a_batch_is_looked_at_is_the_programs(record):
    def loop():
        with pytest.raises(KeyboardInterrupt):
            next(iter(DataLoader(list(range(4)), collate_fn=lambda _: Interrupting())))
        assert isinstance(
            next(iter(DataLoader(list(range(4)), collate_fn=lambda _: Failing()))), Failing
        )

    assert record(loop).calls["input"] == 2


def test_lightning(record, tmp_path):
    warnings.simplefilter("ignore")
    lightning = pytest.importorskip("lightning")

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.layer = nn.Linear(4, 1)

        def training_step(self, batch):
            return (self.layer(batch[0]) - batch[1]).pow(2).mean()

        def validation_step(self, batch):
            self.layer(batch[0])

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.01)

    def loop():
        trainer = lightning.Trainer(
            max_epochs=2,
            logger=False,
            enable_checkpointing=False,
            enable_progress_bar=False,
            enable_model_summary=False,
            num_sanity_val_steps=1,
            default_root_dir=tmp_path,
            accelerator="cpu",
        )
        trainer.fit(Module(), loader(32), loader(16))

    assert record(loop).phases == [VALIDATION] + ([TRAIN] * 4 + [VALIDATION] * 2) * 2


def test_hooks_are_gone_afterwards(record):
    from torch.utils.data.dataloader import _BaseDataLoaderIter

    kept = [
        _BaseDataLoaderIter.__next__,
        DataLoader.__iter__,
        nn.Module.eval,
        torch.optim.Optimizer.zero_grad,
    ]
    record(lambda: epoch(*model_and_optimizer(), loader()))
    assert [
        _BaseDataLoaderIter.__next__,
        DataLoader.__iter__,
        nn.Module.eval,
        torch.optim.Optimizer.zero_grad,
    ] == kept
