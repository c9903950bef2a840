# SPDX-License-Identifier: Apache-2.0
"""What a request claims, before its signature is checked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol

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
