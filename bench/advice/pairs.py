"""The programs of bench/advice, and the fixes that their advice leads to."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).resolve().parent / "programs"


@dataclass
class Fix:
    """The fix for a rule's advice: changed lines of the program, options, or the environment."""

    rule: str
    what: str
    edits: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)
    samples: float = 1  # samples of a step, as a factor


@dataclass
class Program:
    name: str
    script: str
    fixes: list[Fix]
    options: list[str] = field(default_factory=list)
    launch: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=lambda: {"OMP_NUM_THREADS": "1"})
    turn_s: float = 1.0
    record_s: float = 13
    device: str = "cpu"

    def text(self) -> str:
        return (FOLDER / f"{self.script}.py").read_text()

    def write(self, folder: Path, fix: Fix | None = None) -> Path:
        """The script with the fix, as a file in the folder."""
        text = self.text()
        for old, new in (fix.edits if fix else {}).items():
            if text.count(old) != 1:
                raise ValueError(f"{self.script}.py: {text.count(old)} times: {old}")
            text = text.replace(old, new)
        path = folder / (
            f"{self.script}.py" if fix is None else f"{self.script}-{self.fixes.index(fix)}.py"
        )
        path.write_text(text)
        return path


PROGRAMS: list[Program] = []


def add(name: str, script: str, *fixes: Fix, options: str = "", **more: object) -> None:
    PROGRAMS.append(Program(name, script, list(fixes), options.split(), **more))  # type: ignore[arg-type]


def options(rule: str, what: str, words: str, **more: object) -> Fix:
    return Fix(rule, what, options=words.split(), **more)  # type: ignore[arg-type]


def edits(rule: str, what: str, *lines: tuple[str, str], **more: object) -> Fix:
    return Fix(rule, what, dict(lines), **more)  # type: ignore[arg-type]


ROWS_OF_X = (
    "loader = DataLoader(TensorDataset(x, y), batch_size=options.batch, shuffle=True)",
    "loader = Rows()",
)
ROW_OF_PIXELS = (
    "        return torch.from_numpy(pixels), int(self.labels[index])",
    "        return pixels, int(self.labels[index])",
)
KEPT_PIXELS = [
    (
        "        self.labels = random.integers(0, 10, count)",
        (
            "        self.labels = random.integers(0, 10, count)\n        self.pixels ="
            " [torch.from_numpy(unpack(packed, side)) for packed in self.packed]"
        ),
    ),
    (
        "        pixels = unpack(self.packed[index], self.side)",
        "        pixels = self.pixels[index]",
    ),
    ROW_OF_PIXELS,
]
KEPT_WORDS = [
    (
        "    def __len__(self):",
        (
            "        self.numbers = [numbers_of(text) for text in self.texts]\n\n    def"
            " __len__(self):"
        ),
    ),
    ("        words = numbers_of(self.texts[index])", "        words = self.numbers[index]"),
]
PADDED = [
    ("    longest = max(len(words) for words, _ in samples)\n", ""),
    (
        "    batch = torch.zeros(len(samples), longest, dtype=torch.long)\n",
        (
            "    batch = nn.utils.rnn.pad_sequence([torch.tensor(words) for words, _ in samples],"
            " batch_first=True)\n"
        ),
    ),
    (
        (
            "    for row, (words, _) in enumerate(samples):\n        for column, word in"
            " enumerate(words):\n            batch[row, column] = word\n"
        ),
        "",
    ),
]

add(
    "digits",
    "digits",
    edits(
        "reload",
        "read once",
        ("before_loop = None", "images, labels = load_digits()"),
        ("    images, labels = load_digits()\n    rows", "    rows"),
    ),
)
add(
    "table in CSV",
    "csv_rows",
    edits(
        "reload",
        "parsed once",
        ("    table = None", "    table = torch.tensor(read_rows())"),
        ("        table = torch.tensor(read_rows())\n        rows", "        rows"),
    ),
)
for name, sizes in {
    "pictures": "",
    "large pictures": "--side 64 --width 8",
    "pictures, wide net": "--width 48 --rounds 3",
}.items():
    add(
        name,
        "pictures",
        options("no-workers", "one worker", "--workers 1"),
        edits("dataset-line", "unpacked once", *KEPT_PIXELS),
        options("single-tensor-optimizer", "fused", "--fused"),
        options=sizes,
    )
for name, sizes in {
    "rows of tensors": "",
    "rows of tensors, small batch": "--batch 32 --hidden 128",
    "rows of tensors, deep": "--depth 12 --hidden 128",
}.items():
    add(
        name,
        "tensors",
        edits("in-memory-dataset", "whole batches", ROWS_OF_X),
        options("single-tensor-optimizer", "fused", "--fused"),
        options=sizes,
    )
for name, sizes in {"sentences": "", "long sentences, GRU": "--words 60 --cell gru"}.items():
    add(
        name,
        "sentences",
        edits("slow-collate", "pad_sequence", *PADDED),
        edits("dataset-line", "cut once", *KEPT_WORDS),
        options=sizes,
    )
for every in (5, 20):
    add(
        f"saved every {every} steps",
        "often_saved",
        options("checkpoint", "five times less often", f"--every {5 * every}"),
        options=f"--every {every}",
        turn_s=3.0,
    )
for steps, batches in ((20, 40), (40, 120)):
    add(
        f"validation of {batches} batches every {steps} steps",
        "often_validated",
        options("validation", "half as often", f"--steps {2 * steps}"),
        options=f"--steps {steps} --batches {batches}",
        turn_s=3.0,
        record_s=16,
    )
