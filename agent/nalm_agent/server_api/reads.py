# SPDX-License-Identifier: Apache-2.0
"""Asks a nalm server for what a person wants to see, once: whoever asks is there to ask again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from nalm_agent.runtime.errors import ServerError, UsageError
from nalm_agent.server_api.uploads import error_of, why_away

TIMEOUT_SECONDS = 30.0
_TOKEN = "give a token that may read the project in NALM_TOKEN or with --token-file"
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: _TOKEN,
    HTTPStatus.FORBIDDEN: _TOKEN,
    HTTPStatus.NOT_FOUND: "its page lists the project's scenarios and branches; --project names another",
}
Asked = TypeVar("Asked", bound=BaseModel)


def ask(
    address: str,
    token: str | None,
    path: str,
    parameters: Mapping[str, str | int | Sequence[str]],
    kind: type[Asked],
    *,
    transport: httpx.BaseTransport | None = None,
) -> Asked:
    """An answer of the API, without the fields that `kind` does not name.

    Raises UsageError for a refusal, ServerError for a server that is away or answers what it should not.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    with httpx.Client(headers=headers, timeout=TIMEOUT_SECONDS, transport=transport) as client:
        try:
            answer = client.get(f"{address}/api/v1{path}", params=dict(parameters))
        except httpx.TransportError as error:
            raise ServerError(
                f"{address} cannot be reached: {why_away(error)}",
                hint="is it running, and is --server right?",
            ) from error
    if answer.is_success:
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError as error:
            raise ServerError(
                f"{address} is no nalm server this nalm can read", hint="check --server, and both versions"
            ) from error
    message, details = error_of(answer)
    if answer.is_server_error:
        raise ServerError(f"{address} answers {answer.status_code}", log=message, hint="see the server's log")
    hint = _HINTS.get(answer.status_code, "`nalm history --help`")
    raise UsageError(f"{address}: {message} ({answer.status_code})", log=details, hint=hint)
