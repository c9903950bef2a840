# SPDX-License-Identifier: Apache-2.0
"""Address at the forge of a line of a file at a commit."""

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
    """An address with placeholders {sha}, {file} and {line}; None: no forge is known.

    Prefers the project's own forge; otherwise the repository's address, if its host is well known.
    """
    for row in integrations:
        if row.kind in BLOB:
            return f"{_web(row.config['url'])}/{row.config['repository']}{BLOB[IntegrationKind(row.kind)]}"
    match = HOSTED.fullmatch(repository)
    kind = KNOWN_HOSTS.get(match[1]) if match else None
    return f"https://{match[1]}/{match[2]}{BLOB[kind]}" if match and kind else None


def _web(api: str) -> str:
    """The address for people, without name and password: GitHub's API has another host, or a path."""
    address = USER_INFO.sub(r"\1", api).rstrip("/")
    return address.removesuffix("/api/v3").replace("://api.github.com", "://github.com")
