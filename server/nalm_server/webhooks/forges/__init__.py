# SPDX-License-Identifier: Apache-2.0
"""One file per forge: its signature and its events."""

from __future__ import annotations

from nalm_server.webhooks.forges.claim import Forge
from nalm_server.webhooks.forges.generic import Generic
from nalm_server.webhooks.forges.gitea import Gitea
from nalm_server.webhooks.forges.github import GitHub
from nalm_server.webhooks.forges.gitlab import GitLab

FORGES: dict[str, Forge] = {forge.name: forge for forge in (GitHub(), GitLab(), Gitea(), Generic())}