for objects in (150_000, 500_000):
    add(
        f"garbage among {objects:,} objects",
        "garbage",
        edits(
            "gc-pauses",
            "gc.freeze()",
            ("    step = 0\n", "    import gc\n    gc.collect()\n    gc.freeze()\n    step = 0\n"),
        ),
        options=f"--objects {objects}",
        turn_s=2.0,
        record_s=16,
    )
for batches in (6, 30):
    add(
        f"epochs of {batches} batches",
        "short_epochs",
        options("worker-start", "persistent_workers", "--persistent"),
        options=f"--batches {batches}",
        turn_s=2.5,
    )
add("slow disk", "slow_disk", options("few-workers", "two workers", "--workers 2"))
add(
    "slower disk",
    "slow_disk",
    options("few-workers", "two workers", "--workers 2"),
    options="--wait-us 800",
)
add(
    "uneven disk",
    "slow_disk",
    options("prefetch", "prefetch_factor=8", "--prefetch 8"),
    options("worker-imbalance", "any order", "--any-order"),
    options="--workers 2 --wait-us 50 --uneven-ms 40",
    turn_s=2.0,
)
add(
    "no workers for a disk",
    "slow_disk",
    options("no-workers", "one worker", "--workers 1"),
    options="--workers 0 --wait-us 60",
)
for name, sizes in {
    "transformer": "--metric python",
    "narrow transformer": "--width 64 --layers 6 --batch 4 --metric python",
    "wide transformer": "--width 384 --layers 2",
}.items():
    add(
        name,
        "transformer",
        options("single-tensor-optimizer", "fused", "--fused"),
        options("cpu-bfloat16", "autocast", "--bf16"),
        options("python-line", "no metric in a loop", "--metric none"),
        options=sizes,
    )
add(
    "two ranks, one with more work",
    "two_ranks",
    options("straggler", "equal work", "--extra-kb 0"),
    options="--extra-kb 4000",
    launch=["-m", "torch.distributed.run", "--nproc_per_node", "2"],
    record_s=20,
)
add(
    "two ranks of two threads",
    "two_ranks",
    Fix("too-many-threads", "OMP_NUM_THREADS=1", environment={"OMP_NUM_THREADS": "1"}),
    environment={"OMP_NUM_THREADS": "2"},
    launch=["-m", "torch.distributed.run", "--nproc_per_node", "2"],
    record_s=25,
    turn_s=3.0,
)
add(
    "autoencoder",
    "vae",
    options("no-workers", "one worker", "--workers 1"),
    options("logging", "every 50 steps", "--log 50"),
    options("single-tensor-optimizer", "fused", "--fused"),
)
add(
    "autoencoder of two threads",
    "vae",
    options("no-workers", "one worker", "--workers 1"),
    options("single-tensor-optimizer", "fused", "--fused"),
    options="--log 50 --hidden 800",
    environment={"OMP_NUM_THREADS": "2"},
)
add(
    "Lightning",
    "lightning_digits",
    options("in-memory-dataset", "whole batches", "--rows-at-once"),
    options("single-tensor-optimizer", "fused", "--fused"),
    turn_s=1.5,
    record_s=18,
)

# Each option for a bad habit comes last in its program's options, so that the fix can replace it.
FUSED = options("single-tensor-optimizer", "fused", "--optimizer fused")
GRAPHS = options("launch-bound", "torch.compile, reduce-overhead", "--compile reduce-overhead")
BF16, TF32 = options("mixed-precision", "autocast", "--bf16"), options("tf32", "high", "--tf32")
READ_RARELY = options("hidden-sync", "loss read every 50 steps", "--item 50")


def add_gpu(name: str, words: str, *fixes: Fix, **more: object) -> None:
    add(
        name,
        "gpu_trainer",
        *fixes,
        options=words,
        device="cuda",
        environment={},
        record_s=22,
        **more,
    )


add_gpu(
    "GPU: small CNN",
    "--metric 4000 --item 1 --optimizer single",
    READ_RARELY,
    FUSED,
    GRAPHS,
    options("python-line", "no metric", "--metric 0"),
)
add_gpu(
    "GPU: large batches from memory",
    "--batch 2048 --width 32 --item 1",
    READ_RARELY,
    options("pageable-copy", "pinned", "--feed pinned"),
    BF16,
)
add_gpu("GPU: GPT", "--model gpt --width 512 --depth 8 --batch 32", TF32, BF16, GRAPHS)
add_gpu(
    "GPU: small GPT",
    "--model gpt --width 128 --depth 6 --batch 8 --optimizer single",
    FUSED,
    GRAPHS,
    BF16,
)
add_gpu(
    "GPU: residual network",
    "--model resnet --width 128 --depth 6 --batch 128 --feed device",
    BF16,
    options("cudnn-benchmark", "on", "--benchmark"),
)
add_gpu(
    "GPU: residual network in bfloat16",
    "--model resnet --width 128 --depth 6 --batch 256 --feed device --bf16",
    options("channels-last", "channels_last", "--channels-last"),
)
add_gpu(
    "GPU: images from a loader",
    "--feed loader --rounds 3",
    options("no-workers", "four workers", "--workers 4"),
    options("dataset-line", "decoded once", "--decoded"),
)
add_gpu(
    "GPU: one worker",
    "--feed loader --rounds 8 --workers 1",
    options("few-workers", "four workers", "--workers 4"),
)
add_gpu(
    "GPU: scalars from the CPU",
    "--feed device --scalars cpu --print 1",
    options("tiny-copies", "made on the GPU", "--scalars gpu"),
    options("logging", "printed every 50 steps", "--print 50"),
)
add_gpu(
    "GPU: validation",
    "--model gpt --width 256 --depth 4 --batch 16 --validate 20",
    options("validation", "half as often", "--validate 40"),
    turn_s=2.0,
)
