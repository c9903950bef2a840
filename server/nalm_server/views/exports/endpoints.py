# SPDX-License-Identifier: Apache-2.0
"""GET /projects/{project}/export."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Query
from fastapi.responses import StreamingResponse

from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.dependencies import Caller, Ctx, ReadDb
from nalm_server.base.api_router import api_router
from nalm_server.base.errors import documented
from nalm_server.base.schemas import NAME, Moment, ProjectName
from nalm_server.views.exports import service
from nalm_server.views.exports.schemas import Filter, Format
from nalm_server.views.exports.tables import Table

router = api_router("store", "/projects/{project}/export")

CONTENT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The rows; docs/store.md has the columns.",
        "content": {kind.split(";")[0]: {} for kind in service.MEDIA_TYPES.values()},
    }
}


@router.get("", response_class=StreamingResponse, responses={**documented(401, 403, 404, 422), **CONTENT})
def export_series(
    project: ProjectName,
    session: ReadDb,
    context: Ctx,
    caller: Caller,
    *,
    form: Annotated[Format, Query(alias="format")] = Format.CSV,
    table: Annotated[Table, Query(description="docs/store.md has the columns of each.")] = Table.SERIES,
    scenario: Annotated[str | None, Query(max_length=64, pattern=NAME)] = None,
    metric: Annotated[str | None, Query(max_length=64, pattern=r"^[a-z][a-z0-9_]*$")] = None,
    host_class: Annotated[str | None, Query(max_length=128, pattern=r"^[^\x00]+$")] = None,
    since: Annotated[Moment | None, Query(description="Only rows of this time or later.")] = None,
) -> StreamingResponse:
    """Exports every row of a table; for series every value, as OpenMetrics the newest of each."""
    found = require_project(session, caller, project, Role.READER)
    row_filter = Filter(scenario, metric, host_class, since)
    service.require(form, table, row_filter)
    return StreamingResponse(
        service.export(context, found, form, row_filter, table),
        media_type=service.MEDIA_TYPES[form],
        headers={"Content-Disposition": f'attachment; filename="{service.file_name(found, form, table)}"'},
    )
