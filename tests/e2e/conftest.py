import subprocess

import pytest
from test_cli import LIBRARY, ROOT


@pytest.fixture(scope="session")
def compile_program(tmp_path_factory):
    """A C++ program, linked with the recorder."""

    def compile_program(name, source):
        folder = tmp_path_factory.mktemp(name)
        (folder / f"{name}.cpp").write_text(source)
        words = [
            "c++",
            "-std=c++17",
            "-O1",
            "-pthread",
            f"-I{ROOT / 'include'}",
            folder / f"{name}.cpp",
            "-o",
            folder / name,
        ]
        subprocess.run([*words, f"-L{LIBRARY}", "-llaptime", f"-Wl,-rpath,{LIBRARY}"], check=True)
        return folder / name

    return compile_program
