# SPDX-License-Identifier: Apache-2.0
"""Prints a reference of all commands: `python -m nalm_server.cli.command_reference > docs/nalm-server.md`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from textwrap import fill
from typing import Any

import typer

from nalm_server.cli.main import app

HEAD = """# Every command of `nalm-server`

Made by `make openapi` from what `nalm-server --help` and `nalm-server COMMAND --help` show.

Commands that open the database have the option `--state DIR` (or `NALM_STATE_DIR`), which names the state
directory; by default it is `.nalm/server` in the current directory ([operate.md](operate.md#on-one-host)).
Exit codes: 0; 2 for wrong usage or a wrong setting; 4 if the command could not do it. Commands with other
meanings state them.
"""
COMMON = ("State directory.", "Show this message and exit.")
"""How the help of options begins that the head describes, or that every command has."""
VALUES = {"int": "NUMBER", "float": "NUMBER", "path": "PATH", "file": "FILE", "datetime": "TIME"}
"""Typer's names of types; others are TEXT."""
WIDTH = 120


def reference() -> str:
    """A section for each command and each group, in the order of `nalm-server --help`."""
    root: Any = typer.main.get_command(app)
    lines = [HEAD.rstrip()]
    for name in root.list_commands(None):
        command = root.get_command(None, name)
        if not hasattr(command, "list_commands"):
            lines += _section("##", (name,), command)
            continue
        lines += ["", f"## {name}", "", *_wrapped(_escaped(command.help))]
        for inner in command.list_commands(None):
            lines += _section("###", (name, inner), command.get_command(None, inner))
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).rstrip() + "\n"


def _section(level: str, words: tuple[str, ...], command: Any) -> Iterator[str]:
    """Heading, what it does, its examples and its arguments and options."""
    context = typer.Context(command, info_name=words[-1])
    text, _, examples = re.sub(r"\bExamples?:", "\0", command.help or "", count=1).partition("\0")
    yield from ("", f"{level} {' '.join(words)}")
    for paragraph in text.strip().split("\n\n"):
        yield from ("", *_wrapped(_escaped(paragraph)))
    lines = [" ".join(one.split()) for one in examples.splitlines() if one.strip()]
    yield from ("", "```sh", *lines, "```", "")
    for one in command.get_params(context):
        names, said = one.get_help_record(context) or ("", "")
        if names and not said.startswith(COMMON):
            yield from _parameter(" ".join(names.split()), said)


def _parameter(names: str, said: str) -> list[str]:
    """An argument or option, with its values and limits."""
    called, _, kind = names.removesuffix(">").partition(" <")
    text, limits = _divided(said)
    choices = kind.split("|")
    if len(choices) > 1 and choices[0] not in text:
        text = f"{text.rstrip('.')}: {', '.join(f'`{one}`' for one in choices)}."
    if not called.startswith("-"):
        called = called.upper()
    elif kind:
        called = f"{called} {VALUES.get(kind.partition(' ')[0], 'TEXT')}"
    return _wrapped(" ".join(filter(None, (f"- `{called}`:", _escaped(text), limits))), indent="  ")


def _divided(said: str) -> tuple[str, str]:
    """The text, and what Typer adds in brackets: defaults and limits, in words and in parentheses."""
    text, bracket, limits = said.removesuffix("]").rpartition("[")
    if not bracket or not said.endswith("]"):
        return said, ""
    limits = re.sub(r"([\d.]{1,20})<=x<=([\d.]{1,20})", r"\1 to \2", limits)
    limits = re.sub(r"x>=([\d.]{1,20})", r"\1 or more", limits)
    return text.strip(), f"({limits.replace('; ', ', ')})"


def _escaped(text: str) -> str:
    """On one line, without characters that Markdown or HTML reads, except code."""
    parts = re.split(r"(`[^`]*`)", " ".join(text.split()))
    return "".join(one if one.startswith("`") else re.sub(r"([<>*\[\]])", r"\\\1", one) for one in parts)


def _wrapped(text: str, indent: str = "") -> list[str]:
    return fill(
        text, WIDTH, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    ).splitlines()


if __name__ == "__main__":
    sys.stdout.write(reference())
