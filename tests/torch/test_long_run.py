"""Many steps: memory stays flat and the file small."""

PROGRAM = """
    import torch

    def anonymous_memory():
        with open("/proc/self/status") as status:
            return int(next(line.split()[1] for line in status if line.startswith("RssAnon")))

    class Batches(torch.utils.data.IterableDataset):
        def __iter__(self):
            batch = torch.ones(4, 2)
            return (batch for _ in range(50_000))

    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=1e-6, foreach=False)
    for step, batch in enumerate(torch.utils.data.DataLoader(Batches(), batch_size=None)):
        if step == 10_000:
            early = anonymous_memory()
        if step % 10 == 0:
            (batch * weight).sum().backward()
        optimizer.step()
    print(anonymous_memory() - early)
"""


def test_fifty_thousand_steps(run, tmp_path):
    process, recorded = run(PROGRAM, "--steps", "20:40")
    grown_kib = int(process.stdout)
    assert len(recorded.steps) == 50_000 and sum(step["recorded"] for step in recorded.steps) == 20
    assert grown_kib < 8 * 1024
    # A step is three spans here, two arguments and the counts of five lines.
    assert (tmp_path / "run.lap").stat().st_size < 32 * 50_000
