"""Man pages and completions, as they are made from the tables of options: groff, bash and zsh are real."""

import os
import pty
import re
import select
import subprocess
import time
from pathlib import Path

import pytest
from cli_tool import run

FOLDER = Path(os.environ["LACUNA_REFERENCE"])
COMMANDS = re.findall(r"^  (\w+) ", run("--help", cwd="/").stdout.split("Commands:")[1], re.MULTILINE)
COMMANDS.remove("help")
PAGES = ["lacuna", *(f"lacuna-{command}" for command in COMMANDS)]


def flags_of(command):
    whole = run(command, "--help-all", cwd="/").stdout
    return set(re.findall(r"^  (?:-\w,)?(--[a-z0-9-]+)", whole, re.MULTILINE))


# --- Man pages


def test_there_is_a_page_for_every_command():
    assert sorted(path.name for path in (FOLDER / "man1").iterdir()) == sorted(f"{name}.1" for name in PAGES)


@pytest.mark.parametrize("name", PAGES)
def test_man_pages_render_without_a_warning(name):
    page = FOLDER / "man1" / f"{name}.1"
    groff = ["groff", "-ww", "-man", "-Tutf8", "-rLL=78n", "-P-cbou", page]
    result = subprocess.run(groff, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    text = result.stdout
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS", "SEE ALSO"):
        assert f"\n{heading}\n" in text
    if name == "lacuna":
        assert all(re.search(rf"^ +{command}\b", text, re.MULTILINE) for command in COMMANDS)
        return
    command = name.removeprefix("lacuna-")
    shown = set(re.findall(r"^ +(?:-\w, )?(--[a-z0-9-]+)", text, re.MULTILINE))
    assert flags_of(command) <= shown
    examples = text.split("\nEXAMPLES\n")[1].split("\nEXIT STATUS\n")[0]
    assert f"lacuna {command}" in examples


def test_what_roff_would_obey_is_shown():
    result = subprocess.run(
        ["groff", "-man", "-Tutf8", "-P-cbou", FOLDER / "man1" / "lacuna-predict.1"], capture_output=True, text=True, check=True
    )
    assert "lacuna predict loans.lacuna new.csv -o predictions.csv" in result.stdout  # dashes that can be copied


# --- bash


def bash_completes(*words):
    """What bash offers for the last word."""
    line = " ".join(words)
    script = f"""
        source {FOLDER}/lacuna
        COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMP_LINE={line!r}; COMP_POINT=${{#COMP_LINE}}
        _lacuna; printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    command = ["bash", "--norc", "-u", "-c", script, "bash", *words]
    result = subprocess.run(command, capture_output=True, text=True, check=True)
    assert result.stderr == ""
    return result.stdout.split()


def test_bash_offers_commands_flags_and_choices():
    assert set(bash_completes("lacuna", "")) == {*COMMANDS, "help", "--help", "--version"}
    assert bash_completes("lacuna", "sim") == ["simulate"]
    assert bash_completes("lacuna", "help", "sim") == ["simulate"]
    for command in COMMANDS:
        assert set(bash_completes("lacuna", command, "--")) == flags_of(command) | {"--help-all"}
    assert bash_completes("lacuna", "fit", "t.csv", "--method", "mcar") == ["mcar-sampling", "mcar-em"]
    assert bash_completes("lacuna", "fit", "t.csv", "--method", "=", "mcar-e") == ["mcar-em"]
    assert set(bash_completes("lacuna", "fit", "t.csv", "--trust", "=")) == {"none", "regions", "worst"}
    assert bash_completes("lacuna", "fit", "t.csv", "--seed", "") == []
    assert bash_completes("lacuna", "fit", "t.csv", "-o", "--") == []  # the name of a file
    assert bash_completes("lacuna", "nonsense", "--") == []


class Shell:
    """An interactive shell on a terminal, in which a key writes down the line that is being typed."""

    def __init__(self, command, folder, *setup):
        self.file = folder / "line"
        self.leader, terminal = pty.openpty()
        environment = {"PATH": os.environ["PATH"], "TERM": "dumb", "HOME": str(folder), "LC_ALL": "C.UTF-8"}
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=terminal, stdout=terminal, stderr=terminal, env=environment, start_new_session=True
        )
        os.close(terminal)
        for line in setup:
            self.send(line + "\n")
        self.send("echo re''ady\n")
        self.text = ""
        self.wait(lambda: "ready" in self.text)

    def send(self, text):
        os.write(self.leader, text.encode())

    def wait(self, holds):
        end = time.monotonic() + 60
        while not holds():
            assert time.monotonic() < end, self.text
            if select.select([self.leader], [], [], 0.05)[0]:
                self.text += os.read(self.leader, 65536).decode(errors="replace")

    def completed(self, line):
        self.file.unlink(missing_ok=True)
        self.send(line + "\t\x18w")  # a tab, and the key
        self.wait(lambda: self.file.exists() and self.file.read_text().endswith("\n"))
        self.send("\x15")  # an empty line again
        return self.file.read_text().rstrip("\n")

    def close(self):
        self.process.kill()
        self.process.wait()
        os.close(self.leader)


def check_typing(shell):
    assert shell.completed("lacuna dia") == "lacuna diagnose "
    assert shell.completed("lacuna help rep") == "lacuna help reproduce "
    assert shell.completed("lacuna fit --max-it").startswith("lacuna fit --max-iterations")
    assert shell.completed("lacuna fit --conditional st") == "lacuna fit --conditional stack "
    assert shell.completed("lacuna fit --method=mcar-e").rstrip() == "lacuna fit --method=mcar-em"
    assert shell.completed("lacuna fit my") == "lacuna fit my\\ table.csv "
    assert shell.completed("lacuna fit t.csv --config r") == "lacuna fit t.csv --config run.toml "
    assert shell.completed("lacuna fit t.csv --seed r") == "lacuna fit t.csv --seed r"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "my table.csv").write_text("")
    (tmp_path / "run.toml").write_text("")
    return tmp_path


def test_bash_completes_what_is_typed(folder):
    shell = Shell(
        ["bash", "--norc", "--noprofile", "-i"],
        folder,
        f"source {FOLDER}/lacuna",
        "bind -x '\"\\C-xw\": printf \"%s\\n\" \"$READLINE_LINE\" > line'",
    )
    try:
        check_typing(shell)
    finally:
        shell.close()


def test_zsh_completes_what_is_typed(folder):
    shell = Shell(
        ["zsh", "-f", "-i"],
        folder,
        "unsetopt zle_bracketed_paste; unset zle_bracketed_paste",
        f"fpath=({FOLDER} $fpath); autoload -U compinit; compinit -D -u",
        "down() { print -r -- \"$BUFFER\" > line }; zle -N down; bindkey '^Xw' down; bindkey '^U' kill-whole-line",
    )
    try:
        check_typing(shell)
        # Where several are possible, zsh says what each of them does.
        shell.text = ""
        shell.send("lacuna \t")
        shell.wait(lambda: "Learn a classifier" in shell.text)
    finally:
        shell.close()
