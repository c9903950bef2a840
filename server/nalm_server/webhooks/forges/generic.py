# SPDX-License-Identifier: Apache-2.0
"""The generic form, for any program that can compute an HMAC: docs/webhooks.md has its fields."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from nalm_server.git.events import Event, PullRequestChanged, PullRequestState, unknown_fork
from nalm_server.webhooks.forges.claim import Claim, Headers
from nalm_server.webhooks.forges.parts import Body, Number, Part, RefName, Sha, Text, of_ref
from nalm_server.webhooks.signature import verify_signature

ZEROS = "0" * 40


class GenericPullRequest(Part):
    number: Number
    base: RefName
    state: PullRequestState = "open"
    from_fork: bool = True
    """A fork unless the sender says otherwise."""
    fork: Annotated[Text, Field(min_length=1, max_length=200)] | None = None
    """The repository of the head."""
    merge_base: Sha | None = None
    title: Text | None = None
    author: Text | None = None
    url: Text | None = None
    body: Body | None = None
    merged_as: Sha | None = None


class Change(Part):
    ref: RefName
    before: Sha = ZEROS
    after: Sha
    pull_request: GenericPullRequest | None = None


class Generic:
    name = "generic"
    wants = "X-Nalm-Signature-256: `sha256=` and the HMAC-SHA256 of the body under the project's secret"

    def claim(self, headers: Headers) -> Claim:
        signature = headers.get("x-nalm-signature-256")
        return Claim(
            event="",
            delivery=headers.get("x-nalm-delivery"),
            signed=signature is not None,
            signed_by=lambda secret, body, _now: verify_signature(secret, body, signature),
        )

    def read(self, event: str, payload: Any) -> Event:
        change = Change.model_validate(payload)
        request = change.pull_request
        if request is None:
            return of_ref(change.ref, change.before, change.after)
        return PullRequestChanged(
            number=request.number,
            state=request.state,
            head_sha=change.after,
            base_branch=request.base,
            fork=(request.fork or unknown_fork(request.number)) if request.from_fork else None,
            title=request.title,
            author=request.author,
            url=request.url,
            merge_base=request.merge_base,
            body=request.body,
            merged_as=request.merged_as,
        )
