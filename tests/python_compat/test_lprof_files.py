"""``.lprof`` files: line_profiler reads ours without laptime, we read its, and a hostile one is
refused in one line.
"""

import os
import pickle

import pytest
from compat_sandbox import CAN_READ_TOML
from laptime.compat.line_profiler import LineStats, LprofError, load_stats, lprof_file

STATS = {
    ("train.py", 3, "Trainer.step"): [(4, 2, 1500), (5, 200, 123456789012)],
    ("train.py", 9, "never"): [],
}


def test_round_trip(tmp_path):
    LineStats(STATS, 1e-9).to_file(tmp_path / "a.lprof")
    assert load_stats(tmp_path / "a.lprof") == LineStats(STATS, 1e-9)


def test_several_files_are_added_up(tmp_path):
    for name in "ab":
        LineStats(STATS, 1e-9).to_file(tmp_path / name)
    assert load_stats(tmp_path / "a", tmp_path / "b").timings["train.py", 3, "Trainer.step"][0] == (
        4,
        4,
        3000,
    )


def test_line_profiler_reads_ours_without_laptime(tmp_path, sandbox):
    pytest.importorskip("line_profiler")
    LineStats(STATS, 1e-9).to_file(sandbox.folder / "a.lprof")
    code = """
        import sys
        sys.modules["laptime"] = None
        import line_profiler
        stats = line_profiler.load_stats("a.lprof")
        print(stats.unit, stats.timings)
    """
    sandbox.write("read.py", code)
    assert sandbox.python("read.py").stdout == f"1e-09 {STATS}\n"


def test_we_read_line_profilers(tmp_path):
    line_profiler = pytest.importorskip("line_profiler")
    theirs = line_profiler.LineStats(STATS, 1e-9)
    theirs.to_file(tmp_path / "a.lprof")
    assert load_stats(tmp_path / "a.lprof") == LineStats(STATS, 1e-9)


@pytest.mark.parametrize("protocol", range(2, pickle.HIGHEST_PROTOCOL + 1))
def test_other_protocols(tmp_path, protocol):
    line_profiler = pytest.importorskip("line_profiler")
    path = tmp_path / "a.lprof"
    path.write_bytes(pickle.dumps(line_profiler.LineStats(STATS, 1e-9), protocol))
    assert load_stats(path).timings == STATS


class Exploit:
    def __reduce__(self):
        return os.system, ("touch hacked",)


class EvalExploit:
    def __reduce__(self):
        return eval, ("__import__('os').system('touch hacked')",)


