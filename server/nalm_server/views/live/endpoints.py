# SPDX-License-Identifier: Apache-2.0
"""GET /live."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Header, Query, Request
from fastapi.responses import StreamingResponse
from fastapi.sse import KEEPALIVE_COMMENT, format_sse_event

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx
from nalm_server.base.admission import Ticket, ticket_of
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME
from nalm_server.jobs import service as jobs
from nalm_server.views.live.changes import Change
from nalm_server.views.live.follower import ChangeFilter, Follower
from nalm_server.views.live.hub import Hub

router = api_router("live")

LONGEST_SECONDS = 900.0
"""Maximum length of a stream. The browser then reconnects, and its rights are checked again."""
HEARTBEAT_SECONDS = 15.0
RETRY_MILLISECONDS = 2000
"""Time after which a browser reconnects."""
LOOK_SECONDS = 1.0
"""Time within which a stream ends with the server."""
EVENT = {
    "type": "object",
    "properties": {
        "event": {"const": "job"},
        "id": {"type": "string"},
        "data": {"type": "string", "contentMediaType": "application/json"},
    },
}
Number = Annotated[int | None, Query(ge=1, le=2**31 - 1)]


@router.get(
    "/live",
    response_class=StreamingResponse,
    responses={
        **documented(401, 403, 404),
        200: {
            "description": "Server-sent events `job`, each a JobChange; the id resumes by Last-Event-ID.",
            "content": {"text/event-stream": {"schema": EVENT}},
        },
    },
)
async def live(
    request: Request,
    context: Ctx,
    caller: Caller,
    *,
    project: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    job: Number = None,
    backfill: Number = None,
    bisect: Number = None,
    last_event_id: Annotated[str | None, Header(pattern=r"^[0-9]{1,18}$")] = None,
) -> StreamingResponse:
    """Streams changes of jobs: of one project, job, backfill or bisect, or of all that the caller may see.

    The stream of one job begins with its present state and the tail of its log.
    """

    def follower() -> Follower:
        with context.read_sessions() as session:
            project_id = require_project(session, caller, project, Role.READER).id if project else None
            if job is not None:
                jobs.require_seen(session, caller, job, Role.READER)
        return Follower(context, caller, ChangeFilter(project_id, job, backfill, bisect))

    ticket = ticket_of(request.scope)
    ticket.finish()
    made = await ticket.step(follower)
    since = int(last_event_id) if last_event_id is not None else None
    return StreamingResponse(
        _stream(request, _hub(request, context), made, since),
        media_type="text/event-stream",
        headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"},
    )


def _hub(request: Request, context: Ctx) -> Hub:
    state = request.app.state
    if getattr(state, "hub", None) is None:
        state.hub = Hub(context)
    hub: Hub = state.hub
    return hub


async def _stream(request: Request, hub: Hub, follower: Follower, since: int | None) -> AsyncIterator[bytes]:
    ends = time.monotonic() + LONGEST_SECONDS
    ticket = ticket_of(request.scope)
    async with hub.following(ticket) as queue:
        yield format_sse_event(retry=RETRY_MILLISECONDS)
        async for change in _first(follower, since, ticket):
            if event := await ticket.step(follower.event, change):
                yield event
        quiet_since = time.monotonic()
        while time.monotonic() < ends and not request.app.state.ending:
            try:
                news = await asyncio.wait_for(queue.get(), LOOK_SECONDS)
            except TimeoutError:
                if time.monotonic() - quiet_since > HEARTBEAT_SECONDS:
                    quiet_since = time.monotonic()
                    yield KEEPALIVE_COMMENT
                continue
            if news is None:
                return
            if event := await ticket.step(follower.event, news):
                quiet_since = time.monotonic()
                yield event


async def _first(follower: Follower, since: int | None, ticket: Ticket) -> AsyncIterator[Change]:
    """The present state of the one job, or the changes since the follower's last event."""
    if since is None:
        if follower.change_filter.job is not None:
            for change in await ticket.step(follower.current):
                yield change
        return
    after = since
    while page := await ticket.step(follower.missed, after, since):
        for change in page:
            yield change
        after = page[-1].job.updated_seq
