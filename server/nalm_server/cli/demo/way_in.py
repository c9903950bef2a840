# SPDX-License-Identifier: Apache-2.0
"""How to sign in to the demo: by a one-time link, until an administrator has done so."""

from __future__ import annotations

from pathlib import Path

from nalm_server.app.context import open_context
from nalm_server.auth.accounts.service import first_link
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.settings import Settings


def way_in(state: Path, url: str) -> str:
    """A line for the terminal. Its link is valid once and replaces earlier ones."""
    settings = Settings(state_dir=state, public_url=url)
    with open_context(settings) as context, context.sessions() as session:
        invitation = first_link(session, context, SYSTEM, context.clock())
        session.commit()
    if invitation is None:
        return f"sign in at {url}/sign-in   (password lost: nalm-server account link NAME --state {state})"
    until = f"{invitation.expires_at:%Y-%m-%d %H:%M} UTC"
    return f"Hosts and Settings are for the administrator; sign in once, until {until}: {invitation.link}"
