"""zsh completion as a person meets it: keys typed into a real zsh on a terminal, and the line that
the keys made.
"""

import shutil

import pytest
from test_cli import LAPTIME

pytestmark = pytest.mark.skipif(not shutil.which("zsh"), reason="no zsh on this machine")
pexpect = pytest.importorskip("pexpect")

# The line is run by a function of the command's name, which tells its words.
SETUP = """
PS1='ready> '; unsetopt BEEP PROMPT_SP ZLE_BRACKETED_PASTE; unset zle_bracketed_paste
laptime() { print -r -- "words=[${(j:|:)@}]" }
"""


class Zsh:
    def __init__(self, folder, load):
        self.child = pexpect.spawn(
            "zsh",
            ["-f", "-i"],
            cwd=str(folder),
            env={"TERM": "dumb", "PATH": "/usr/bin:/bin", "HOME": str(folder)},
            encoding="utf-8",
            timeout=20,
            dimensions=(50, 300),
        )
        (folder / "setup.zsh").write_text(SETUP + load, encoding="utf-8")
        self.child.sendline("source ./setup.zsh; print loaded=$?")
        self.child.expect_exact("loaded=0\r\n")
        self.child.expect_exact("ready> ")

    def line(self, keys):
        """The words of the command line that the keys make; \\t is the completion key."""
        self.child.send(keys + "\n")
        self.child.expect(r"words=\[(.*)\]\r\n")
        words = self.child.match.group(1).split("|")
        self.child.expect_exact("ready> ")
        return words

    def close(self):
        self.child.close(force=True)


@pytest.fixture(params=["sourced", "in fpath"])
def zsh(request, tmp_path):
    load = f"source <({LAPTIME} completion zsh)\n"
    if request.param == "in fpath":
        (tmp_path / "functions").mkdir()
        load = (
            f"{LAPTIME} completion zsh > functions/_laptime\nfpath=($PWD/functions"
            " $fpath)\nautoload -Uz compinit && compinit -u -D\n"
        )
    shell = Zsh(tmp_path, load)
    yield shell
    shell.close()


def test_commands_options_values_and_files(zsh, tmp_path):
    (tmp_path / "unusual name.lap").touch()
    assert zsh.line("laptime rep\t") == ["report"]
    assert zsh.line("laptime report run.lap --so\t") == ["report", "run.lap", "--sort"]
    assert zsh.line("laptime report run.lap step_s\t") == ["report", "run.lap", "step_summary"]
    assert zsh.line("laptime export run.lap --to chr\t") == ["export", "run.lap", "--to", "chrome"]
    assert zsh.line("laptime report unus\t") == ["report", "unusual name.lap"]


def test_nothing_is_made_up(zsh):
    assert zsh.line("laptime nosuch\t") == ["nosuch"]
    assert zsh.line("laptime export run.lap --to nosuch\t") == [
        "export",
        "run.lap",
        "--to",
        "nosuch",
    ]
