# SPDX-License-Identifier: Apache-2.0
"""Tests whether an integration works, and if not, why."""

from __future__ import annotations

from datetime import datetime

from nalm_server.base import outgoing
from nalm_server.base.settings import LOCAL_URL
from nalm_server.db.context import Context
from nalm_server.notify.failure import of_exception
from nalm_server.notify.forges.factory import make_forge
from nalm_server.notify.integrations.kinds import FORGES, Event
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.notify.integrations.schemas import TestResult
from nalm_server.notify.messages import Message
from nalm_server.notify.sender import Recipient, send_message

NO_COMMIT = "0" * 40


def run(context: Context, row: IntegrationRow, project: str, now: datetime) -> TestResult:
    try:
        return TestResult(works=True, message=_try(context, row, project, now))
    except Exception as error:  # any error is the result of the test
        return TestResult(works=False, message=str(of_exception(error, row.name)))


def _try(context: Context, row: IntegrationRow, project: str, now: datetime) -> str:
    secret = context.box.open(row.secret) if row.secret else None
    if row.kind in FORGES:
        with outgoing.client(context.settings) as client:
            who = make_forge(row.kind, row.config, secret, client).check()
        return f"The repository can be read as {who}."
    message = Message(
        event=Event.REGRESSED,
        at=now,
        project=project,
        text=f"{project}: this is a test of the integration {row.name}, nothing was measured",
        url=f"{context.settings.public_url or LOCAL_URL}/p/{project}",
        commit=NO_COMMIT,
        base=None,
        branch="test",
        pull_request=None,
        scenario=None,
        run_id=None,
        job_id=None,
        verdict=None,
    )
    # an id that no real message has, and a new one for each test
    to = Recipient(row.kind, row.config, secret)
    send_message(context, to, message, -int(now.timestamp() * 1000), now)
    return "A test message was sent."
