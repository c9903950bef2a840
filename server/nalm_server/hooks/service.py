# SPDX-License-Identifier: Apache-2.0
"""A delivery from its signature to a queued job. Taken at once, worked on later, each delivery once."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime

from pydantic import ValidationError
from sqlalchemy.orm import Session

from nalm_server.commits.order import CommitInfo, record
from nalm_server.context import Context
from nalm_server.errors import BadRequestError, BadSignatureError, ErrorDetail, InvalidError
from nalm_server.hooks import repository
from nalm_server.hooks.github import Push
from nalm_server.hooks.models import DeliveryRow
from nalm_server.hooks.schemas import HookAnswer
from nalm_server.hooks.signature import fits
from nalm_server.jobs import service as jobs
from nalm_server.jobs.schemas import JobReason
from nalm_server.projects import repository as projects
from nalm_server.projects.models import ProjectRow

GITHUB = "github"


@dataclass(frozen=True)
class Delivery:
    """A request as it came, nothing of it believed yet."""

    project: str | None
    event: str | None
    delivery: str | None
    signature: str | None
    body: bytes


def take_github(context: Context, delivery: Delivery) -> HookAnswer:
    """Raises BadSignatureError before anything of the body is read."""
    with context.sessions() as session:
        project = _signer(session, context, delivery)
        if not delivery.event or not delivery.delivery:
            raise BadRequestError("X-GitHub-Event or X-GitHub-Delivery is missing: is this GitHub calling?")
        projects.lock(session, project.id)
        known = repository.find(session, project.id, GITHUB, delivery.delivery)
        if known is not None:
            return HookAnswer(
                status="ignored", reason="this delivery was taken before", job_ids=list(known.job_ids)
            )
        answer = _answer(session, project, delivery, context.clock())
        repository.add(
            session,
            DeliveryRow(
                project_id=project.id,
                forge=GITHUB,
                delivery=delivery.delivery,
                event=delivery.event,
                received_at=context.clock(),
                **dict(answer),
            ),
        )
        session.commit()
        return answer


def _signer(session: Session, context: Context, delivery: Delivery) -> ProjectRow:
    """The project whose secret signed the raw body. An unknown name and a wrong signature look the same."""
    if delivery.project is not None:
        named = projects.find(session, delivery.project)
        candidates = [named] if named is not None else []
    else:
        candidates = projects.list_all(session)
    for project in candidates:
        if fits(context.box.open(project.webhook_secret), delivery.body, delivery.signature):
            return project
    raise BadSignatureError(
        "X-Hub-Signature-256 fits no project's secret: set the secret `nalm-server project add` printed, "
        "with content type application/json."
    )


def _answer(session: Session, project: ProjectRow, delivery: Delivery, now: datetime) -> HookAnswer:
    if delivery.event == "ping":
        return _ignored("ping: the webhook works")
    if delivery.event != "push":
        return _ignored(f"nothing is done on {delivery.event}")
    return _push(session, project, _read_push(delivery.body), now)


def _read_push(body: bytes) -> Push:
    try:
        return Push.model_validate(json.loads(body))
    except ValidationError as error:
        raise InvalidError(
            "This is no push event as GitHub sends it.",
            [
                ErrorDetail(path="$" + "".join(f".{part}" for part in one["loc"]), message=one["msg"])
                for one in error.errors(include_url=False, include_input=False)
            ],
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The body is not JSON: set the webhook's content type to JSON.") from error


def _push(session: Session, project: ProjectRow, push: Push, now: datetime) -> HookAnswer:
    """One job for `after`, compared with `before`.

    GitHub lists the commits of a merged branch beside the merge and does not say which are on the
    first-parent line; what came in with one push is therefore measured as one step.
    """
    if nothing := _nothing_in(push, project.default_branch):
        return _ignored(nothing)
    head = push.head_commit
    info = CommitInfo(head.message, head.author_name, head.committed_at) if head else None
    if push.is_new_branch:
        record(session, project.id, push.after, None, info)
        return _ignored(f"{push.branch} is new: the first commit has nothing to be compared with")
    if push.forced:
        record(session, project.id, push.after, None, info)
        return _ignored("forced push: before is not the parent of after, so they are not compared")
    commit = record(session, project.id, push.after, push.before, info)
    job = jobs.enqueue(
        session, commit, push.before, reason=JobReason.PUSH, why=f"push to {push.branch}", now=now
    )
    return HookAnswer(status="accepted", reason=f"job {job.id}: {push.after[:7]}", job_ids=[job.id])


def _nothing_in(push: Push, watched: str) -> str | None:
    """Why the push tells of no commit of the watched branch."""
    if push.branch is None:
        return f"{push.ref} is no branch"
    if push.branch != watched:
        return f"{push.branch} is not watched, {watched} is"
    if push.deleted:
        return f"{push.branch} was deleted"
    return "nothing new in it" if push.before == push.after else None


def _ignored(reason: str) -> HookAnswer:
    return HookAnswer(status="ignored", reason=reason[:500], job_ids=[])
