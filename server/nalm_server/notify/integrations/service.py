# SPDX-License-Identifier: Apache-2.0
"""Integrations: add, test, enable, disable, remove."""

from __future__ import annotations

import base64
import secrets
from datetime import datetime
from typing import Any

import httpx
from pydantic import SecretStr
from sqlalchemy.orm import Session

from nalm_server.base import outgoing
from nalm_server.base.errors import ConflictError, InvalidError, NotFoundError
from nalm_server.db.context import Context
from nalm_server.notify.integrations import repository
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.integrations.schemas import (
    ChatNew,
    EmailNew,
    GithubAppNew,
    Integration,
    IntegrationCreated,
    IntegrationNew,
    WebhookNew,
)

COMMON = ("name", "kind", "enabled", "events", "branches", "scenarios")


def require(session: Session, project_id: int, number: int) -> IntegrationRow:
    row = repository.find(session, project_id, number)
    if row is None:
        raise NotFoundError(f"The project has no integration {number}.")
    return row


def check(context: Context, new: IntegrationNew) -> None:
    """Raises an error about the address before anything is stored. May resolve a host name."""
    if isinstance(new, EmailNew):
        if context.settings.mail_server is None:
            raise InvalidError("This server sends no mail: an operator sets NALM_MAIL_SERVER.")
        return
    url = new.url.get_secret_value() if isinstance(new.url, SecretStr) else new.url
    outgoing.require_allowed(url, context.settings)


def create(
    session: Session, context: Context, project_id: int, new: IntegrationNew, *, who: str, now: datetime
) -> IntegrationCreated:
    if repository.find_by_name(session, project_id, new.name) is not None:
        raise ConflictError(f"There is an integration {new.name!r} already: choose another name.")
    secret, config = _parts(new)
    signing = new_signing_secret() if isinstance(new, WebhookNew) else None
    kept = signing or secret
    row = repository.add(
        session,
        IntegrationRow(
            project_id=project_id,
            name=new.name,
            kind=new.kind,
            config=config,
            secret=context.box.seal(kept) if kept else None,
            events=list(getattr(new, "events", [])),
            branches=list(getattr(new, "branches", ["*"])),
            scenarios=list(getattr(new, "scenarios", ["*"])),
            enabled=new.enabled,
            created_by=who[:128],
            created_at=now,
        ),
    )
    return IntegrationCreated(**dict(Integration.model_validate(row)), signing_secret=signing)


def new_signing_secret() -> str:
    """A key in the form of Standard Webhooks."""
    return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()


def _parts(new: IntegrationNew) -> tuple[str | None, dict[str, Any]]:
    """(secret, other configuration)."""
    config = new.model_dump(mode="json", exclude={*COMMON, "token", "private_key"})
    match new:
        case GithubAppNew():
            return new.private_key.get_secret_value(), config
        case ChatNew():
            url = new.url.get_secret_value()
            return url, {"host": httpx.URL(url).host}
        case EmailNew() | WebhookNew():
            return None, config
        case _:
            return new.token.get_secret_value(), config


def list_integrations(session: Session, project_id: int) -> list[Integration]:
    return [Integration.model_validate(row) for row in repository.of_project(session, project_id)]
