"""cProfile's and line_profiler's own files through `laptime import` and `laptime export`, on each
CPython.
"""

import cProfile
import io
import marshal
import pickle
import profile
import pstats
import subprocess
import sysconfig
from pathlib import Path

import pytest

LAPTIME = Path(sysconfig.get_path("scripts")) / "laptime"
SAMPLES = Path(__file__).resolve().parents[1] / "golden" / "python" / "samples"


def laptime(*arguments, code=0):
    done = subprocess.run([LAPTIME, *arguments], capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    return done


def through_laptime(path, to, folder):
    laptime("import", path, "-o", folder / "x.lap")
    laptime("export", folder / "x.lap", "--to", to, "-o", folder / f"x.{to}")
    return folder / f"x.{to}"


def load(path):
    with open(path, "rb") as file:
        return marshal.load(file)


def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


def ping(n):
    return pong(n - 1) if n else 0


def pong(n):
    return ping(n - 1) if n else 0


def work():
    fib(10)
    ping(9)
    return sorted(str(i) for i in range(50))


def test_a_profile_comes_out_as_it_went_in(tmp_path):
    profiler = cProfile.Profile()
    profiler.runcall(work)
    profiler.dump_stats(tmp_path / "in.prof")
    assert load(through_laptime(tmp_path / "in.prof", "pstats", tmp_path)) == load(
        tmp_path / "in.prof"
    )


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.prof")), ids=lambda path: path.stem)
def test_profiles_of_all_versions_come_out_as_they_went_in(sample, tmp_path):
    assert load(through_laptime(sample, "pstats", tmp_path)) == load(sample)


def test_pstats_works_on_what_is_exported(tmp_path):
    profiler = cProfile.Profile()
    profiler.runcall(work)
    profiler.dump_stats(tmp_path / "in.prof")
    out = io.StringIO()
    stats = pstats.Stats(str(through_laptime(tmp_path / "in.prof", "pstats", tmp_path)), stream=out)
    stats.add(str(tmp_path / "in.prof")).strip_dirs().sort_stats("cumulative").print_stats()
    stats.print_callers()
    stats.print_callees()
    assert "354/2" in out.getvalue()  # fib(10), twice


def test_the_pure_python_profiler_has_counts_of_callers_only(tmp_path):
    profiler = profile.Profile()
    profiler.runcall(work)
    profiler.dump_stats(tmp_path / "in.prof")
    before, after = (
        load(tmp_path / "in.prof"),
        load(through_laptime(tmp_path / "in.prof", "pstats", tmp_path)),
    )
    assert before.keys() == after.keys()
    for function, (cc, nc, _, _, callers) in before.items():
        assert after[function][:2] == (cc, nc)
        assert {caller: numbers[0] for caller, numbers in after[function][4].items()} == callers
    assert "estimated_caller_times" in laptime("report", tmp_path / "x.lap", "warnings").stdout


def test_call_tree_adds_up(tmp_path):
    profiler = cProfile.Profile()
    profiler.runcall(work)
    profiler.dump_stats(tmp_path / "in.prof")
    stacks = through_laptime(tmp_path / "in.prof", "stacks", tmp_path).read_text().splitlines()
    own = sum(entry[2] for entry in load(tmp_path / "in.prof").values()) * 1e9
    assert sum(int(line.rsplit(" ", 1)[1]) for line in stacks) == pytest.approx(
        own, abs=len(stacks)
    )


class Unpickler(pickle.Unpickler):
    """Reads line_profiler's files where line_profiler is not installed."""

    def find_class(self, module, name):
        assert name == "LineStats" and module.startswith("line_profiler")
        return type("LineStats", (), {})


def load_lines(path):
    with open(path, "rb") as file:
        return Unpickler(file).load()


@pytest.mark.parametrize("sample", sorted(SAMPLES.glob("*.lprof")), ids=lambda path: path.stem)
def test_line_profiles_come_out_as_they_went_in(sample, tmp_path):
    before, after = load_lines(sample), load_lines(through_laptime(sample, "lprof", tmp_path))
    assert after.unit == 1e-9
    assert before.timings.keys() == after.timings.keys()
    for function, lines in before.timings.items():
        assert after.timings[function] == [
            (line, hits, round(ticks * before.unit * 1e9)) for line, hits, ticks in lines
        ]


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_plain_forms_of_every_protocol(protocol, tmp_path):
    timings = {("é.py", 1, "f" * 300): [(2, 3, 4), (5, 2**40, 2**33)], ("g.py", 70000, "g"): []}
    for held in [(timings, 1e-9), {"timings": timings, "unit": 1e-9}]:
        (tmp_path / "in.lprof").write_bytes(pickle.dumps(held, protocol))
        assert (
            load_lines(through_laptime(tmp_path / "in.lprof", "lprof", tmp_path)).timings == timings
        )


class Hostile:
    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return open, (str(self.marker), "w")


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_a_hostile_pickle_is_refused_in_one_line_and_not_run(protocol, tmp_path):
    (tmp_path / "in.lprof").write_bytes(
        pickle.dumps({"timings": {}, "unit": Hostile(tmp_path / "ran")}, protocol)
    )
    error = laptime("import", tmp_path / "in.lprof", "-o", tmp_path / "x.lap", code=3).stderr
    assert "names io.open" in error or "names _io.open" in error
    assert error.count("\n") == 1
    assert not (tmp_path / "ran").exists() and not (tmp_path / "x.lap").exists()
