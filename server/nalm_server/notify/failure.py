# SPDX-License-Identifier: Apache-2.0
"""Why sending failed, and what follows from it."""

from __future__ import annotations

from enum import StrEnum

import httpx
from nalm_core.text.plain_text import plain_line

from nalm_server.base.errors import BusyError, NalmError

BUSY = (408, 425, 429, 502, 503, 504)
SHOWN = 300
"""Number of characters of an answer that are kept."""


class Next(StrEnum):
    AGAIN = "again"
    """It certainly did not arrive; a retry may help."""
    NEVER = "never"
    """Refused: a retry cannot help until somebody changes something."""
    UNSURE = "unsure"
    """It may have arrived."""


class SendError(Exception):
    """Sending failed. The message says what, where and what to do, without a secret."""

    def __init__(
        self, message: str, after: Next, *, pause_seconds: float | None = None, status: int | None = None
    ) -> None:
        super().__init__(message)
        self.after = after
        self.pause_seconds = pause_seconds
        self.status = status
        """Of the answer (HTTP); None: there was none."""


def of_exception(error: Exception, where: str) -> SendError:
    """What the client's exception says about whether the request arrived."""
    text = f"{where}: {str(error) or type(error).__name__}"[:SHOWN]
    match error:
        case SendError():
            return error
        case NalmError():
            return SendError(text, Next.NEVER)
        case httpx.ConnectError() | httpx.ConnectTimeout() | httpx.PoolTimeout():
            return SendError(text, Next.AGAIN)
        case httpx.HTTPError():
            return SendError(text, Next.UNSURE)
        case _:
            return SendError(f"{where}: {type(error).__name__}", Next.UNSURE)


def of_composing(error: Exception) -> SendError:
    """Why there is nothing to send: it certainly did not arrive."""
    if isinstance(error, NalmError):
        after = Next.AGAIN if isinstance(error, BusyError) else Next.NEVER
        return SendError(f"It could not be composed: {error.message}"[:SHOWN], after)
    return SendError(f"It could not be composed ({type(error).__name__}).", Next.AGAIN)


def of_answer(answer: httpx.Response, where: str) -> SendError | None:
    """None for a success."""
    if answer.is_success:
        return None
    text = f"{where} answered {answer.status_code}"
    if answer.status_code in (401, 403) and not _limited(answer):
        text += ": the token is not valid, or may not do this; give the integration another"
    elif answer.status_code == 404:
        text += ": there is no such repository, pull request or address, or the token may not see it"
    elif answer.is_redirect:
        text += ": it has moved; enter its new address"
    said = plain_line(answer.text[:SHOWN])
    text += f" ({said})" if said else ""
    if answer.status_code >= 500 or answer.status_code in BUSY or _limited(answer):
        return SendError(text, Next.AGAIN, pause_seconds=_pause(answer), status=answer.status_code)
    return SendError(text, Next.NEVER, status=answer.status_code)


def _limited(answer: httpx.Response) -> bool:
    """GitHub answers 403 above its rate limits."""
    headers = answer.headers
    return answer.status_code == 429 or (
        answer.status_code == 403
        and ("retry-after" in headers or headers.get("x-ratelimit-remaining") == "0")
    )


def _pause(answer: httpx.Response) -> float | None:
    """Seconds that the answer requests. A date in Retry-After is ignored."""
    text = answer.headers.get("retry-after", "")
    return float(text) if text.isdigit() and len(text) < 7 else None
