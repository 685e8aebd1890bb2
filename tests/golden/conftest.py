"""Collects every *.golden below this folder as a test."""

import difflib
import sys
import tempfile
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))
from case import Case, CaseError, laptime_binary, make_run_binary


class Different(Exception):
    pass


class GoldenFile(pytest.File):
    def collect(self):
        yield GoldenTest.from_parent(self, name=self.path.stem)


class GoldenTest(pytest.Item):
    def runtest(self):
        for binary in (laptime_binary(), make_run_binary()):
            if not binary.exists():
                pytest.fail(
                    f"{binary} is missing: build it, or set LAPTIME_BUILD to the build folder",
                    pytrace=False,
                )
        with tempfile.TemporaryDirectory() as folder:
            actual = Case(self.path).actual(Path(folder))
        expected = self.path.read_text(encoding="utf-8")
        if actual != expected:
            raise Different(
                "\n".join(
                    difflib.unified_diff(
                        expected.splitlines(),
                        actual.splitlines(),
                        "expected",
                        "actual",
                        lineterm="",
                    )
                )
            )

    def repr_failure(self, excinfo):
        if isinstance(excinfo.value, (Different, CaseError)):
            return (
                f"{self.path}\n{excinfo.value}\nif this is right: tools/accept_golden {self.path}"
            )
        return super().repr_failure(excinfo)

    def reportinfo(self):
        return self.path, 0, f"golden: {self.path.stem}"


def pytest_collect_file(file_path, parent):
    if file_path.suffix == ".golden":
        return GoldenFile.from_parent(parent, path=file_path)
    return None
