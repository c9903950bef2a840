# SPDX-License-Identifier: Apache-2.0
"""Source text as a run report carries it: the lines that cost something on either side, a few around each.

Both sides' trees are at hand only where they are measured, so what is to be read later is cut then. Only
files of the network function's own repository are in it, and none where its nalm.toml says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

from pydantic import Field, model_validator

from nalm_core.report.terms import Arm, Model
from nalm_core.text.plain_text import marked

AROUND: Final = 6
"""Lines kept around one that costs something, so that a function reads as code."""
MOST_BYTES: Final = 256 * 1024
"""Text of one report, in UTF-8."""
MOST_FUNCTIONS: Final = 60
"""Functions of which lines are kept: those that changed most first, then the dearest."""
MOST_FUNCTION_LINES: Final = 200
"""Lines with a cost of one function on one side, dearest first."""
MOST_LINE_CHARACTERS: Final = 400
"""Longer lines are cut."""

Line = Annotated[int, Field(ge=1)]


class Stretch(Model):
    """Consecutive lines that both sides have, or one alone."""

    base: Line | None = None
    """Number of the first in base's file; None: not base's."""
    head: Line | None = None
    lines: list[Annotated[str, Field(max_length=MOST_LINE_CHARACTERS)]] = Field(min_length=1)

    @model_validator(mode="after")
    def _of_a_side(self) -> Stretch:
        if self.base is None and self.head is None:
            raise ValueError("expected a line number of base, of head, or of both")
        return self

    def numbered(self) -> Iterator[tuple[int | None, int | None, str]]:
        """Each line with its number on base's side and on head's; None: that side has it not."""
        for at, line in enumerate(self.lines):
            base, head = (None if first is None else first + at for first in (self.base, self.head))
            yield base, head, line


class FileText(Model):
    file: str
    stretches: list[Stretch]


class SourceText(Model):
    """What a report holds of its sides' source."""

    withheld: bool = False
    """The repository's nalm.toml says that no source text may be in reports."""
    files: list[FileText] = Field(default_factory=list)

    @model_validator(mode="after")
    def _bounded(self) -> SourceText:
        size = sum(len(line) + 1 for one in self.files for stretch in one.stretches for line in stretch.lines)
        if size > MOST_BYTES:
            raise ValueError(f"{size} characters of source text, expected at most {MOST_BYTES}")
        return self

    def of(self, arm: Arm) -> dict[str, dict[int, str]]:
        """One side's lines by file and number, showable whoever wrote the report. Head's build with base's
        features is head's source."""
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
    """Lines as compilers number them: ended by a line feed alone, whatever else ends a line for Unicode."""
    lines = text.replace("\r\n", "\n").split("\n")
    return lines if lines[-1] else lines[:-1]


def showable(line: str) -> str:
    """A line as it can be stored and shown: of bounded length, nothing in it is acted on; tabs stay."""
    return marked(line[:MOST_LINE_CHARACTERS])
