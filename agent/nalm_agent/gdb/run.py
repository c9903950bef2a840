# SPDX-License-Identifier: Apache-2.0
"""Starts gdb with nalm's commands."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from nalm_agent.runtime.errors import UsageError

LOADER = Path(__file__).with_name("load.py")


def source_line() -> str:
    """The line for a .gdbinit or an editor's set-up commands."""
    return f"source {LOADER}"


def run_gdb(arguments: Sequence[str]) -> NoReturn:
    """Replaces this process by gdb. Raises UsageError if gdb is not installed."""
    if shutil.which("gdb") is None:
        raise UsageError("gdb is not installed", hint="apt-get install gdb")
    os.execvp("gdb", ["gdb", "-iex", source_line(), *arguments])
