# SPDX-License-Identifier: Apache-2.0
"""Every command and option in a document exists in `nalm`, `nalm-server` or `nalm-mutants`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
from nalm_agent.mutants import cli as mutants
from nalm_agent.shell import app as agent
from nalm_agent.shell.commands import UnloadedCommand
from nalm_server.cli import main as server
from typer.main import get_command

ROOT = Path(__file__).resolve().parents[2]
APPS: dict[str, typer.Typer] = {"nalm": agent.app, "nalm-server": server.app, "nalm-mutants": mutants.app}
DOCUMENTS = sorted([*ROOT.glob("*.md"), *ROOT.glob("*/README.md"), *ROOT.glob("docs/**/*.md")])
INSIDE_GDB = {"stages", "since", "lcores", "probe", "help"}
_CODE = re.compile(r"```\w*\n(.*?)```|((?:^ {4}[^\n]*\n)+)|`([^`\n]+)`", re.S | re.M)
_CALL = re.compile(r"(?<![\w./-])(?<!-[uUd] )(nalm(?:-server|-mutants)?) ((?:[^\s`|;&()]+ ?)+)")


def shown(text: str) -> Iterator[tuple[str, list[str]]]:
    """Program and arguments of each call in a document's code."""
    for code in _CODE.finditer(text):
        for line in "".join(part or "" for part in code.groups()).splitlines():
            for call in _CALL.finditer(re.sub(r"\s#.*| {4,}.*", "", line.strip())):
                yield call[1], call[2].split()


@cache
def program(name: str) -> Any:
    return get_command(APPS[name])


@cache
def loaded(command: UnloadedCommand) -> Any:
    return command.loaded()


def mistakes(name: str, words: list[str]) -> Iterator[str]:
    """Commands and options of a call that do not exist. Arguments after `--` are another program's."""
    command, rest = program(name), words[: words.index("--")] if "--" in words else words
    context = typer.Context(command, info_name=name)
    while hasattr(command, "get_command") and rest and re.fullmatch(r"[a-z]+", rest[0]):
        command, rest = command.get_command(context, rest[0]), rest[1:]
        command = loaded(command) if isinstance(command, UnloadedCommand) else command
        if command is None:
            yield f"no command: {name} {' '.join(words)}"
            return
    known = {option for one in command.get_params(context) for option in (*one.opts, *one.secondary_opts)}
    for word in rest:
        option = re.match(r"\[?(--[a-z][a-z-]*)", word)
        if option and option[1] not in known:
            yield f"no option {option[1]}: {name} {' '.join(words)}"


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_what_a_document_shows_is_there(path: Path) -> None:
    calls = [call for call in shown(path.read_text()) if not (call[0] == "nalm" and call[1][0] in INSIDE_GDB)]
    assert [text for name, words in calls for text in mistakes(name, words)] == []


def test_calls_are_found_and_mistakes_seen() -> None:
    block = "```sh\nsudo -u nalm sh\nnalm gdb -- --args x\n```\n"
    text = f"`nalm chek --x`\n\n    nalm check --jsn FILE    # words\n\n{block}"
    calls = list(shown(text))
    assert [name for name, _ in calls] == ["nalm"] * 3
    assert [text.split(":")[0] for name, words in calls for text in mistakes(name, words)] == [
        "no command",
        "no option --jsn",
    ]
