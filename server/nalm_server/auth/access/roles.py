# SPDX-License-Identifier: Apache-2.0
"""Roles of people and tokens in a project; each includes those before it."""

from __future__ import annotations

from enum import StrEnum


class Role(StrEnum):
    READER = "reader"
    """Sees figures, runs, jobs, alerts."""
    DEVELOPER = "developer"
    """Also requests measurements, triages, comments, approves a fork's pull request."""
    MAINTAINER = "maintainer"
    """Also changes the project's settings, secrets, integrations and people."""
    ADMINISTRATOR = "administrator"
    """Also adds and removes projects, hosts, pools and accounts on the whole server."""


ORDER = tuple(Role)


def includes(held: Role | None, required: Role) -> bool:
    """True if `held` has all rights of `required`. None: no role."""
    return held is not None and ORDER.index(held) >= ORDER.index(required)


def higher(one: Role | None, other: Role | None) -> Role | None:
    """The higher of two; None is lowest."""
    return one if other is None or includes(one, other) else other


def lower(one: Role | None, other: Role | None) -> Role | None:
    """The lower of two; None is lowest."""
    return other if other is None or includes(one, other) else one
