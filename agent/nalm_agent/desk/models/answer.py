# SPDX-License-Identifier: Apache-2.0
"""The answer of a model: a document for programs, and lines for people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import typer
from nalm_core.models.documents.base import Answer, Interval
from nalm_core.models.quantity import ModelInputError
from nalm_core.text.plain_text import plain

from nalm_agent.report.output_file import STDOUT, write_json
from nalm_agent.runtime.errors import UsageError

EXTRAPOLATED = "extrapolated"


@dataclass(frozen=True, slots=True)
class ShownAnswer:
    document: Answer
    lines: list[str]


def show(shown: ShownAnswer, json_file: str | None) -> None:
    """Prints the answer, and writes its document to the file, if there is one; `-` is standard output."""
    if json_file != STDOUT:
        for line in shown.lines:
            typer.echo(plain(line))
    write_json(json_file, shown.document.model_dump_json(by_alias=True))


@contextmanager
def refusing(model: str) -> Iterator[None]:
    """Turns an input that the model cannot carry into an error of usage."""
    try:
        yield
    except ModelInputError as error:
        raise UsageError(str(error), hint=f"`nalm model {model} --help` has examples") from error


def columns(header: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table with right-aligned columns."""
    widths = [max(len(row[place]) for row in (header, *rows)) for place in range(len(header))]
    return [
        "  " + "  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in (header, *rows)
    ]


def interval(found: Interval, digits: int = 4) -> str:
    """A value with its interval, if it has one."""
    text = f"{found.value:.{digits}g}"
    if found.low is None or found.high is None:
        return text
    return f"{text} [{found.low:.{digits}g}, {found.high:.{digits}g}]"
