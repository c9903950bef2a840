# SPDX-License-Identifier: Apache-2.0
"""Roles of people and tokens in a project, each including those before it."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    READER = "reader"
    """Sees figures, runs, jobs, alerts."""
    DEVELOPER = "developer"
    """Also asks for measurements, triages, comments, approves a fork's pull request."""
    MAINTAINER = "maintainer"
    """Also changes the project's settings, secrets, integrations and people."""
    ADMINISTRATOR = "administrator"
    """Also adds and removes projects, hosts, pools and accounts; of the whole server."""


ORDER = tuple(Role)


def includes(held: Role | None, required: Role) -> bool:
    """True if a holder of `held` may do what `required` may. None: no role at all."""
    return held is not None and ORDER.index(held) >= ORDER.index(required)


def higher(one: Role | None, other: Role | None) -> Role | None:
    """The higher of two, where None is lowest."""
    return one if other is None or includes(one, other) else other


def lower(one: Role | None, other: Role | None) -> Role | None:
    """The lower of two, where None is lowest."""
    return other if other is None or includes(one, other) else one
