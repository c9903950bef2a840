# SPDX-License-Identifier: Apache-2.0
"""What an NF and a build write never reaches a terminal or a report with its control sequences."""

from __future__ import annotations

import json
import os
import pty
import subprocess
from pathlib import Path
from threading import Thread

import pytest
from nalm_agent.daemon.heartbeat import plain_tail
from nalm_agent.report.plain_console import PlainConsole
from nalm_agent.runtime.errors import NalmError
from nalm_agent.top.process_name import name_of
from rich.table import Table
from rich.text import Text
from tiny import NALM, NALM_TOML, Nalm, NfRepository

CLEARS = "\x1b[2J\x1b[1;1H"
TITLE = "\x1b]0;forged\x07"
NOISE = """#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void noise(void)
{ fputs("\\x1b[2J\\x1b[1;1H\\x1b]0;forged\\x07port statistics\\n", stdout); fflush(stdout); _exit(3); }
"""


def on_a_terminal(nalm: Nalm, cwd: Path, *arguments: str) -> tuple[int, str]:
    """Exit code and all that a person's terminal would get, output and errors."""
    mine, theirs = pty.openpty()
    got: list[bytes] = []

    def read() -> None:
        try:
            while chunk := os.read(mine, 1 << 16):
                got.append(chunk)
        except OSError:  # the other side is closed
            pass

    environment = {name: value for name, value in nalm.environment().items() if name != "NO_COLOR"}
    reader = Thread(target=read)
    reader.start()
    done = subprocess.run(
        [str(NALM), *arguments],
        cwd=cwd,
        env=environment | {"TERM": "xterm-256color"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        check=False,
        timeout=280,
    )
    os.close(theirs)
    reader.join(timeout=60)
    os.close(mine)
    return done.returncode, b"".join(got).decode(errors="replace")


@pytest.mark.nightly
def test_an_nf_does_not_write_to_the_readers_terminal(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.write("work.h", NOISE)
    saved = tmp_path / "run.json"
    code, shown = on_a_terminal(nalm, nf_repository.path, "check", "--json", str(saved))
    assert code == 4, shown
    assert "port statistics" in shown and "broken" in shown
    assert "\x1b[2J" not in shown and "forged" not in shown
    assert "\\u001b" not in saved.read_text() and "port statistics" in saved.read_text()


def test_a_build_does_not_write_to_the_readers_terminal(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.write(
        "noise.sh", r"printf '\033[2J\033]0;forged\007cc: \342\200\256no such header\n'; false"
    )
    commands = json.dumps([["sh", "{source}/noise.sh"]])
    toml = NALM_TOML.replace(NALM_TOML.split("commands = ")[1].split("\n")[0], commands)
    nf_repository.commit(f"{CLEARS}a subject", nalm__toml=toml.replace("work.h", "noise.sh"))
    code, shown = on_a_terminal(nalm, nf_repository.path, "check")
    assert code != 0
    assert "no such header" in shown
    assert not any(sign in shown for sign in ("\x1b[2J", "forged", "\u202e"))
    _, log = on_a_terminal(nalm, nf_repository.path, "log")
    assert "no such header" in log
    assert not any(sign in log for sign in ("\x1b", "forged", "\u202e"))


def test_a_mistake_in_nalm_toml_is_quoted_plain(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.write("nalm.toml", NALM_TOML.replace('name = "tiny"', 'name = "\\u001b[2Jx"'))
    code, shown = on_a_terminal(nalm, nf_repository.path, "check", "--head", "worktree")
    assert code == 2
    assert "project.name" in shown and "\x1b[2J" not in shown


def test_an_error_quotes_plain_text() -> None:
    error = NalmError(f"{CLEARS}what", hint=f"{TITLE}next", log=f"{TITLE}last\r\n{CLEARS}line")
    assert str(error) == "what" and error.full_text() == "what\nlast\nline\nnext"


def test_the_consoles_own_sequences_stay(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("name", "cost")
    table.add_row(Text(f"{CLEARS}one"), f"{TITLE}two")
    console = PlainConsole(force_terminal=True, color_system="standard", width=80, highlight=False)
    console.print(table)
    console.print(f"[red]{TITLE}verdict[/]: same")
    shown = capsys.readouterr().out
    assert "\x1b[31m" in shown and "verdict" in shown and ": same" in shown
    assert "\x1b[2J" not in shown and "\x1b]" not in shown


def test_a_log_for_the_server_is_plain(tmp_path: Path) -> None:
    log = tmp_path / "log"
    log.write_bytes(CLEARS.encode() + b"[1/2] a\r[2/2] b\x00\n\xff")
    assert plain_tail(log) == "[1/2] a\n[2/2] b\ufffd\n\ufffd"


def test_a_process_has_the_name_it_gave_itself_plain(tmp_path: Path) -> None:
    (tmp_path / "7").mkdir()
    (tmp_path / "7" / "comm").write_bytes(b"\x1b[2Jnf\xff\n")
    assert name_of(7, tmp_path) == "nf\ufffd"
