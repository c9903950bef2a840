# SPDX-License-Identifier: Apache-2.0
"""Examples below the help of a command."""

from __future__ import annotations

import re

AS_IT_STANDS = "\b"
"""A line of its own, with which the help's formatter keeps the lines that follow."""


def examples(*lines: str) -> str:
    """The epilog of a command. lines: a command line each, with what it does after two spaces."""
    split = [re.split(r" {2,}", line, maxsplit=1) for line in lines]
    width = max((len(command) for command, *what in split if what), default=0)
    shown = ["  ".join([command.ljust(width) if what else command, *what]) for command, *what in split]
    heading = "Example:" if len(lines) == 1 else "Examples:"
    return "\n".join([AS_IT_STANDS, heading, *(f"  {line}" for line in shown)])
