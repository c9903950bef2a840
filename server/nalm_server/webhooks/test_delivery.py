# SPDX-License-Identifier: Apache-2.0
"""Test of a webhook: a signed ping, processed like a forge's."""

from __future__ import annotations

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit.service import record as record_audit
from nalm_server.auth.tokens.principal import Principal
from nalm_server.db.context import Context
from nalm_server.webhooks import service
from nalm_server.webhooks.forges import FORGES
from nalm_server.webhooks.schemas import HookAnswer
from nalm_server.webhooks.signature import sign

PING = b'{"zen": "nalm tries its own webhook"}'


def run(context: Context, caller: Principal, project: str) -> HookAnswer:
    """The server's answer to a forge that has the project's present secret. It does not test whether a forge
    reaches the server."""
    with context.sessions() as session:
        row = require_project(session, caller, project, Role.MAINTAINER)
        secret = context.box.open(row.webhook_secret)
        record_audit(session, caller, "delivery.trial", project, context.clock(), project_id=row.id)
        session.commit()
    headers = {
        "content-type": "application/json",
        "x-github-event": "ping",
        "x-hub-signature-256": sign(secret, PING),
    }
    return service.take(context, FORGES["github"], service.Request(project, headers, PING))
