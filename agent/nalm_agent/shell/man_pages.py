# SPDX-License-Identifier: Apache-2.0
"""Manual pages of `nalm`, generated from its commands: nalm(1), nalm-check(1), ...

The format is man(7): a line that begins with a dot or a quote is a request, a backslash begins an escape.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import typer
from typer.core import TyperArgument, TyperGroup
from typer.main import get_command

from nalm_agent.shell.commands import UnloadedCommand

EXIT_STATUS = (
    ("0", "no regression"),
    ("1", "regression"),
    ("2", "wrong usage, or a mistake in nalm.toml"),
    ("3", "inconclusive"),
    ("4", "could not measure"),
    ("130", "interrupted; nothing is left running"),
    ("141", "the reader of the output closed it"),
)


def man_pages(app: typer.Typer, version: str) -> dict[str, str]:
    """Texts of the pages of `nalm` and all its commands, by file name."""
    commands = dict(_walk("nalm", get_command(app)))
    names = sorted(commands)
    return {
        f"{name.replace(' ', '-')}.1": _page(name, command, version, names)
        for name, command in commands.items()
    }


def _walk(name: str, command: Any) -> Iterator[tuple[str, Any]]:
    yield name, command
    if isinstance(command, TyperGroup):
        for inner, below in sorted(command.commands.items()):
            if not below.hidden:
                loaded = below.loaded() if isinstance(below, UnloadedCommand) else below
                yield from _walk(f"{name} {inner}", loaded)


def _page(name: str, command: Any, version: str, names: list[str]) -> str:
    context = typer.Context(command, info_name=name)
    dashed = name.replace(" ", "-")
    first, *more = re.split(r"\n\s*\n", (command.help or "").strip())
    usage = " ".join(command.collect_usage_pieces(context))
    lines = [f'.TH "{dashed.upper()}" 1 "" "nalm {_text(version)}" "nalm"']
    lines += [".SH NAME", rf"{_text(dashed)} \- {_text(_flat(first)).rstrip('.')}"]
    lines += [".SH SYNOPSIS", rf"\fB{_text(name)}\fR {_text(usage)}", ".SH DESCRIPTION"]
    for paragraph in [first, *more]:
        lines += [".PP", _text(_flat(paragraph))]
    lines += _parameters(command, context)
    if command.epilog:
        lines += [".SH EXAMPLES", ".nf", *map(_text, _examples(command.epilog)), ".fi"]
    lines.append(".SH EXIT STATUS")
    for code, meaning in EXIT_STATUS:
        lines += [".TP", rf"\fB{code}\fR", meaning]
    others = [other.replace(" ", "-") for other in names if other != name]
    lines += [".SH SEE ALSO", ", ".join(rf"\fB{_text(other)}\fR(1)" for other in others)]
    return "\n".join(lines) + "\n"


def _parameters(command: Any, context: typer.Context) -> Iterator[str]:
    shown = [(one, record) for one in command.get_params(context) if (record := one.get_help_record(context))]
    for heading, positional in (("ARGUMENTS", True), ("OPTIONS", False)):
        of_kind = [record for one, record in shown if isinstance(one, TyperArgument) is positional]
        if of_kind:
            yield f".SH {heading}"
        for names, text in of_kind:
            yield from (".TP", rf"\fB{_text(names)}\fR", _text(_flat(text)))


def _examples(epilog: str) -> list[str]:
    _, heading, *lines = epilog.splitlines()
    assert heading in ("Example:", "Examples:")
    return lines


def _flat(text: str) -> str:
    """The text on one line, without Markdown's backquotes."""
    return " ".join(text.replace("`", "").split())


def _text(text: str) -> str:
    """The text with man(7)'s control characters escaped."""
    escaped = text.replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{escaped}" if escaped.startswith((".", "'")) else escaped
