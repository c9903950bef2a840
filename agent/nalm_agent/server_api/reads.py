# SPDX-License-Identifier: Apache-2.0
"""Reads from a nalm server for commands, without retries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TypeVar

import httpx
from pydantic import BaseModel, ValidationError

from nalm_agent.runtime.errors import ServerError, UsageError
from nalm_agent.server_api.client import HttpClient, ServerAwayError, refusal

TIMEOUT_SECONDS = 30.0
_TOKEN = "give a token that may read the project in NALM_TOKEN or with --token-file"
_HINTS: dict[int, str] = {
    HTTPStatus.UNAUTHORIZED: _TOKEN,
    HTTPStatus.FORBIDDEN: _TOKEN,
    HTTPStatus.NOT_FOUND: "its page lists the project's scenarios and branches; --project names another",
}
Model = TypeVar("Model", bound=BaseModel)


def ask(
    address: str,
    token: str | None,
    path: str,
    parameters: Mapping[str, str | int | Sequence[str]],
    kind: type[Model],
    *,
    transport: httpx.BaseTransport | None = None,
) -> Model:
    """An answer of the API as a `kind`, which ignores unknown fields.

    Raises UsageError for a refusal, ServerError for an unreachable server or an invalid answer.
    """
    client = HttpClient(address, token, timeout_seconds=TIMEOUT_SECONDS, transport=transport)
    try:
        answer = client.request("GET", path, params=dict(parameters))
    except ServerAwayError as error:
        answered = error.answer is not None
        hint = "see the server's log" if answered else "check that it is running, and --server"
        raise ServerError(error.sentence, log=error.answer, hint=hint) from error
    finally:
        client.close()
    if answer.is_success:
        try:
            return kind.model_validate_json(answer.content)
        except ValidationError as error:
            raise ServerError(
                f"{address} is not a nalm server that this nalm can read",
                hint="check --server, and both versions",
            ) from error
    refused = refusal(answer)
    hint = _HINTS.get(answer.status_code, "`nalm history --help`")
    raise UsageError(f"{address}: {refused.message} ({answer.status_code})", log=refused.details, hint=hint)
