# SPDX-License-Identifier: Apache-2.0
"""What the documents of all models share: their base, bounded numbers, and how a bad document is refused."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from pydantic import ConfigDict, Field, ValidationError

from nalm_core.models.quantity import ModelInputError
from nalm_core.report.terms import Model
from nalm_core.text.mistakes import message_of

MOST_LCORES = 256
"""Greatest number of lcores in an input."""

MOST = 1e15
"""Greatest number in an input."""

Real = Annotated[float, Field(strict=True)]
"""A number; by default pydantic accepts `true` and "1" as numbers."""
Whole = Annotated[int, Field(strict=True)]
Positive = Annotated[Real, Field(ge=1e-9, le=MOST)]
NotNegative = Annotated[Real, Field(ge=0, le=MOST)]
Lcores = Annotated[Whole, Field(ge=1, le=MOST_LCORES)]
Label = Annotated[str, Field(min_length=1, max_length=64)]


class Document(Model):
    """Base of inputs and of parts of answers."""

    model_config = ConfigDict(from_attributes=True, allow_inf_nan=False)


class Answer(Document):
    """Base of answers."""

    assumes: str
    """What the answer rests on, in one line."""
    notes: list[str]
    """What limits this answer, and what is outside the measured range."""


class Interval(Document):
    """A value with its 95 % interval; null on a side that the data do not bound."""

    value: float
    low: float | None
    high: float | None


D = TypeVar("D", bound=Document)


def read_document(kind: type[D], content: Any) -> D:
    """The document in parsed JSON or TOML. Raises ModelInputError, which names the first bad input."""
    try:
        return kind.model_validate(content)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "document"
        raise ModelInputError(name, _said(first)) from error


_LIMITS = {
    "greater_than": ("gt", "above"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "below"),
    "less_than_equal": ("le", "at most"),
}


def _said(error: Any) -> str:
    """A mistake with what was found."""
    if error["type"] == "missing":
        return "is missing"
    if error["type"] not in _LIMITS:
        text = message_of(error)
        return f"{text[0].lower()}{text[1:]}"
    limit, word = _LIMITS[error["type"]]
    return f"expected {word} {error['ctx'][limit]:g}, not {error['input']}"
