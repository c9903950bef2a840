# SPDX-License-Identifier: Apache-2.0
"""An export as pieces of bytes, from a session of its own that lives as long as they are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from nalm_server.context import Context
from nalm_server.exports import openmetrics, repository
from nalm_server.exports.parquet import as_parquet
from nalm_server.exports.schemas import ExportRow, Filter, Format
from nalm_server.exports.text import as_csv, as_json
from nalm_server.projects.models import ProjectRow

WRITERS: dict[Format, Callable[[Iterator[ExportRow]], Iterator[bytes]]] = {
    Format.CSV: as_csv,
    Format.JSON: as_json,
    Format.PARQUET: as_parquet,
}
MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSON: "application/json",
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.OPENMETRICS: openmetrics.CONTENT_TYPE,
}
SUFFIXES = {Format.OPENMETRICS: "txt"}


def file_name(project: ProjectRow, form: Format) -> str:
    return f"{project.name}.{SUFFIXES.get(form, form)}"


def export(context: Context, project: ProjectRow, form: Format, wanted: Filter) -> Iterator[bytes]:
    with context.read_sessions() as session:
        if form is Format.OPENMETRICS:
            rows = repository.newest(session, project.id, wanted)
            yield openmetrics.as_openmetrics(project.name, rows)
        else:
            yield from WRITERS[form](repository.rows(session, project.id, wanted))
