# SPDX-License-Identifier: Apache-2.0
"""SQL of invitations and of agents' credentials."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import delete, select, update
from sqlalchemy.orm import Session

from nalm_server.auth.tokens.models import TokenRow
from nalm_server.jobs.agents.models import HostRow, InvitationRow

LISTED = 500


def add(session: Session, row: InvitationRow) -> InvitationRow:
    session.add(row)
    session.flush()
    return row


def invitations(session: Session) -> list[tuple[InvitationRow, str | None]]:
    """Newest first, each with the name of the host that used it."""
    query = (
        select(InvitationRow, HostRow.name)
        .outerjoin(HostRow, HostRow.id == InvitationRow.host_id)
        .order_by(InvitationRow.id.desc())
        .limit(LISTED)
    )
    return [(row, name) for row, name in session.execute(query)]


def lock_invitation(session: Session, digest: str) -> InvitationRow | None:
    """Locked until the commit: of two concurrent uses, the second finds it used."""
    return session.scalars(
        select(InvitationRow)
        .where(InvitationRow.digest == digest)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def withdraw(session: Session, invitation_id: int) -> bool:
    """False: there is none, or it was used."""
    gone = session.execute(
        delete(InvitationRow)
        .where(InvitationRow.id == invitation_id, InvitationRow.used_at.is_(None))
        .returning(InvitationRow.id)
    )
    return gone.first() is not None


def lock_host(session: Session, name: str) -> HostRow | None:
    return session.scalars(
        select(HostRow)
        .where(HostRow.name == name)
        .with_for_update(key_share=True)
        .execution_options(populate_existing=True)
    ).one_or_none()


def add_host(session: Session, name: str, host_class: str, now: datetime) -> HostRow:
    row = HostRow(name=name, host_class=host_class, first_seen_at=now)
    session.add(row)
    session.flush()
    return row


def bind_token(session: Session, digest: str, host_id: int) -> None:
    session.execute(update(TokenRow).where(TokenRow.digest == digest).values(agent_id=host_id))


def revoke_tokens(session: Session, host_id: int, now: datetime, but: str | None = None) -> None:
    """Revokes all tokens of the host's agent; `but`: digest of one to keep."""
    session.execute(
        update(TokenRow)
        .where(
            TokenRow.agent_id == host_id,
            TokenRow.revoked_at.is_(None),
            TokenRow.digest != (but or ""),
        )
        .values(revoked_at=now)
    )
