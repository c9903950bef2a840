# SPDX-License-Identifier: Apache-2.0
"""Shared by all packages: the strict base of API models, and bounded types of parameters."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from fastapi import Path, Query
from nalm_core.report.terms import PATH_PART
from pydantic import (
    AfterValidator,
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    computed_field,
)

FULL_SHA = r"^([0-9a-f]{40}|[0-9a-f]{64})$"
"""Of a commit, in git's SHA-1 or SHA-256 format."""
SHA_PREFIX = r"^[0-9a-f]{7,64}$"
REVISION = r"^[^\x00-\x20\x7f]+$"
FIRST_YEAR, LAST_YEAR = 1970, 2999
PRINTABLE = r"^[^\x00-\x20\x7f][^\x00-\x1f\x7f]*$"
"""Text on one line that does not begin with a space."""
NAME = PATH_PART


class Schema(BaseModel):
    """Base of request and answer models."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, json_schema_serialization_defaults_required=True
    )


def former_name(field: str, kind: Any) -> Any:
    """The former name of an answer's field, which is also served for older clients."""
    made = computed_field(
        return_type=kind, description=f"Now `{field}`.", json_schema_extra={"deprecated": True}
    )
    return made(property(lambda answer: getattr(answer, field)))


Flag = Annotated[bool, Field(strict=True)]
"""For bodies: by default pydantic accepts 0, 1 and "yes" as booleans."""
Whole = Annotated[int, Field(strict=True)]
"""For bodies: by default pydantic accepts `true` and "1" as numbers."""
Real = Annotated[float, Field(strict=True)]


def _no_number(value: object) -> object:
    """Pydantic reads numbers, also as text, as seconds since 1970."""
    if isinstance(value, datetime) or (isinstance(value, str) and value[4:5] == "-"):
        return value
    raise ValueError("expected a date and time with its offset, like 2026-01-31T12:00:00Z")


def _of_our_time(value: datetime) -> datetime:
    """Rejects times near the calendar's ends: they overflow when they are converted to UTC or shifted."""
    if not FIRST_YEAR <= value.year <= LAST_YEAR:
        raise ValueError(f"expected a year from {FIRST_YEAR} to {LAST_YEAR}")
    return value


Time = Annotated[AwareDatetime, AfterValidator(_of_our_time)]
"""A time as a forge sends it."""
Moment = Annotated[Time, BeforeValidator(_no_number)]

ProjectName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a project.")
]
ScenarioName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a scenario of the project.")
]
ShaPath = Annotated[str, Path(pattern=SHA_PREFIX, description="A commit: 7 hexadecimal digits or more.")]
RevisionQuery = Annotated[
    str,
    Query(
        min_length=1,
        max_length=255,
        pattern=REVISION,
        description="A commit (7 hexadecimal digits or more), a tag, or a watched branch.",
    ),
]
JobId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a job.")]
RunId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="Id of a run, made by its agent.")]
