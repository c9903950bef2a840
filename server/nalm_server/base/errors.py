# SPDX-License-Identifier: Apache-2.0
"""One base of errors with a status and a stable name, and the shape of every error answer."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from pydantic import Field

from nalm_server.base.schemas import Schema


class ErrorDetail(Schema):
    path: str
    """Place in the request, such as $.rounds[3].stages."""
    message: str


class ErrorBody(Schema):
    name: str
    """Stable, for programs."""
    message: str
    """For people: what is wrong, where, and what to do next."""
    request_id: str
    details: list[ErrorDetail] = Field(default_factory=list)


class ErrorAnswer(Schema):
    error: ErrorBody


RETRY_SECONDS = (1, 4)
"""Random for each answer, so that refused clients do not all return at once."""


class NalmError(Exception):
    """Base of errors that become an answer."""

    status = 500
    name = "internal_error"
    headers: Mapping[str, str] = {}
    """Headers of the answer."""

    def __init__(self, message: str, details: list[ErrorDetail] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.details = details or []


class BadRequestError(NalmError):
    status = 400
    name = "bad_request"


class UnauthorizedError(NalmError):
    status = 401
    name = "unauthorized"
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class BadSignatureError(NalmError):
    status = 401
    name = "bad_signature"
    headers: Mapping[str, str] = {"WWW-Authenticate": "Bearer"}


class ForbiddenError(NalmError):
    status = 403
    name = "forbidden"


class NotFoundError(NalmError):
    status = 404
    name = "not_found"


class NotMeasuredError(NotFoundError):
    """The commits are known, but the requested measurement does not exist."""

    name = "not_measured"


class ConflictError(NalmError):
    status = 409
    name = "conflict"


class FencedOffError(NalmError):
    """The lease was lost: the job ended, or another agent has it."""

    status = 409
    name = "fenced_off"


class ReportExpiredError(NalmError):
    """The report has aged out by the project's rules."""

    status = 410
    name = "report_expired"


class TooSlowError(NalmError):
    """The body did not arrive in time."""

    status = 408
    name = "too_slow"
    headers: Mapping[str, str] = {"Connection": "close"}


class TooLargeError(NalmError):
    status = 413
    name = "too_large"
    headers: Mapping[str, str] = {"Connection": "close"}


class UnsupportedEncodingError(NalmError):
    status = 415
    name = "unsupported_encoding"


class InvalidError(NalmError):
    status = 422
    name = "invalid"


class NewerReportError(InvalidError):
    """The report has fields of a newer nalm than this server's."""

    name = "report_newer"


class TooManyError(NalmError):
    status = 429
    name = "too_many"

    def __init__(self, message: str, retry_after_seconds: int) -> None:
        super().__init__(message)
        self.headers = {"Retry-After": str(retry_after_seconds)}


class UpgradeRequiredError(NalmError):
    status = 426
    name = "upgrade_required"


class NotInstalledError(NalmError):
    """The operator has not installed an optional part of the server."""

    status = 501
    name = "not_installed"


class BusyError(NalmError):
    """The request is valid and may succeed a little later."""

    status = 503
    name = "busy"

    @property
    def headers(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"Retry-After": str(random.randint(*RETRY_SECONDS))}


DESCRIPTIONS = {
    400: "The request cannot be read.",
    401: "No token, an unknown token, or a signature that does not match the body.",
    403: "The account or token may not do this.",
    404: "There is no such resource.",
    408: "The body came too slowly.",
    409: "The request conflicts with stored data, or the lease was lost.",
    410: "The data has aged out; `message` says what is kept.",
    413: "The body is larger than this server accepts.",
    415: "The content encoding is not supported.",
    429: "Too many requests; `Retry-After` says when to try again.",
    422: "The request is readable but not valid; `details` says where.",
    426: "The versions of agent and server are incompatible.",
    503: "The server is busy, or a service that it needs is away; `Retry-After` says when to try again.",
}
RETRY_AFTER = {"Retry-After": {"description": "Seconds.", "schema": {"type": "integer", "minimum": 1}}}


def documented(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The `responses` of a route: its own error statuses and those that every route can answer.

    They refer to ErrorAnswer by name: FastAPI would make a validator of each route's model for each status,
    which was a tenth of the work of starting the application.
    """
    schema = {"$ref": f"#/components/schemas/{ErrorAnswer.__name__}"}
    return {
        status: {"description": DESCRIPTIONS[status], "content": {"application/json": {"schema": schema}}}
        | ({"headers": RETRY_AFTER} if status in (429, 503) else {})
        for status in sorted({*statuses, 400, 401, 403, 408, 413, 422, 429, 503})
    }
