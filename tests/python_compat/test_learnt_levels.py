"""What one process of a run has learnt about the cost of its code, the processes that it starts
begin with.
"""

import json
import os
import subprocess
import sys

from compat_sandbox import recording_environment

PROGRAM = """
    import json
    import multiprocessing
    import sys

    def work(n):
        total = 0
        for i in range(n):
            total += i
        return total

    def demoted_after(n):
        work(n)
        from laptime.collect import engine
        return [(d.name, d.level) for d in engine.demoted() if d.name == "work"]

    if __name__ == "__main__":
        parent = demoted_after(int(sys.argv[1]))
        with multiprocessing.get_context("spawn").Pool(1) as pool:
            print(json.dumps([parent, pool.apply(demoted_after, (10,))]))
"""


def run(sandbox, folder, turns, **options):
    program = sandbox.write("program.py", PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program), str(turns)],
        env=recording_environment(folder, **options),
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    return json.loads(done.stdout)


def test_a_spawned_worker_begins_with_what_its_parent_has_learnt(sandbox, tmp_path):
    parent, child = run(sandbox, tmp_path / "run.lap.d", 5_000_000, budget=0.01)
    assert parent == [["work", "call"]]
    assert child == parent, "after ten turns, which cost nothing"


def test_a_spawned_worker_of_a_parent_that_has_learnt_nothing_times_all_by_line(sandbox, tmp_path):
    assert run(sandbox, tmp_path / "run.lap.d", 10, budget=0.01) == [[], []]


def test_without_a_budget_nothing_is_learnt(sandbox, tmp_path):
    assert run(sandbox, tmp_path / "run.lap.d", 1_000_000) == [[], []]
    assert not (tmp_path / "run.lap.d" / "shared").exists()


def test_a_damaged_file_is_no_hindrance(sandbox, tmp_path):
    folder = tmp_path / "run.lap.d"
    environment = recording_environment(folder, budget=0.01)
    (folder / "shared").write_bytes(os.urandom(70_001))
    program = sandbox.write("program.py", PROGRAM)
    done = subprocess.run(
        [sys.executable, str(program), "10"],
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert json.loads(done.stdout) == [[], []]
    assert done.stderr == "" and (folder / "shared").stat().st_size == 70_001
