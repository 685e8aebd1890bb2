"""laptime's torch.profiler and the process around it: outer recordings, replacing torch's names,
falling back.
"""

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import laptime
import pytest
import torch
from laptime.compat import torch_profiler
from laptime.compat.torch_profiler import ProfilerActivity, profile, sources
from training import Training, run


def program(text, *arguments, **environment):
    """The output of a program of its own."""
    done = subprocess.run(
        [sys.executable, *arguments, "-c", textwrap.dedent(text)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.path.dirname(__file__), **environment},
        timeout=240,
    )
    assert done.returncode == 0, done.stderr
    return done


def test_in_an_outer_recording_the_session_is_part_of_it(tmp_path, capfd):
    training = Training()
    with laptime.profile(tmp_path / "outer.lap", lines=False):
        torch.ones(3).sub(1)
        with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as p:
            training.step()
        torch.ones(3).sub(1)
    names = {a.key for a in p.key_averages()}
    assert "aten::conv2d" in names and "aten::sub" not in names
    assert outline(p) == outline(run(profile, steps=1, record_shapes=True))
    assert (tmp_path / "outer.lap").exists()


def outline(p):
    return [(e.name, e.cpu_parent and e.cpu_parent.name) for e in p.events()]


def test_profiles_follow_each_other():
    counts = [{a.key: a.count for a in run(profile, steps=2).key_averages()} for _ in range(3)]
    assert counts[0] == counts[1] == counts[2]


def test_replaced_names_lead_to_laptime():
    done = program("""
        import torch
        from laptime.compat.torch_profiler import install, uninstall
        before = torch.profiler.profile
        install()
        install()
        from torch.profiler import profile, ProfilerActivity
        from torch.profiler.profiler import profile as same
        from training import Training
        training = Training()
        with profile(activities=[ProfilerActivity.CPU]) as p:
            training.step()
        with torch.autograd.profiler.profile() as q:
            training.step()
        print(profile is same, isinstance(p, before), type(p).__module__, type(q).__module__)
        print(len(p.key_averages()) > 20, len(q.key_averages()) > 20)
        uninstall()
        print(torch.profiler.profile is before)
    """)
    assert done.stdout.split("\n")[:3] == [
        "True True laptime.compat.torch_profiler.front laptime.compat.torch_profiler.autograd",
        "True True",
        "True",
    ]


def test_without_ops_torchs_own_profiler_does_the_work(monkeypatch, capfd):
    class Off:
        kind = "off: no compiler"

    monkeypatch.setattr(sources, "ops", lambda shapes, frames: Off())
    sources._reported.clear()
    first, _ = run(profile), run(profile)
    assert type(first.profiler) is torch.autograd.profiler.profile
    assert {a.key for a in first.key_averages()} >= {"aten::conv2d", "forward"}
    with torch_profiler.autograd.profile() as legacy:
        torch.ones(1)
    assert type(legacy) is torch.autograd.profiler.profile
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("laptime")]
    assert said == [
        "laptime: torch.profiler: laptime cannot record ops (off: no compiler); PyTorch's own"
        " profiler does"
    ]


def test_what_has_no_effect_is_said_once(capfd):
    sources._reported.clear()
    for _ in range(2):
        run(
            profile, experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True)
        ).key_averages(group_by_overload_name=True)
    messages = capfd.readouterr().err
    assert messages.count("group_by_overload_name has no effect") == messages.count("laptime:") == 1


def test_a_program_that_ends_while_profiled_ends_quietly():
    done = program("""
        import torch
        from laptime.compat.torch_profiler import profile, ProfilerActivity
        p = profile(activities=[ProfilerActivity.CPU])
        p.start()
        torch.ones(3).add(1)
        print("done")
    """)
    assert done.stdout == "done\n" and done.stderr == ""


def test_forked_workers_are_left_alone():
    done = program("""
        import torch
        from laptime._native import recording
        from laptime.compat.torch_profiler import profile, ProfilerActivity

        class Data(torch.utils.data.Dataset):
            def __len__(self): return 4
            def __getitem__(self, index):
                return torch.ones(2).mul(index) if recording.on() else torch.zeros(2)

        loader = torch.utils.data.DataLoader(
            Data(), num_workers=1, persistent_workers=True, multiprocessing_context="fork"
        )
        with profile(activities=[ProfilerActivity.CPU]) as p:
            print(sum(float(batch.sum()) for batch in loader))
        print(sum(float(batch.sum()) for batch in loader))
        names = {e.name for e in p.events()}
        print("aten::mul" in names, "aten::sum" in names)
    """)
    assert done.stdout.split() == ["0.0", "0.0", "False", "True"] and done.stderr == ""


@pytest.mark.parametrize("ops", [True, False])
def test_workers_that_are_forked_within_a_profile_of_a_recording_record_no_ops(tmp_path, ops):
    """They have nobody to switch them off."""
    program(f"""
        import laptime, torch
        from laptime.compat.torch_profiler import profile, ProfilerActivity

        class Data(torch.utils.data.Dataset):
            def __len__(self): return 4
            def __getitem__(self, index): return torch.ones(2).cumprod(0)

        model = torch.nn.Linear(2, 1)
        outer = laptime.profile({str(tmp_path / "outer.lap")!r}, ops={ops})
        with outer, profile(activities=[ProfilerActivity.CPU]) as p:
            loader = torch.utils.data.DataLoader(
                Data(), num_workers=1, multiprocessing_context="fork"
            )
            for batch in loader:
                model(batch)
        assert "aten::linear" in {{e.name for e in p.events()}}
    """)
    report = subprocess.run(
        [Path(sys.executable).parent / "laptime", "report", tmp_path / "outer.lap", "ops", "--csv"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "aten::cumprod" not in report.stdout


def test_temporary_files_go(tmp_path):
    program(
        """
        from laptime.compat.torch_profiler import profile
        from training import run
        p = run(profile)
        p.key_averages()
        run(profile)
    """,
        TMPDIR=str(tmp_path),
    )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["laptime", "laptime.compat.lightning", "laptime._recording"])
def test_laptime_imports_neither_torch_nor_lightning(name):
    done = program(
        f"import sys, {name}; print([m for m in sys.modules if m.split('.')[0] in ('torch',"
        " 'lightning', 'pytorch_lightning')])"
    )
    assert done.stdout == "[]\n"
