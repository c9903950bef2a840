# SPDX-License-Identifier: Apache-2.0
"""Escapes text for Markdown of GitHub, GitLab, Gitea and CommonMark, so that it is shown as it is.

Escapes alone are not enough: forges search the unescaped text for mentions, references and addresses. An
invisible word joiner (U+2060) prevents that they find any.
"""

from __future__ import annotations

import re

from nalm_core.render.line import cut

JOINER = "\u2060"
_REFERENCE = re.compile(r"([@#!$%&~^])(?=[\x22\w])|\b(GH)(?=-\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=[A-Za-z0-9]):(?=//)|(?<=www)\.|\b(?<=mailto):|\b(?<=xmpp):", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def text(anything: str, limit: int = 600) -> str:
    """One line of at most `limit` characters that Markdown and forges show as it is.

    Do not put it at the beginning of a line: there even letters may begin a list or a command.
    """
    line = cut(anything, limit)
    line = _REFERENCE.sub(lambda found: found[0] + JOINER, line)
    line = _ADDRESS.sub(lambda found: found[0] + JOINER, line)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def code(anything: str, limit: int = 120) -> str:
    """The text as a code span, also for tables: a backtick becomes ', a bar becomes ¦."""
    line = cut(anything, limit).replace("`", "'").replace("|", "¦").strip()
    return f"`{line}`" if line else "` `"
