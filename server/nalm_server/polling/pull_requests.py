# SPDX-License-Identifier: Apache-2.0
"""Pull requests that were opened, pushed to or ended while no webhook told, asked of the forge's API."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base import outgoing
from nalm_server.base.errors import NalmError
from nalm_server.base.outgoing.network import Limits
from nalm_server.db.context import Context
from nalm_server.git.events import PullRequestChanged
from nalm_server.git.refs.models import PullRequestRow
from nalm_server.notify import backoff
from nalm_server.notify.failure import Next, SendError
from nalm_server.notify.forges.comments import gone
from nalm_server.notify.forges.factory import make_forge
from nalm_server.notify.forges.protocol import Forge, PullRequestSeen
from nalm_server.notify.integrations import repository as integrations
from nalm_server.notify.integrations.kinds import FORGES, IntegrationKind
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server.polling import repository
from nalm_server.polling.replay import make_up_request

TURN = timedelta(seconds=60)
"""The forge has so long to answer, and what it told is then followed for as long: other projects wait."""
LIMITS = Limits(seconds=30.0, bytes=32 << 20, altogether_seconds=TURN.total_seconds())
"""Of a page of a hundred, each with its text and both its repositories."""
SETTLED = timedelta(seconds=10)
"""What changed so shortly before is left for the next look: a forge's list may lag behind its webhooks."""
CLOCKS = timedelta(minutes=10)
"""How far the forge's clock may be from this server's."""
ENDED_AT_MOST = 50
"""Asked for in one look, by lot: where more are open than are listed, none of them is left out for ever."""


Change = tuple[PullRequestChanged, PullRequestRow | None]
"""What the forge tells, and what was known."""


class PullRequestsError(NalmError):
    """The pull requests could not all be looked at; branches and tags were."""

    status = 502
    name = "pull_requests_unread"


def look(context: Context, project: ProjectRow, since: datetime) -> None:
    """Does nothing without an integration of a forge; of several, the first one is asked.

    Open ones that nobody told of and that have not changed `since` are history. Raises PullRequestsError.
    """
    with context.read_sessions() as session:
        of_forges = [row for row in integrations.enabled(session, project.id) if row.kind in FORGES]
    integration = of_forges[0] if of_forges else None
    if integration is None or integration.secret is None:
        return
    _require_no_pause(context, integration)
    secret = context.box.open(integration.secret)
    try:
        # An App's token is another at each look, and what is remembered is of one token.
        remembered = None if integration.kind == IntegrationKind.GITHUB_APP else context.remembered
        with outgoing.client(context.settings, limits=LIMITS, remembered=remembered) as client:
            forge = make_forge(integration.kind, integration.config, secret, client)
            _follow(context, project, forge, since)
    except SendError as error:
        raise _failed(context, integration, error) from error


def _require_no_pause(context: Context, integration: IntegrationRow) -> None:
    if integration.paused_until is not None and integration.paused_until > context.clock():
        raise PullRequestsError(
            f"pull requests: {integration.name} did not answer or requested a pause, and is not polled until "
            f"{integration.paused_until:%H:%M:%S} UTC."
        )


def _failed(context: Context, integration: IntegrationRow, failed: SendError) -> PullRequestsError:
    if failed.after is Next.AGAIN:
        with context.sessions() as session:
            until = context.clock() + backoff.breath(failed.pause_seconds)
            repository.leave_alone(session, integration.id, until)
            session.commit()
    return PullRequestsError(f"pull requests: {failed}")


def _follow(context: Context, project: ProjectRow, forge: Forge, since: datetime) -> None:
    """One that cannot be planned does not hold up the others; nor does what cannot be read what was read."""
    found, failed = _read(_changes(context, project, forge, since))
    troubles = []
    ends = context.clock() + TURN
    for place, (event, known) in enumerate(found):
        if context.clock() >= ends:
            troubles.append(f"{len(found) - place} of {len(found)} that changed wait for the next poll")
            break
        try:
            make_up_request(context, project, event, known)
        except NalmError as error:
            troubles.append(f"pull request {event.number}: {error.message}")
    if failed is not None:
        raise failed
    if troubles:
        raise PullRequestsError(troubles[0] + (f" (and {len(troubles) - 1} more)" if troubles[1:] else ""))


def _read(changes: Iterator[Change]) -> tuple[list[Change], SendError | None]:
    """Those that the forge told, in no order: what fails each time is not always first. And why not all."""
    found: list[Change] = []
    failed = None
    try:
        found.extend(changes)
    except SendError as error:
        failed = error
    return random.sample(found, len(found)), failed


def _changes(context: Context, project: ProjectRow, forge: Forge, since: datetime) -> Iterator[Change]:
    """What is not as it was known, with what was. Raises SendError after what was told before."""
    settled = context.clock() - SETTLED
    listed, failed = _listed(forge)
    with context.read_sessions() as session:
        known = repository.known_pull_requests(session, project.id, listed)
    known_before = {number: row for number, row in known.items() if row.updated_at <= settled}
    for number, one in listed.items():
        if number in known_before and _moved(known_before[number], one.now):
            yield one.now, known_before[number]
        elif number not in known and one.updated_at >= since - CLOCKS:
            yield one.now, None
    if failed is not None:
        raise failed
    unlisted = [row for number, row in known_before.items() if row.state == "open" and number not in listed]
    for row in random.sample(unlisted, min(len(unlisted), ENDED_AT_MOST)):
        if (event := _ended(row, forge.pull_request)) is not None:
            yield event, row


def _listed(forge: Forge) -> tuple[dict[int, PullRequestSeen], SendError | None]:
    """By number. And why not all."""
    listed: dict[int, PullRequestSeen] = {}
    try:
        for one in forge.open_pull_requests():
            listed[one.now.number] = one
    except SendError as error:
        return listed, error
    return listed, None


def _moved(known: PullRequestRow, now: PullRequestChanged) -> bool:
    base_branch = known.base_branch or now.base_branch
    return (known.state, known.head_sha, base_branch) != ("open", now.head_sha, now.base_branch)


def _ended(row: PullRequestRow, ask: Callable[[int], PullRequestSeen | None]) -> PullRequestChanged | None:
    """How; None: it has not. One that the forge has no more of was closed."""
    try:
        seen = ask(row.number)
    except SendError as error:
        if not gone(error):
            raise
        return PullRequestChanged(row.number, "closed", row.head_sha, row.base_branch or "", row.fork)
    return seen.now if seen is not None and seen.now.state != "open" else None
