"""speedscope files in the speedscope application itself, where its npm package is at hand.

npm install --prefix build/node speedscope@1.25.0 jsdom@24.1.3
"""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from test_cli import ROOT, laptime

sys.path.insert(0, str(ROOT / "tests" / "golden"))
from case import make_run_binary

NODE = ROOT / "build" / "node"
OPENS = Path(__file__).with_name("speedscope_opens.js")

pytestmark = pytest.mark.skipif(
    not shutil.which("node")
    or not all((NODE / "node_modules" / name).is_dir() for name in ("speedscope", "jsdom")),
    reason=(
        "no speedscope application in build/node (npm install --prefix build/node speedscope@1.25.0"
        " jsdom@24.1.3)"
    ),
)

RUN = """process pid=100 command="python train.py"
thread 1 main os=100
thread 2 loader os=101
span 1 0 10ms epoch
span 1 1ms 4ms forward
span 2 0 3ms read
code 1 train.py 3 main
code 2 train.py 20 "<listcomp>"
call 1 1 1 1 100ms 10ms
call 1 2 9 9 90ms 90ms
edge 1 2 1 9 9 90ms 90ms
"""


def opened(path):
    done = subprocess.run(["node", OPENS, NODE, path], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_the_application_opens_a_run(tmp_path):
    subprocess.run([make_run_binary(), tmp_path / "run.lap"], input=RUN, text=True, check=True)
    done = laptime(
        "export", tmp_path / "run.lap", "--to", "speedscope", "-o", tmp_path / "run.speedscope.json"
    )
    assert done.returncode == 0, done.stderr
    shown = opened(tmp_path / "run.speedscope.json")
    assert shown["problems"] == []
    assert shown["title"] == "run.lap - speedscope"
    for profile in ("main", "loader", "functions"):
        assert profile in shown["text"]


def test_the_application_refuses_what_is_no_profile(tmp_path):
    (tmp_path / "bad.json").write_text('{"broken": 1}')
    assert opened(tmp_path / "bad.json")["problems"]
