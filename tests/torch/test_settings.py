"""How a program set torch up is told, once, and nothing of it is changed."""

from pathlib import Path

import pytest
from torch_runs import read_tables

PROGRAM = """
    import torch
    from torch import nn
    from torch.utils.data import DataLoader, Dataset, random_split

    class Rows(Dataset):
        def __len__(self):
            return 64

        def __getitem__(self, index):
            return torch.ones(4) * index, torch.zeros(1)

    def stack(rows):
        return torch.stack([x for x, _ in rows]), torch.stack([y for _, y in rows])

    training, held_out = random_split(Rows(), [48, 16], torch.Generator().manual_seed(1))
    model = nn.Linear(4, 1)
    optimizer = torch.optim.Adam(model.parameters(), fused=True)
    batches = DataLoader(training, batch_size=8, collate_fn=stack)
    for epoch in range(3):
        for x, y in batches:
            optimizer.zero_grad()
            with torch.autocast("cpu", torch.bfloat16):
                loss = (model(x) - y).pow(2).mean()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            for x, y in DataLoader(held_out, batch_size=16):
                model(x)
    print(sum(p.sum() for p in model.parameters()).item().hex())
"""


@pytest.fixture
def properties(run, tmp_path):
    def recorded(source, *options):
        run(source, *options)
        return {
            row["key"]: row["value"]
            for row in read_tables(tmp_path / "run.lap", "settings")["settings"]
        }

    return recorded


def test_loaders_optimizers_and_switches(properties, tmp_path):
    told = properties(PROGRAM)
    loader = {
        key.removeprefix("loader 1 "): value
        for key, value in told.items()
        if key.startswith("loader 1 ")
    }
    program = str(tmp_path / "program.py")
    assert (loader["file"], loader["line"]) == (program, "18")
    assert (
        loader["workers"],
        loader["batch"],
        loader["pin_memory"],
        loader["persistent"],
        loader["gradients"],
    ) == ("0", "8", "0", "0", "1")
    assert (
        loader["dataset"],
        loader["getitem_file"],
        loader["getitem_line"],
        loader["collate_line"],
    ) == ("Rows", program, "9", "12")
    assert told["loader 2 gradients"] == "0" and told["loader 2 line"] == "27"
    optimizer = {
        key.removeprefix("optimizer 1 "): value
        for key, value in told.items()
        if key.startswith("optimizer 1 ")
    }
    assert "sampler" not in loader and "made_by" not in loader
    assert optimizer == {
        "file": program,
        "line": "17",
        "class": "Adam",
        "tensors": "2",
        "elements": "5",
        "device": "cpu",
        "dtype": "float32",
        "way": "fused",
        "may_fuse": "1",
    }
    assert told["torch autocast"] == "cpu bfloat16"
    assert (
        int(told["torch threads"]) >= 1
        and int(told["cpus"]) >= 1
        and told["torch matmul_precision"] == "highest"
    )


def test_the_way_of_an_optimizer(properties):
    source = """
        import torch
        first, second = torch.nn.Linear(2, 2), torch.nn.Linear(2, 2)
        plain = torch.optim.SGD(first.parameters(), lr=0.1)
        foreach = torch.optim.Adam(second.parameters(), foreach=True)
        for _ in range(3):
            (first(torch.ones(2)) + second(torch.ones(2))).sum().backward()
            plain.step()
            foreach.step()
    """
    told = properties(source)
    assert (told["optimizer 1 class"], told["optimizer 1 way"]) == ("SGD", "single")
    assert (told["optimizer 2 class"], told["optimizer 2 way"]) == ("Adam", "foreach")


def test_a_sampler_of_the_programs_own(properties):
    source = """
        import torch
        from torch.utils.data import DataLoader, TensorDataset
        from torch.utils.data.distributed import DistributedSampler

        data = TensorDataset(torch.ones(32, 2))
        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        sampler = DistributedSampler(data, num_replicas=2, rank=0)
        for (x,) in DataLoader(data, batch_size=4, sampler=sampler):
            model(x).sum().backward()
            optimizer.step()
        for _ in DataLoader(data, batch_size=4, shuffle=True):
            pass
    """
    told = properties(source)
    assert told["loader 1 sampler"] == "DistributedSampler" and "loader 2 sampler" not in told


def test_an_optimizer_that_is_older_than_the_recording(record, tmp_path):
    import torch

    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)

    def step():
        for _ in range(3):
            model(torch.ones(2)).sum().backward()
            optimizer.step()  # here

    record(step)
    told = {
        row["key"]: row["value"]
        for row in read_tables(tmp_path / "run.lap", "settings")["settings"]
    }
    lines = Path(__file__).read_text().splitlines()
    here = next(number for number, line in enumerate(lines, 1) if line.endswith("# here"))
    assert (told["optimizer 1 file"], told["optimizer 1 line"]) == (__file__, str(here))


def test_strange_loaders_harm_nothing(run):
    source = """
        import torch
        from torch.utils.data import DataLoader

        class Odd(DataLoader):
            __hash__ = None
            def __getattribute__(self, name):
                if name == "prefetch_factor":
                    raise RuntimeError("no")
                return super().__getattribute__(name)

        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for x in DataLoader(torch.ones(8, 1), batch_size=2):
            model(x).sum().backward()
            optimizer.step()
        odd = object.__new__(Odd)
        try:
            DataLoader(1, batch_size=-1)
        except Exception as error:
            print(type(error).__name__)
    """
    process, recorded = run(source)
    assert process.stdout.strip() in ("ValueError", "TypeError") and process.stderr == ""
    assert len(recorded.steps) == 4


def test_the_rank_is_that_of_the_process_group(run, tmp_path):
    source = """
        import torch
        import torch.distributed as dist

        dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
        model = torch.nn.Linear(1, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        for _ in range(3):
            model(torch.ones(1)).sum().backward()
            optimizer.step()
    """
    alone = source.replace("dist.init", "0 and dist.init")
    for program, variables, told in (
        (source, {"RANK": "3"}, "0"),
        (alone, {"RANK": "3"}, "3"),
        (alone, {}, None),
    ):
        run(program, env=variables)
        settings = {
            row["key"]: row["value"]
            for row in read_tables(tmp_path / "run.lap", "settings")["settings"]
        }
        assert settings.get("rank") == told
