# SPDX-License-Identifier: Apache-2.0
"""What the shell gets of `nalm`: completion in a real bash, manual pages that groff takes."""

from __future__ import annotations

import os
import subprocess
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest
import typer
from nalm_agent.shell.app import app
from nalm_agent.shell.completion import commit_names, scenario_names
from nalm_agent.shell.man_pages import man_pages
from tiny import NALM, Nalm, NfRepository


@cache
def script_of(shell: str) -> str:
    """What `nalm` writes for a shell's start-up file."""
    environment = os.environ | {"_NALM_COMPLETE": f"source_{shell}"}
    return subprocess.run([NALM], env=environment, capture_output=True, text=True, check=True).stdout


def completed(line: str, cwd: Path) -> list[str]:
    """What bash offers for a line, the last word of which is being typed."""
    words = line.split(" ")
    script = f"""
        {script_of("bash")}
        COMP_WORDS=({" ".join(words[:-1])} '{words[-1]}') COMP_CWORD={len(words) - 1}
        $(complete -p nalm | sed 's/.*-F \\([^ ]*\\) .*/\\1/') nalm
        printf '%s\\n' "${{COMPREPLY[@]}}"
    """
    environment = os.environ | {"PATH": f"{NALM.parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "--norc", "-c", script], cwd=cwd, env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


def test_bash_completes_commands_options_and_scenarios(nf_repository: NfRepository) -> None:
    assert {"check", "compare"} >= {*completed("nalm ch", nf_repository.path)} >= {"check"}
    assert "--markdown" in completed("nalm check --mark", nf_repository.path)
    nf_repository.write("src/deep/nat.c", "")
    assert completed("nalm check --scenario ti", nf_repository.path / "src/deep") == ["tiny"]


def test_bash_completes_commits_and_ranges(nf_repository: NfRepository) -> None:
    nf_repository.git("branch", "feature/one")
    nf_repository.git("tag", "v1.0")
    assert "feature/one" in completed("nalm check --base ", nf_repository.path)
    assert completed("nalm bench v1.0..fea", nf_repository.path) == ["v1.0..feature/one"]
    assert completed("nalm log wor", nf_repository.path) == ["worktree"]


def test_what_a_repository_says_means_nothing_to_a_shell(nf_repository: NfRepository, tmp_path: Path) -> None:
    """zsh evaluates what it is offered, and in bash it lands in the line that is typed."""
    subject = "one $(id) `id` \\$(id) \"two' [bold]three " + "long " * 20
    nf_repository.commit(subject, work__h="// more\n")
    nf_repository.git("branch", "one$(id)")
    here = cast(typer.Context, SimpleNamespace(params={"repo": nf_repository.path}))
    offered = dict(commit_names(here, ""))
    assert offered.keys() >= {"HEAD", "main"} and "one$(id)" not in offered
    assert offered["HEAD"] == "one id id id two bold three long long lo"
    nowhere = cast(typer.Context, SimpleNamespace(params={"repo": tmp_path}))
    assert commit_names(nowhere, "") == scenario_names(nowhere, "") == []


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_has_a_script(shell: str) -> None:
    assert "_NALM_COMPLETE=complete_" in script_of(shell)


def test_groff_has_nothing_to_say_about_the_pages(tmp_path: Path, nalm: Nalm) -> None:
    done = nalm.run("man", str(tmp_path / "man1"), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    pages = sorted((tmp_path / "man1").iterdir())
    assert {"nalm.1", "nalm-check.1", "nalm-hook-install.1"} <= {page.name for page in pages}
    formatted = subprocess.run(
        ["groff", "-man", "-ww", "-Tutf8", "-P-cbou", *pages], capture_output=True, text=True, check=True
    )
    assert formatted.stderr == ""
    assert "--scenario" in formatted.stdout and "nalm check HEAD~3 HEAD" in formatted.stdout


def test_text_that_looks_like_an_instruction_is_text() -> None:
    page = man_pages(app, ".1'\\x")["nalm-check.1"]
    assert "\\&.1'\\ex" in page
    assert not [line for line in page.splitlines() if line.startswith("'")]


def test_a_directory_that_cannot_be_made(tmp_path: Path, nalm: Nalm) -> None:
    (tmp_path / "file").write_text("")
    done = nalm.run("man", str(tmp_path / "file"), cwd=tmp_path)
    assert done.returncode == 2 and "next:" in done.stderr


def test_every_command_has_an_example() -> None:
    for name, page in man_pages(app, "1").items():
        assert ".SH EXAMPLES" in page or "COMMAND" in page, name
