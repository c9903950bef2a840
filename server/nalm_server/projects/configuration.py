# SPDX-License-Identifier: Apache-2.0
"""A project's nalm.toml on the server, for commits that have none: it takes the place of every commit's own.

The server checks that it is TOML with the tables that every nalm.toml has; agents check the keys.
"""

from __future__ import annotations

import hashlib
from datetime import datetime

from sqlalchemy.orm import Session

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.auth.audit.service import record
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.errors import ErrorDetail, InvalidError
from nalm_server.git.configuration import fault
from nalm_server.projects.schemas import Configuration, ConfigurationChange


class ConfigurationError(InvalidError):
    name = "configuration_invalid"


def shown(row: ProjectRow) -> Configuration:
    """The configuration; without a text, commits have their own."""
    text = row.configuration
    return Configuration(text=text, sha256=None if text is None else digest(text))


def digest(text: str) -> str:
    """SHA-256 by which reports name a configuration."""
    return hashlib.sha256(text.encode()).hexdigest()


def change(
    session: Session, caller: Principal, row: ProjectRow, new: ConfigurationChange, now: datetime
) -> Configuration:
    """Sets or removes it. Jobs that agents have already keep the one that they were leased with.

    Raises ConfigurationError for a text that is no nalm.toml.
    """
    if new.text is not None:
        _require_sound(new.text)
    if new.text != row.configuration:
        row.configuration = new.text
        detail = "removed" if new.text is None else f"sha256 {digest(new.text)[:16]}"
        record(
            session,
            caller,
            "project.configuration",
            f"project {row.name}",
            now,
            project_id=row.id,
            detail=detail,
        )
    return shown(row)


def _require_sound(text: str) -> None:
    if (why := fault(text)) is not None:
        raise _refused(why)


def _refused(why: str) -> ConfigurationError:
    return ConfigurationError(
        f"This is no nalm.toml: {why}. `nalm config --config FILE` checks a file.",
        [ErrorDetail(path="$.text", message=why)],
    )
