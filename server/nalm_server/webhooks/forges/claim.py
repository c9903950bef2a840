# SPDX-License-Identifier: Apache-2.0
"""A forge: what a request claims before its signature is checked, and the event in its body."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from nalm_core.text.mistakes import message_of
from pydantic import ValidationError

from nalm_server.base.errors import BadRequestError, ErrorDetail, InvalidError
from nalm_server.git.events import Event

Headers = Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """Read from the headers alone."""

    event: str | None
    """None: the header is missing. Empty: this forge names the event in the body."""
    delivery: str | None
    """The forge's id of the delivery. None: the digest of the body is the id."""
    signed: bool
    """There is a signature, valid or not. Without one the body is not read."""
    signed_by: Callable[[str, bytes, datetime], bool]
    """True if the secret signed the body recently enough."""


class Forge(Protocol):
    name: str
    wants: str
    """What to set up at the forge, for the answer to a refused delivery."""

    def claim(self, headers: Headers) -> Claim: ...

    def read(self, event: str, payload: Any) -> Event:
        """Raises pydantic's ValidationError for a body that the forge would not send."""


def read_event(forge: Forge, event: str, body: bytes) -> Event:
    """Parses a signed body.

    Raises BadRequestError or InvalidError, addressed to the person who sets the webhook up.
    """
    try:
        return forge.read(event, json.loads(body))
    except ValidationError as error:
        raise InvalidError(
            f"This is no {event[:64] or 'delivery'} as {forge.name} sends it.",
            [
                ErrorDetail(path="$" + "".join(f".{part}" for part in one["loc"]), message=message_of(one))
                for one in error.errors(include_url=False, include_input=False, include_context=False)
            ],
        ) from error
    except (ValueError, RecursionError) as error:
        raise BadRequestError("The body is not JSON: set the webhook's content type to JSON.") from error
