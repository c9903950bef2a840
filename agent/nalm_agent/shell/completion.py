# SPDX-License-Identifier: Apache-2.0
"""Shell completion of arguments: scenarios, commits, ranges of commits.

A repository's contents are not trusted: only names and words without a meaning to any shell are offered.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from tempfile import TemporaryDirectory

import typer

from nalm_agent.runtime.errors import NalmError

WORKTREE = "worktree"
"""Name of the working tree, as nalm_agent.source.git has it, whose loading takes longer than a completion."""
LATEST = 10
"""Number of commits offered by their short names."""
WIDTH = 40
"""Characters of a subject. It must fit on one line: shells take a second line for another name."""
_PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/@+-]*")
_NOT_PLAIN = re.compile(r"[^\w .,:/+#@-]+")

Offer = tuple[str, str]
"""A name, and the text that zsh and fish show beside it."""


def scenario_names(context: typer.Context, incomplete: str) -> list[str]:
    """Scenarios of the repository's nalm.toml; none if it cannot be read."""
    from nalm_agent.config.location import config_path

    try:
        names = tomllib.loads(config_path(_repository(context)).read_text())["scenarios"]
    except (NalmError, OSError, ValueError, KeyError):
        return []
    return [name for name in names if name.startswith(incomplete) and _PLAIN.fullmatch(name)]


def commit_names(context: typer.Context, incomplete: str) -> list[Offer]:
    """HEAD, branches, tags and the latest commits; after `..` the end of a range."""
    from nalm_agent.source.git import Repository

    try:
        with TemporaryDirectory() as scratch:
            known = Repository(_repository(context).absolute(), Path(scratch)).names(LATEST)
    except (NalmError, OSError):
        return []
    before, dots, begun = incomplete.rpartition("..")
    return [
        (before + dots + name, " ".join(_NOT_PLAIN.sub(" ", subject).split())[:WIDTH])
        for name, subject in known
        if name.startswith(begun) and _PLAIN.fullmatch(name)
    ]


def revision_names(context: typer.Context, incomplete: str) -> list[Offer]:
    """As `commit_names`, with the working tree."""
    tree = [(WORKTREE, "the working tree")] if WORKTREE.startswith(incomplete) else []
    return [*tree, *commit_names(context, incomplete)]


def _repository(context: typer.Context) -> Path:
    """The repository of --repo if it was typed before, else the working directory."""
    return Path(context.params.get("repo") or ".")
