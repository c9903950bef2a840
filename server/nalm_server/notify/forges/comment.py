# SPDX-License-Identifier: Apache-2.0
"""The comment on a pull request: its text, and the marker by which it is found again. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from nalm_core.render.escaping import code, text
from nalm_core.render.markdown import markdown
from nalm_core.verdict.judged import SHORT_SHA, Judged
from nalm_core.verdict.verdict import Verdict

from nalm_server.notify.forges.job_status import JobSaid, conclude
from nalm_server.notify.forges.protocol import Comment


def marker(project: str) -> str:
    """Invisible at every forge. A project's name has no character that could end it."""
    return f"<!-- nalm: comment of {project} -->"


@dataclass(frozen=True)
class Accepted:
    """A finding that a maintainer accepted."""

    scenario: str
    who: str
    reason: str


def compose(
    project: str,
    pull_request: int,
    sha: str,
    job: JobSaid | None,
    *,
    found: Sequence[Judged],
    accepted: Sequence[Accepted],
) -> Comment:
    """The present text of the comment."""
    body = "".join(map(_acceptance, accepted)) + (markdown(found) if found else _without_result(sha, job))
    return Comment(
        pull_request=pull_request,
        marker=marker(project),
        body=f"{marker(project)}\n{body}",
        is_needed=is_needed([one.verdict for one in found]),
    )


def is_needed(found: Sequence[Verdict]) -> bool:
    """False for a commit that changed nothing and fails no check, or of which nothing is known."""
    return any(
        one.outcome in ("regressed", "improved", "broken")
        or one.worst == "regressed"
        or (one.outcome == "same" and one.price_cycles_per_packet is not None)
        for one in found
    )


def _acceptance(one: Accepted) -> str:
    return f"Accepted in {code(one.scenario)} by {code(one.who)}: {text(one.reason)}\n\n"


def _without_result(sha: str, job: JobSaid | None) -> str:
    concluded = conclude(job, [])
    said = concluded[1] if concluded else "nothing was measured"
    return f"### nalm: no result for {code(sha[:SHORT_SHA])}\n\nStatus: {text(said)}.\n"
