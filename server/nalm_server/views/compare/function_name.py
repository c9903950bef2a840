# SPDX-License-Identifier: Apache-2.0
"""A function of a stage, as named in an address."""

from __future__ import annotations

from typing import Annotated

from fastapi import Depends, Query
from nalm_core.profiles.function_costs import Key


async def requested_function(
    function: Annotated[str, Query(min_length=1, max_length=2048, description="Name, as in /code.")],
    stage: Annotated[
        str | None, Query(max_length=64, description="Its stage; none: outside of stages.")
    ] = None,
) -> Key:
    """A function of a stage."""
    return stage, function


RequestedFunction = Annotated[Key, Depends(requested_function)]
