# SPDX-License-Identifier: Apache-2.0
"""Which results are sent to whom, and as what text. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from fnmatch import fnmatchcase
from typing import Any, Literal

from nalm_core.findings.recovery import Recovery, undoing_text
from nalm_core.render.line import cut, line
from nalm_core.text.commit_name import short
from nalm_core.verdict.verdict import Verdict
from pydantic import Field

from nalm_server.base.schemas import Schema
from nalm_server.notify.integrations.kinds import Event

TEXT_LIMIT = 300


class Message(Schema):
    """The body of a webhook, and the source of mails and chat messages. Version 1: fields may be added; none
    is removed or changes its meaning."""

    version: Literal[1] = 1
    event: Event
    at: datetime
    project: str
    text: str
    """One line."""
    overall: str | None = None
    """The commit's overall change over all scenarios measured so far, in one line; None: it has only one."""
    url: str
    """Address of its page."""
    commit: str
    base: str | None
    branch: str | None
    """None: it is of a pull request, or of an upload that is not of the default branch."""
    pull_request: int | None
    scenario: str | None
    """Of several, the one that moved most."""
    scenarios: list[str] = Field(default_factory=list)
    """All scenarios of an alert."""
    run_id: str | None
    job_id: int | None
    alert_id: int | None = None
    verdict: dict[str, Any] | None
    """As in /runs/{run_id}; None for a job without a result."""


def lines_of(message: Message) -> list[str]:
    """For people: what happened, and the overall change."""
    return [message.text, *([f"Overall: {message.overall}"] if message.overall else [])]


def event_of(verdict: Verdict, recovery: Recovery | None) -> Event | None:
    """None: nothing to send (`same`, and failed measurements, for which their job sends).

    recovery: what remains of the regression that it undoes.
    """
    match verdict.outcome:
        case "regressed":
            return Event.REGRESSED
        case "improved":
            return Event.RECOVERED if recovery is not None and recovery.complete else Event.IMPROVED
        case "broken":
            return Event.BROKEN
        case "inconclusive":
            return Event.INCONCLUSIVE
        case _:
            return None


def is_subscribed(
    message: Message, events: Sequence[str], branches: Sequence[str], scenarios: Sequence[str]
) -> bool:
    """True if a receiver with these subscriptions gets it."""
    named = message.scenarios or ([message.scenario] if message.scenario is not None else [])
    ref = message.branch or f"pull/{message.pull_request or ''}"
    return (
        message.event in events
        and any(fnmatchcase(ref, glob) for glob in branches)
        and (not named or any(fnmatchcase(one, glob) for one in named for glob in scenarios))
    )


def text_of(
    project: str,
    scenario: str,
    sha: str,
    verdict: Verdict,
    *,
    fixes: str | None,
    recovery: Recovery | None = None,
) -> str:
    recovered = f"{undoing_text(fixes, recovery)}: " if fixes else ""
    return cut(f"{project} {scenario} {short(sha)}: {recovered}{line(verdict, TEXT_LIMIT)}", TEXT_LIMIT)
