# SPDX-License-Identifier: Apache-2.0
"""Makes the client of an integration's forge."""

from __future__ import annotations

from typing import Any

import httpx

from nalm_server.notify.forges.gitea import Gitea
from nalm_server.notify.forges.github import GitHub
from nalm_server.notify.forges.github_app import GitHubApp
from nalm_server.notify.forges.gitlab import GitLab
from nalm_server.notify.forges.protocol import Forge, NullForge
from nalm_server.notify.integrations.kinds import IntegrationKind


def make_forge(kind: str, config: dict[str, Any], secret: str | None, client: httpx.Client) -> Forge:
    if secret is None:
        return NullForge()
    url, repository = config["url"], config["repository"]
    match kind:
        case IntegrationKind.GITHUB:
            return GitHub(client, url, repository, secret)
        case IntegrationKind.GITHUB_APP:
            return GitHubApp(
                client,
                url,
                repository,
                secret,
                app_id=config["app_id"],
                installation_id=config["installation_id"],
            )
        case IntegrationKind.GITLAB:
            return GitLab(client, url, repository, secret)
        case IntegrationKind.GITEA:
            return Gitea(client, url, repository, secret)
        case _:
            return NullForge()
