# SPDX-License-Identifier: Apache-2.0
"""Text as Markdown that means nothing but itself, on GitHub, GitLab, Gitea and in CommonMark.

Escapes alone do not do: forges look for mentions, references and addresses in what is left after them. An
invisible word joiner (U+2060) keeps such from being found.
"""

from __future__ import annotations

import re

from nalm_core.render.line import cut

JOINER = "\u2060"
_REFERENCE = re.compile(r"([@#!$%&~^])(?=[\x22\w])|\b(GH)(?=-\d)", re.IGNORECASE)
_ADDRESS = re.compile(r"(?<=[A-Za-z0-9]):(?=//)|(?<=www)\.|\b(?<=mailto):|\b(?<=xmpp):", re.IGNORECASE)
_SPECIAL = re.compile(r"([\\`*_\[\]|~$])")


def text(anything: str, limit: int = 600) -> str:
    """One line of at most `limit` characters, with nothing in it that Markdown or a forge acts on.

    Never the first thing on a line: there even letters may begin a list or a command.
    """
    line = cut(anything, limit)
    line = _REFERENCE.sub(lambda found: found[0] + JOINER, line)
    line = _ADDRESS.sub(lambda found: found[0] + JOINER, line)
    line = line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", line)


def code(anything: str, limit: int = 120) -> str:
    """The text as a code span that is safe in a table too: a backtick becomes ', a bar ¦."""
    line = cut(anything, limit).replace("`", "'").replace("|", "¦").strip()
    return f"`{line}`" if line else "` `"
