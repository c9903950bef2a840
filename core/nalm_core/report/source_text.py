# SPDX-License-Identifier: Apache-2.0
"""Source text in a run report: the lines with a cost on either side, and a few lines around each.

Both sides' trees are available only on the host that measures, so it copies the lines. The text has files of
the network function's own repository only, and none if its nalm.toml excludes them.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field, model_validator

from nalm_core.report.terms import Arm, Model
from nalm_core.text.plain_text import marked

AROUND: Final = 6
"""Number of lines kept before and after one with a cost, so that a function is readable."""
MOST_BYTES: Final = 256 * 1024
"""Most text of one report, in UTF-8."""
MOST_FUNCTIONS: Final = 60
"""Most functions with lines: those that changed most first, then the costliest."""
MOST_FUNCTION_LINES: Final = 200
"""Most lines with a cost of one function on one side, costliest first."""
MOST_LINE_CHARACTERS: Final = 400
"""Longer lines are cut."""

Line = Annotated[int, Field(ge=1)]


class Stretch(Model):
    """Consecutive lines of both sides, or of one side only."""

    base: Line | None = None
    """Number of the first line in base's file; None: base lacks these lines."""
    head: Line | None = None
    lines: list[Annotated[str, Field(max_length=MOST_LINE_CHARACTERS)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _of_a_side(self) -> Stretch:
        if self.base is None and self.head is None:
            raise ValueError("expected a line number of base, of head, or of both")
        return self

    def numbered(self) -> Iterator[tuple[int | None, int | None, str]]:
        """Each line with its number on base's and on head's side; None: the side lacks the line."""
        for at, line in enumerate(self.lines):
            base, head = (None if first is None else first + at for first in (self.base, self.head))
            yield base, head, line


class FileText(Model):
    file: str
    stretches: list[Stretch]


class SourceText(Model):
    """A report's source text of both sides."""

    withheld: bool = False
    """True if the repository's nalm.toml excludes source text from reports."""
    files: list[FileText] = Field(default_factory=list)

    @model_validator(mode="after")
    def _bounded(self) -> SourceText:
        size = sum(len(line) + 1 for one in self.files for stretch in one.stretches for line in stretch.lines)
        if size > MOST_BYTES:
            raise ValueError(f"{size} characters of source text, expected at most {MOST_BYTES}")
        return self

    def of(self, arm: Arm) -> dict[str, dict[int, str]]:
        """One side's lines by file and number, made showable because anybody may write a report. Head's build
        with base's features has head's source."""
        return {
            one.file: {
                number: showable(text)
                for stretch in one.stretches
                for base, head, text in stretch.numbered()
                if (number := base if arm is Arm.BASE else head) is not None
            }
            for one in self.files
        }


def source_lines(text: str) -> list[str]:
    """Lines as compilers number them: only a line feed ends a line, unlike in Unicode."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def showable(line: str) -> str:
    """A line for storage and display: of bounded length, without control characters except tabs."""
    return marked(line[:MOST_LINE_CHARACTERS])
