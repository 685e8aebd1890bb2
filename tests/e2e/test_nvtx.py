"""NVTX ranges of a program that knows nothing of laptime: a C program with NVIDIA's own headers,
run as a user would.
"""

import glob
import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

BUILD = Path(
    os.environ.get("LAPTIME_BUILD", Path(__file__).resolve().parents[2] / "build" / "release")
)
LAPTIME = os.environ.get("LAPTIME_BIN", str(BUILD / "src" / "cli" / "laptime"))

PROGRAM = r"""
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>

static void* other(void* range) {
  nvtxRangePushA("on a thread");
  nvtxRangePop();
  nvtxRangeEnd(*(nvtxRangeId_t*)range);
  return 0;
}

int main(void) {
  nvtxDomainHandle_t domain = nvtxDomainCreateA("mine");
  nvtxEventAttributes_t event = {0};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
  if (nvtxRangePop() != -2) return 1;
  for (int i = 0; i < 100; ++i) {
    if (nvtxRangePushA("outer") != 0) return 2;
    nvtxDomainRangePushEx(domain, &event);
    nvtxRangePushW(L"Stra\u00DFe");
    nvtxMarkA("mark");
    nvtxRangePop();
    nvtxDomainRangePop(domain);
    nvtxRangePop();
  }
  for (int i = 0; i < 300; ++i) nvtxRangePushA("deep");
  for (int i = 0; i < 300; ++i) nvtxRangePop();
  nvtxRangeId_t range = nvtxRangeStartA("across threads");
  pthread_t thread;
  pthread_create(&thread, 0, other, &range);
  pthread_join(thread, 0);
  return 0;
}
"""


def headers():
    return next(
        (
            folder
            for folder in sorted(glob.glob("/usr/local/cuda*/include"))
            if os.path.exists(f"{folder}/nvtx3/nvToolsExt.h")
        ),
        None,
    )


@pytest.mark.skipif(
    headers() is None or shutil.which("cc") is None, reason="NVTX's headers are not installed"
)
def test_ranges_are_scopes(tmp_path):
    (tmp_path / "program.c").write_text(PROGRAM)
    subprocess.run(
        [
            "cc",
            "-I",
            headers(),
            str(tmp_path / "program.c"),
            "-o",
            str(tmp_path / "program"),
            "-ldl",
            "-lpthread",
        ],
        check=True,
    )
    done = subprocess.run(
        [LAPTIME, "run", "-q", "-o", "run.lap", "--", "./program"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    report = subprocess.run(
        [LAPTIME, "report", "run.lap", "scopes", "warnings", "--json"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    tables = {
        table["name"]: [
            dict(zip((c["name"] for c in table["columns"]), row)) for row in table["rows"]
        ]
        for table in json.loads(report.stdout)["tables"]
    }
    calls = {row["name"]: row["calls"] for row in tables["scopes"]}
    assert calls == {
        "outer": 100,
        "registered": 100,
        "Straße": 100,
        "mark": 100,
        "deep": 128,
        "on a thread": 1,
        "across threads": 1,
    }
    rows = {row["name"]: row for row in tables["scopes"]}
    assert rows["outer"]["total_ns"] >= rows["registered"]["total_ns"] >= rows["Straße"]["total_ns"]
    assert rows["across threads"]["total_ns"] >= rows["on a thread"]["total_ns"]
    assert [(row["name"], row["count"]) for row in tables["warnings"]] == [("nvtx_ranges", 172)]
