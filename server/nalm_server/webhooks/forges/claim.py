# SPDX-License-Identifier: Apache-2.0
"""What a request says of itself before anything of it is believed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

from nalm_server.git.events import Event

Headers = Mapping[str, str]


@dataclass(frozen=True)
class Claim:
    """Of the headers alone."""

    event: str | None
    """None: the forge's header for it is missing. Some forges have it in the body: then it is empty."""
    delivery: str | None
    """The forge's id of it. None: the digest of the body is taken."""
    signed: bool
    """There is a signature, good or bad. Without one the body need not be read."""
    signed_by: Callable[[str, bytes, datetime], bool]
    """True if the secret signed the body, and not too long ago."""


class Forge(Protocol):
    name: str
    wants: str
    """What must be set up at the forge, for the message to a delivery that is refused."""

    def claim(self, headers: Headers) -> Claim: ...

    def read(self, event: str, payload: Any) -> Event:
        """Raises pydantic's ValidationError for a body that is not what the forge sends."""
