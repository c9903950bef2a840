# SPDX-License-Identifier: Apache-2.0
"""Parses a signed body. Errors describe what is wrong to the person who sets the webhook up."""

from __future__ import annotations

import json

from pydantic import ValidationError

from nalm_server.base.errors import BadRequestError, ErrorDetail, InvalidError
from nalm_server.git.events import Event
from nalm_server.webhooks.forges.claim import Forge


def read(forge: Forge, event: str, body: bytes) -> Event:
    """Raises BadRequestError, InvalidError."""
    try:
        return forge.read(event, json.loads(body))
    except ValidationError as error:
        raise InvalidError(
            f"This is no {event[:64] or 'delivery'} as {forge.name} sends it.",
            [
                ErrorDetail(path="$" + "".join(f".{part}" for part in one["loc"]), message=one["msg"])
                for one in error.errors(include_url=False, include_input=False, include_context=False)
            ],
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The body is not JSON: set the webhook's content type to JSON.") from error