BAD_FILES = {
    "os.system": pickle.dumps(Exploit()),
    "eval": pickle.dumps(EvalExploit()),
    "inside timings": pickle.dumps({"timings": {("a", 1, "b"): [Exploit()]}, "unit": 1}),
    "getattr": b"\x80\x02cbuiltins\ngetattr\n.",
    "class attribute": (
        b"\x80\x04\x8c\x1cline_profiler._line_profiler\x8c\x12LineStats.__init__\x93."
    ),
    "call of the class": (
        b"\x80\x02cline_profiler._line_profiler\nLineStats\n(X\x01\x00\x00\x00atR."
    ),
    "not a pickle": b"hello, this is text",
    "empty": b"",
    "cut off": pickle.dumps(list(range(100)))[:50],
    "another object": pickle.dumps([1, 2, 3]),
    "state of another kind": b"\x80\x02cline_profiler.line_profiler\nLineStats\n)\x81]b.",
    "a bad row": (
        b"\x80\x02cline_profiler.line_profiler\nLineStats\n)\x81"
        + pickle.dumps({"timings": {("a", 1, "b"): [("x", 1, 1)]}, "unit": 1e-9}, 2)[2:-1]
        + b"b."
    ),
    "a bad unit": (
        b"\x80\x02cline_profiler.line_profiler\nLineStats\n)\x81"
        + pickle.dumps({"timings": {}, "unit": "1"}, 2)[2:-1]
        + b"b."
    ),
    "persistent id": b"\x80\x02X\x01\x00\x00\x00aQ.",
    "extension": b"\x80\x02\x82\x01.",
    "a huge length": b"\x80\x04\x8e" + (1 << 60).to_bytes(8, "little") + b"x.",
    "deep": b"\x80\x02" + b"]" * 100_000 + b"a" * 99_999 + b".",
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_bad_files_are_refused_in_one_line(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "bad.lprof").write_bytes(BAD_FILES[name])
    with pytest.raises(LprofError) as error:
        load_stats("bad.lprof")
    assert "bad.lprof" in str(error.value) and "\n" not in str(error.value)
    assert not (tmp_path / "hacked").exists()


def test_viewer_refuses_a_hostile_file(sandbox):
    (sandbox.folder / "bad.lprof").write_bytes(BAD_FILES["os.system"])
    result = sandbox.python("-m", "laptime.line_profiler", "bad.lprof", code=3)
    assert (
        result.stdout == "" and len(result.stderr.splitlines()) == 1 and "refused" in result.stderr
    )
    assert os.listdir(sandbox.folder) == ["bad.lprof"]


def test_viewer_without_a_file(sandbox):
    result = sandbox.python("-m", "laptime.line_profiler", "missing.lprof", code=3)
    assert result.stderr == "laptime: missing.lprof: No such file or directory\n"
    assert "required" in sandbox.python("-m", "laptime.line_profiler", code=2).stderr


def test_viewer_prints_what_line_profiler_prints(sandbox):
    pytest.importorskip("line_profiler")
    sandbox.write("train.py", "def f():\n    a = 1\n    return a\n\n\ndef never():\n    pass\n")
    train = str(sandbox.folder / "train.py")
    stats = {(train, 1, "f"): [(2, 10, 123456), (3, 10, 2345678901234)], (train, 6, "never"): []}
    LineStats(stats, 1e-9).to_file(sandbox.folder / "a.lprof")
    LineStats({("gone.py", 4, "g"): [(6, 3000000000, 5)]}, 1e-9).to_file(sandbox.folder / "b.lprof")
    for options in (
        [],
        ["-z"],
        ["-m"],
        ["-t"],
        ["-zmt", "-u", "1"],
        ["-u", "1e-3"],
        ["--sort", "--summarize", "no"],
        ["-r"],
    ):
        words = [*options, "a.lprof", "b.lprof"]
        ours = sandbox.python("-m", "laptime.line_profiler", *words).stdout
        assert ours == sandbox.python("-m", "line_profiler", *words).stdout, options


def test_viewer_opens_no_file_that_results_name(sandbox):
    sandbox.write("secret.txt", "root:x:0:0\n")
    secret = str(sandbox.folder / "secret.txt")
    lprof_file.write(
        sandbox.folder / "bad.lprof",
        {(secret, 1, name): [(1, 1, 5)] for name in ("f", "<module>")},
        1e-9,
        {},
    )
    for options in ([], ["-r"], ["-zmt"]):
        printed = sandbox.python("-m", "laptime.line_profiler", *options, "bad.lprof").stdout
        assert "root:" not in printed and f"The results hold no source of {secret}" in printed
    load_stats(sandbox.folder / "bad.lprof").to_file(sandbox.folder / "copy")
    (load_stats(sandbox.folder / "bad.lprof") + LineStats(STATS, 1e-9)).to_file(
        sandbox.folder / "sum"
    )
    for name in ("copy", "sum"):
        assert b"root:" not in (sandbox.folder / name).read_bytes()


def test_viewer_shows_what_was_measured(sandbox):
    sandbox.write("train.py", "@profile\ndef f():\n    return 'measured'\n\n\nf()\n")
    sandbox.python("-m", "laptime.kernprof", "-l", "-q", "train.py")
    sandbox.write("train.py", "@profile\ndef f():\n    return 'edited'\n\n\nf()\n")
    printed = sandbox.python("-m", "laptime.line_profiler", "train.py.lprof").stdout
    assert "return 'measured'" in printed and "edited" not in printed


@pytest.mark.parametrize("sources", [b"X\x01\x00\x00\x00a", b"}X\x01\x00\x00\x00aK\x01s"])
def test_source_texts_that_are_none_are_refused(tmp_path, sources):
    state = pickle.dumps({"timings": {}, "unit": 1e-9}, 2)[2:-1]
    (tmp_path / "bad.lprof").write_bytes(
        b"\x80\x02cline_profiler\nLineStats\n)\x81"
        + state
        + b"X\x0f\x00\x00\x00laptime_sources"
        + sources
        + b"sb."
    )
    with pytest.raises(LprofError, match="no table of texts"):
        load_stats(tmp_path / "bad.lprof")


@pytest.mark.skipif(not CAN_READ_TOML, reason="TOML needs Python 3.11, or tomli")
def test_viewer_reads_settings(sandbox):
    sandbox.write("train.py", "def f():\n    pass\n")
    LineStats({("train.py", 1, "f"): [(2, 1, 1000)]}, 1e-9).to_file(sandbox.folder / "a.lprof")
    sandbox.write(
        "wide.toml",
        "[tool.line_profiler.cli]\nunit = 1.0\n[tool.line_profiler.show.column_widths]\nhits ="
        " 20\n",
    )
    text = sandbox.python("-m", "laptime.line_profiler", "-c", "wide.toml", "a.lprof").stdout
    assert "Timer unit: 1 s" in text and "Line #                 Hits         Time" in text
    assert (
        "Timer unit: 1e-06 s"
        in sandbox.python("-m", "laptime.line_profiler", "--no-config", "a.lprof").stdout
    )
    assert (
        "Cannot load"
        in sandbox.python(
            "-m", "laptime.line_profiler", "-c", "none.toml", "a.lprof", code=2
        ).stderr
    )
