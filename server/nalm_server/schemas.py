# SPDX-License-Identifier: Apache-2.0
"""What all drawers share: the strict base of API models, and the bounded types of parameters."""

from __future__ import annotations

from typing import Annotated

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict

SHA_PREFIX = r"^[0-9a-f]{7,64}$"
NAME = r"^[A-Za-z0-9][A-Za-z0-9._:+@-]*$"


class Schema(BaseModel):
    """Base of what the API answers and takes."""

    model_config = ConfigDict(
        extra="forbid", from_attributes=True, json_schema_serialization_defaults_required=True
    )


ProjectName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a project.")
]
ScenarioName = Annotated[
    str, Path(min_length=1, max_length=64, pattern=NAME, description="Name of a scenario of the project.")
]
ShaPath = Annotated[str, Path(pattern=SHA_PREFIX, description="A commit: 7 hexadecimal digits or more.")]
ShaQuery = Annotated[str, Query(pattern=SHA_PREFIX, description="A commit: 7 hexadecimal digits or more.")]
JobId = Annotated[int, Path(ge=1, le=2**31 - 1, description="Number of a job.")]
RunId = Annotated[str, Path(pattern=r"^[0-9a-f]{32}$", description="Id of a run, made by its agent.")]
