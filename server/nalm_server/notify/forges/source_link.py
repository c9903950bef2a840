# SPDX-License-Identifier: Apache-2.0
"""Where a forge shows a line of a file as it was at a commit."""

from __future__ import annotations

import re
from collections.abc import Sequence

from nalm_server.notify.integrations.kinds import IntegrationKind
from nalm_server.notify.integrations.models import IntegrationRow

BLOB = {
    IntegrationKind.GITHUB: "/blob/{sha}/{file}#L{line}",
    IntegrationKind.GITHUB_APP: "/blob/{sha}/{file}#L{line}",
    IntegrationKind.GITLAB: "/-/blob/{sha}/{file}#L{line}",
    IntegrationKind.GITEA: "/src/commit/{sha}/{file}#L{line}",
}
KNOWN_HOSTS = {
    "github.com": IntegrationKind.GITHUB,
    "gitlab.com": IntegrationKind.GITLAB,
    "codeberg.org": IntegrationKind.GITEA,
}
HOSTED = re.compile(r"(?:https://|ssh://git@|git@)([a-z.]+)[/:]([A-Za-z0-9_./-]+?)(?:\.git)?/?")
USER_INFO = re.compile(r"^(https?://)[^/]*@")


def source_link(repository: str, integrations: Sequence[IntegrationRow]) -> str | None:
    """An address with {sha}, {file} and {line} to be filled in; None: no forge is known.

    The project's own forge goes first; without one, the repository's address where its host is well known.
    """
    for row in integrations:
        if row.kind in BLOB:
            return f"{_web(row.config['url'])}/{row.config['repository']}{BLOB[IntegrationKind(row.kind)]}"
    match = HOSTED.fullmatch(repository)
    kind = KNOWN_HOSTS.get(match[1]) if match else None
    return f"https://{match[1]}/{match[2]}{BLOB[kind]}" if match and kind else None


def _web(api: str) -> str:
    """The address for people, without name and password: GitHub's API has one of its own, or a path."""
    address = USER_INFO.sub(r"\1", api).rstrip("/")
    return address.removesuffix("/api/v3").replace("://api.github.com", "://github.com")
