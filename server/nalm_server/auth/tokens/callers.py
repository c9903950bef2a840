# SPDX-License-Identifier: Apache-2.0
"""Finds the caller of a token; records now and then that the token was used."""

from __future__ import annotations

from contextlib import suppress

from sqlalchemy.exc import OperationalError

from nalm_server.auth.tokens import repository
from nalm_server.auth.tokens.principal import Principal
from nalm_server.auth.tokens.service import authenticate, use_is_news
from nalm_server.db.context import Context


def by_token(context: Context, token: str) -> Principal:
    """Uses short sessions of its own: a request that waits for work must hold none."""
    now = context.clock()
    with context.read_sessions() as session:
        caller, row = authenticate(session, token, now)
    if use_is_news(row, now):
        with (
            suppress(OperationalError),
            context.sessions() as session,
        ):  # a busy database loses only this
            repository.used(session, row.id, now)
            session.commit()
    return caller
