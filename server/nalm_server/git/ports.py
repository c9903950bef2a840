# SPDX-License-Identifier: Apache-2.0
"""What the commits of a project report to packages above."""

from __future__ import annotations

from collections.abc import Sequence

from sqlalchemy.orm import Session

from nalm_server.base.ports import Event
from nalm_server.git.commits.models import CommitRow

commits_changed: Event[[Session, Sequence[CommitRow]]] = Event()
"""Commits of a project are new, or what is known of them changed. The caller holds the project's lock."""

parent_corrected: Event[[Session, CommitRow, str]] = Event()
"""A commit's first parent is another one than the base for which it was taken. The caller holds the project's
lock."""

line_changed: Event[[Session, Sequence[CommitRow]]] = Event()
"""Known commits of a project came onto the default branch's line, or a forced push dropped them. The caller
holds the project's lock."""
