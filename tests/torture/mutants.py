"""Damaged files: the readers under the structure-aware fuzzers, and the laptime command on files
with random damage.
"""

import random
import shutil
import subprocess
import tempfile
from pathlib import Path

from campaign import Result
from progress import Progress

ROOT = Path(__file__).resolve().parents[2]
FUZZERS = {"sealed": 20_000, "part": 80_000, "profile": 4_000}  # the largest input of each
COMMANDS = [
    ["report"],
    ["report", "--json"],
    ["report", "advice", "warnings", "scopes"],
    ["export", "--to", "chrome", "-o", "-"],
    ["export", "--to", "pstats", "-o", "-"],
]
KNOWN_ENDS = (0, 1, 2, 3)


def fuzzers(build, count):
    """`count` mutants in all, whose checksums and lengths are mended so that they reach what is
    behind them.
    """
    result = Result(
        "No damaged file crashes a reader", "structure-aware mutants, under the address sanitizer"
    )
    each = count // len(FUZZERS)
    seeds = build / "tests/fuzz/seeds"
    subprocess.run([build / "tests/fuzz/fuzz_seeds", seeds], check=True, stdout=subprocess.DEVNULL)
    progress = Progress("fuzzers", len(FUZZERS))
    for kind, most_bytes in FUZZERS.items():
        start = seeds / kind if (seeds / kind).exists() else ROOT / "tests/golden/python/samples"
        with tempfile.TemporaryDirectory(prefix="laptime-torture-") as corpus:
            words = [
                f"-runs={each}",
                f"-max_len={most_bytes}",
                "-timeout=20",
                "-rss_limit_mb=2048",
                "-malloc_limit_mb=1024",
                "-seed=1",
            ]
            ended = subprocess.run(
                [
                    build / f"tests/fuzz/fuzz_{kind}",
                    *words,
                    f"-artifact_prefix={corpus}/",
                    corpus,
                    start,
                ],
                capture_output=True,
                text=True,
                errors="replace",
            )
        result.tries += each
        if ended.returncode != 0:
            result.failures.append(f"{kind}: {ended.stderr[-400:]}")
        progress.step()
    return result


def damage(data, chance):
    """Bytes changed, a range removed, doubled or zeroed, or the end cut off."""
    data = bytearray(data)
    for _ in range(chance.randrange(1, 8)):
        at = chance.randrange(len(data))
        length = min(chance.choice([1, 4, 64, 4096]), len(data) - at)
        how = chance.randrange(5)
        if how == 0:
            data[at] = chance.randrange(256)
        elif how == 1 and len(data) > 2 * length:
            del data[at : at + length]
        elif how == 2:
            data[at:at] = data[at : at + length]
        elif how == 3:
            data[at : at + length] = bytes(length)
        elif at > 16:
            del data[at:]
    return bytes(data)


def commands(laptime, samples, count, chance: random.Random):
    result = Result(
        "A damaged file is an answer or one line",
        f"files with random damage through {len(COMMANDS)} commands",
    )
    folder = Path(tempfile.mkdtemp(prefix="laptime-torture-"))
    progress = Progress("damaged files", count)
    originals = [sample.read_bytes() for sample in samples]
    for number in range(count):
        path = folder / "damaged.lap"
        path.write_bytes(damage(chance.choice(originals), chance))
        verb, *rest = chance.choice(COMMANDS)
        ended = subprocess.run(
            [laptime, verb, path, *rest],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=60,
        )
        is_explained = ended.returncode == 0 or len(ended.stderr.strip().splitlines()) == 1
        good = ended.returncode in KNOWN_ENDS and is_explained
        result.add(
            None
            if good
            else (
                f"damage {number}: laptime {verb} ended with {ended.returncode}:"
                f" {ended.stderr[-200:]}"
            )
        )
        progress.step()
    shutil.rmtree(folder, ignore_errors=True)
    return result
