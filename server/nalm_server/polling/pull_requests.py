# SPDX-License-Identifier: Apache-2.0
"""Reads the forge's API for pull requests that were opened, pushed to or ended without a webhook."""

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
from nalm_server.polling.troubles import first_of

TURN = timedelta(seconds=60)
"""Time for the forge to answer, and the same for processing: other projects wait."""
LIMITS = Limits(seconds=30.0, bytes=32 << 20, altogether_seconds=TURN.total_seconds())
"""For pages of a hundred, each item with its text and both its repositories."""
SETTLED = timedelta(seconds=10)
"""More recent changes wait for the next poll: a forge's list may be older than its webhooks."""
CLOCKS = timedelta(minutes=10)
"""Maximum difference between the forge's clock and this server's."""
ENDED_AT_MOST = 50
"""Maximum number of single reads per poll, in random order: with more open ones than the list has, each has
its turn."""


Change = tuple[PullRequestChanged, PullRequestRow | None]
"""The forge's state, and the state known before."""


class PullRequestsError(NalmError):
    """Not all pull requests could be read; branches and tags were."""

    status = 502
    name = "pull_requests_unread"


def look(context: Context, project: ProjectRow, since: datetime) -> None:
    """Does nothing without an integration of a forge; reads from the first of several.

    Skips unknown open ones that have not changed `since`: they are history. Raises PullRequestsError.
    """
    with context.read_sessions() as session:
        of_forges = [row for row in integrations.enabled(session, project.id) if row.kind in FORGES]
    integration = of_forges[0] if of_forges else None
    if integration is None or integration.secret is None:
        return
    _require_no_pause(context, integration)
    secret = context.box.open(integration.secret)
    try:
        # An App has a new token for each poll, and cached answers belong to one token.
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
    """A pull request without a plan does not stop the others; an incomplete list does not stop those read."""
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
    if (trouble := first_of(troubles)) is not None:
        raise PullRequestsError(trouble)


def _read(changes: Iterator[Change]) -> tuple[list[Change], SendError | None]:
    """The changes read, in random order, so that a failing one is not always first; and why some are
    missing."""
    found: list[Change] = []
    failed = None
    try:
        found.extend(changes)
    except SendError as error:
        failed = error
    return random.sample(found, len(found)), failed


def _changes(context: Context, project: ProjectRow, forge: Forge, since: datetime) -> Iterator[Change]:
    """Changed pull requests, with their former state. Raises SendError after yielding those read before."""
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
    """By number; and why some are missing."""
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
    """The final state; None: it is still open. One that the forge no longer has was closed."""
    try:
        seen = ask(row.number)
    except SendError as error:
        if not gone(error):
            raise
        return PullRequestChanged(row.number, "closed", row.head_sha, row.base_branch or "", row.fork)
    return seen.now if seen is not None and seen.now.state != "open" else None
