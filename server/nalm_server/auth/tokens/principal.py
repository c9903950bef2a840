# SPDX-License-Identifier: Apache-2.0
"""The caller of a request."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_server.auth.tokens.scopes import Scope


@dataclass(frozen=True)
class Principal:
    """A caller: the holder of a token, an agent, or a signed-in account.

    project_id: the only project of a token, None: any. scope None: no token.
    """

    scope: Scope | None
    project_id: int | None
    name: str
    agent_id: int | None = None
    """The registered agent that calls with its own credential."""
    account_id: int | None = None
    """The signed-in account, or the owner of a token, whose rights limit it."""
    administrator: bool = False
    """The account is an administrator of the server."""
    session_id: int | None = None
    """The browser's session, if there is one."""

    @property
    def anonymous(self) -> bool:
        return self.scope is None and self.account_id is None and self.agent_id is None


ANONYMOUS = Principal(None, None, "anonymous")

SYSTEM = Principal(Scope.ADMIN, None, "nalm-server")
"""The command on the server's own host, whose user can read the database anyway."""
