# SPDX-License-Identifier: Apache-2.0
"""Checks addresses, revisions and refs before git gets them: none can be read as an option."""

from __future__ import annotations

import re

from nalm_server.git.graph.errors import AddressError, UnknownRevisionError

HOST = r"(?!-)[A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\]"
USER = r"(?!-)[A-Za-z0-9._-]+"
PATH = r"[^\x00-\x20\x7f]+"
HTTP = re.compile(rf"(https?)://({HOST})(:\d{{1,5}})?/{PATH}")
SSH = re.compile(rf"ssh://({USER}@)?({HOST})(:\d{{1,5}})?/(?!-){PATH}")
SCP = re.compile(rf"({USER}@)?({HOST}):(?![-:]){PATH}")
LOCAL = re.compile(rf"(file://)?/{PATH}")
REVISION = re.compile(r"(?!.*(\.\.|@\{|//|\.lock$))[A-Za-z0-9_][A-Za-z0-9_./+@#=-]*")
SHA = re.compile(r"[0-9a-f]{40}([0-9a-f]{24})?")


def protocol(address: str, *, local: bool) -> str:
    """The only protocol that git may use for it. Raises AddressError for an address that is not allowed."""
    if match := HTTP.fullmatch(address):
        return match[1]
    if SSH.fullmatch(address) or (SCP.fullmatch(address) and "://" not in address):
        return "ssh"
    if not LOCAL.fullmatch(address):
        raise AddressError(
            "The server reads no repository at such an address, only https://, http://, ssh:// and "
            "user@host:path, without a password in it (a read token is a setting of the project)."
        )
    if not local:
        raise AddressError(
            "The repository is a path, and the project was not added on the server's host: "
            "the server reads paths only of projects added by `nalm-server project add` there."
        )
    return "file"


def origin(address: str) -> str | None:
    """Scheme, host and port, for data that only they may get. None: not HTTP."""
    match = HTTP.fullmatch(address)
    return f"{match[1]}://{match[2]}{match[3] or ''}/" if match else None


def require_revision(revision: str) -> str:
    """A SHA, a branch or a tag. Raises UnknownRevisionError for any other syntax of git."""
    if len(revision) > 255 or not REVISION.fullmatch(revision):
        raise UnknownRevisionError(f"{revision[:80]!r} is no name of a commit, a branch or a tag.")
    return revision


def is_sha(revision: str) -> bool:
    """True for a full SHA-1 or SHA-256."""
    return SHA.fullmatch(revision) is not None
