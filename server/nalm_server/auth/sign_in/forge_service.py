# SPDX-License-Identifier: Apache-2.0
"""Sign-in by a forge: a cookie with encrypted state on the way there, a session on return."""

from __future__ import annotations

import hmac
import json
import re
from dataclasses import asdict
from datetime import timedelta

from sqlalchemy.orm import Session

from nalm_server.auth.accounts import repository as accounts
from nalm_server.auth.accounts.models import AccountRow, IdentityRow
from nalm_server.auth.audit.service import record
from nalm_server.auth.sign_in import forge
from nalm_server.auth.sign_in.forge import Identity, SignInRequest
from nalm_server.auth.sign_in.return_address import local_path
from nalm_server.auth.sign_in.service import NewSession, begin
from nalm_server.auth.tokens.principal import SYSTEM
from nalm_server.base.errors import ForbiddenError, NotFoundError, UnauthorizedError
from nalm_server.base.sign_in_providers import Provider
from nalm_server.db.context import Context
from nalm_server.db.secrets import SecretKeyError

WAY_SECONDS = 600
"""Maximum time at the forge."""
AGAIN = "This sign-in began in another browser or too long ago: begin again."


def require(context: Context, name: str) -> Provider:
    found = context.settings.sign_in.get(name)
    if found is None:
        raise NotFoundError(f"There is no sign-in provider {name!r}: NALM_SIGN_IN lists the providers.")
    return found


def redirect_uri(context: Context, name: str) -> str:
    return f"{context.settings.address}/api/v1/sign-in/{name}/callback"


def start(context: Context, name: str, to: str | None) -> tuple[str, str]:
    """The provider's address, and the encrypted cookie for the way back. `to`: the page to show
    afterwards."""
    request = forge.new_request()
    address = forge.address_to_ask(require(context, name), redirect_uri(context, name), request)
    until = (context.clock() + timedelta(seconds=WAY_SECONDS)).timestamp()
    way = {"provider": name, "until": until, "to": to, **asdict(request)}
    return address, context.box.seal(json.dumps(way)).decode()


def come_back(context: Context, name: str, *, sealed: str, state: str, code: str) -> tuple[NewSession, str]:
    """The session, and the path of the page to show.

    Raises UnauthorizedError unless this browser was sent to this provider with this state, recently.
    """
    request, to = _opened(context, name, sealed, state)
    now = context.clock()
    identity = forge.identify(
        require(context, name), redirect_uri(context, name), request, code, int(now.timestamp())
    )
    with context.sessions() as session:
        account = _account(session, context, identity)
        if account.disabled_at is not None:
            raise ForbiddenError("This account is disabled.")
        made = begin(session, context, account, now, how=name)
        session.commit()
    return made, to


def _opened(context: Context, name: str, sealed: str, state: str) -> tuple[SignInRequest, str]:
    try:
        way = json.loads(context.box.open(sealed.encode()))
    except SecretKeyError as error:
        raise UnauthorizedError(AGAIN) from error
    matches = hmac.compare_digest(str(way.get("state")).encode(), state.encode())
    if not matches or way.get("provider") != name or way["until"] < context.clock().timestamp():
        raise UnauthorizedError(AGAIN)
    return SignInRequest(way["state"], way["nonce"], way["verifier"]), local_path(way.get("to"))


def _account(session: Session, context: Context, identity: Identity) -> AccountRow:
    """The account linked to issuer and subject, else a new one without roles. Never matched by name."""
    known = accounts.find_identity(session, identity.issuer, identity.subject)
    if known is not None:
        found = accounts.get(session, known.account_id)
        assert found is not None
        return found
    now = context.clock()
    name = _free_name(session, identity.name)
    account = accounts.add(session, AccountRow(name=name, administrator=False, created_at=now))
    accounts.add_identity(
        session,
        IdentityRow(account_id=account.id, issuer=identity.issuer, subject=identity.subject, created_at=now),
    )
    record(
        session, SYSTEM, "account.add", f"account {name}", now, detail=f"first sign-in by {identity.issuer}"
    )
    return account


def _free_name(session: Session, preferred: str) -> str:
    base = re.sub(r"[^a-z0-9._-]", "", preferred.lower()).lstrip("._-")[:48] or "somebody"
    name, number = base, 2
    while accounts.find(session, name) is not None:
        name, number = f"{base}-{number}", number + 1
    return name
