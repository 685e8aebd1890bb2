"""Where there is no room for the recording any more the program goes on as if there were none."""

import os
import subprocess
import sys
import textwrap

import pytest
from torch_runs import LAPTIME


@pytest.fixture
def small_disk(tmp_path):
    """A file system in memory, where a hole that is read takes room, too."""
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", folder], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"nothing may be mounted here: {mounted.stderr.strip()}")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def run(source, folder, *command):
    program = folder.parent / "program.py"
    program.write_text(textwrap.dedent(source))
    done = subprocess.run(
        [*command, program],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "PYTHONFAULTHANDLER": "1"},
    )
    return done.returncode, done.stdout, done.stderr


TRAINING = """
    import sys, torch
    model = torch.nn.Sequential(*[torch.nn.Linear(8, 8) for _ in range(20)])
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    for step in range(600):
        optimizer.zero_grad()
        model(torch.ones(4, 8)).sum().backward()
        optimizer.step()
    print(step)
    sys.exit(3)
"""


@pytest.mark.parametrize("options", [[], ["--full"]], ids=["default", "full"])
def test_a_training_goes_on(small_disk, options):
    (small_disk / "filler").write_bytes(bytes(1_500_000))
    code, output, errors = run(
        TRAINING, small_disk, LAPTIME, "run", "-q", "-o", "run.lap", *options
    )
    assert (code, output) == (3, "599\n"), errors
    assert "No space left on device" in errors and "Traceback" not in errors


def test_a_block_ends(small_disk):
    code, output, errors = run(
        """
        import sys, laptime
        with laptime.profile("run.lap", lines=False):
            for _ in range(200_000):
                with laptime.scope("x"):
                    pass
        print("went on")
        sys.exit(3)
    """,
        small_disk,
        sys.executable,
    )
    assert (code, output) == (3, "went on\n"), errors
    assert "No space left on device" in errors
