# SPDX-License-Identifier: Apache-2.0
"""Kinds of integrations, and the events they can receive."""

from __future__ import annotations

from enum import StrEnum


class IntegrationKind(StrEnum):
    GITHUB = "github"
    """GitHub with a token: commit statuses and comments."""
    GITHUB_APP = "github_app"
    """GitHub as an App: check runs and comments."""
    GITLAB = "gitlab"
    GITEA = "gitea"
    EMAIL = "email"
    CHAT = "chat"
    """An incoming webhook of Slack, Mattermost or a compatible chat."""
    WEBHOOK = "webhook"
    """Any program: signed JSON."""


FORGES = (IntegrationKind.GITHUB, IntegrationKind.GITHUB_APP, IntegrationKind.GITLAB, IntegrationKind.GITEA)


class Event(StrEnum):
    """Events for people and programs; forges get every result."""

    REGRESSED = "regressed"
    IMPROVED = "improved"
    RECOVERED = "recovered"
    """A regression is undone: no more than the margin remains."""
    BROKEN = "broken"
    """The NF did not build or run, or lost buffers."""
    INCONCLUSIVE = "inconclusive"
    FAILED = "failed"
    """A job ended without a valid result."""


USUAL = (Event.REGRESSED, Event.RECOVERED, Event.BROKEN, Event.FAILED)
