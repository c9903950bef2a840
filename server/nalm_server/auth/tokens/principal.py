# SPDX-License-Identifier: Apache-2.0
"""Who calls."""

from __future__ import annotations

from dataclasses import dataclass

from nalm_server.auth.tokens.scopes import Scope


@dataclass(frozen=True)
class Principal:
    """Who calls: the holder of a token, an agent, or a signed-in account.

    project_id: the only project a token is for, None: any. scope None: no token.
    """

    scope: Scope | None
    project_id: int | None
    name: str
    agent_id: int | None = None
    """The registered agent that calls with its own credentials."""
    account_id: int | None = None
    """The person signed in, or the owner of a token that may do at most what its owner may."""
    administrator: bool = False
    """The account is one of the whole server's administrators."""
    session_id: int | None = None
    """The browser's sign-in, when there is one."""

    @property
    def anonymous(self) -> bool:
        return self.scope is None and self.account_id is None and self.agent_id is None


ANONYMOUS = Principal(None, None, "anonymous")

SYSTEM = Principal(Scope.ADMIN, None, "nalm-server")
"""The command on the server's own host, run by somebody who can read its database anyway."""
