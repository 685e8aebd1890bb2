"""tools/check_includes finds what a precompiled header hides, and nothing else."""

import subprocess
import sys
from pathlib import Path

import pytest

CHECK = Path(__file__).resolve().parents[2] / "tools" / "check_includes"


@pytest.fixture
def check(tmp_path):
    def run(listed="<vector> <algorithm> <fmt/format.h>", **files):
        for name, text in {
            "cmake/PrecompiledHeaders.cmake": listed,
            **{f"src/base/{name.replace('__', '.')}": text for name, text in files.items()},
        }.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text)
        done = subprocess.run([sys.executable, CHECK, tmp_path], capture_output=True, text=True)
        return done.returncode, done.stderr

    return run


@pytest.mark.parametrize(
    "used, header",
    [
        ("std::vector<int> v;", "vector"),
        ("int i = std::max(1, 2);", "algorithm"),
        ('auto t = fmt::format("{}", 1);', "fmt/format.h"),
        ("std::filesystem::path p;", "filesystem"),
        ("TEST(A, B) {}", "gtest/gtest.h"),
    ],
)
def test_what_is_used_must_be_included(check, used, header):
    assert check(a__cpp=used) == (
        1,
        f"src/base/a.cpp: {used_name(used)} without #include <{header}>\n",
    )
    assert check(a__cpp=f"#include <{header}>\n{used}") == (0, "")


def used_name(text):
    return next(
        name
        for name in ("std::vector", "std::max", "fmt::", "std::filesystem::", "TEST")
        if name in text
    )


def test_a_header_of_the_project_counts_and_is_checked_itself(check):
    header = "#pragma once\n#include <vector>\nstd::vector<int> all();\n"
    assert check(
        a__h=header, a__cpp='#include "base/a.h"\nstd::vector<int> all() { return {}; }\n'
    ) == (0, "")
    code, said = check(a__h=header.replace("#include <vector>\n", ""))
    assert code == 1 and "src/base/a.h: std::vector without #include <vector>" in said


def test_headers_may_include_each_other(check):
    assert check(a__h='#include "base/b.h"\n', b__h='#include "base/a.h"\n') == (0, "")


def test_words_in_comments_and_texts_are_none(check):
    assert check(
        a__cpp=(
            '// std::vector\n/* std::max */ const char* t = "std::vector";\nconst char* u ='
            ' R"(std::max "x")";\nint std_max = my::max();\n'
        )
    ) == (0, "")


def test_a_precompiled_header_of_which_nothing_is_known(check):
    code, said = check(listed="<vector> <semaphore>")
    assert (
        code == 1
        and said
        == "cmake/PrecompiledHeaders.cmake: <semaphore>: list in tools/check_includes what it"
        " declares\n"
    )
