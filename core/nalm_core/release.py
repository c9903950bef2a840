# SPDX-License-Identifier: Apache-2.0
"""Which nalm is installed: a program's version, and the commit of which it was made."""

from __future__ import annotations

import subprocess
from importlib.metadata import distribution, version
from pathlib import Path

CHECKOUT = Path(__file__).resolve().parents[2]


def release(package: str) -> str:
    """Version and commit of an installed package of nalm, as `0.2.0 (commit 0123456789ab)`.

    The commit is that of nalm-core, with which the others are built; without it, where no one knows it.
    """
    commit = distribution("nalm-core").read_text("extra_metadata/commit") or _of_checkout()
    return version(package) + (f" (commit {commit.strip()})" if commit else "")


def _of_checkout() -> str | None:
    """The commit of an editable installation."""
    if not (CHECKOUT / ".git").exists():
        return None
    command = ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"]
    try:
        done = subprocess.run(command, cwd=CHECKOUT, capture_output=True, text=True, check=False)
    except OSError:  # no git here
        return None
    return done.stdout
