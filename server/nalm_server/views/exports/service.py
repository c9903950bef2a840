# SPDX-License-Identifier: Apache-2.0
"""An export in chunks of bytes, from a session of its own that lives until all are read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from typing import Any

from nalm_server.auth.access.project_models import ProjectRow
from nalm_server.base.errors import InvalidError, NotInstalledError
from nalm_server.db.context import Context
from nalm_server.results.series.metrics import metrics_of
from nalm_server.views.exports import openmetrics, repository, tables
from nalm_server.views.exports.schemas import Filter, Format
from nalm_server.views.exports.tables import Table
from nalm_server.views.exports.text import as_csv, as_json


def _as_parquet(kind: Any, rows: Iterator[Any]) -> Iterator[bytes]:
    from nalm_server.views.exports.parquet import as_parquet

    return as_parquet(kind, rows)


WRITERS: dict[Format, Callable[[Any, Iterator[Any]], Iterator[bytes]]] = {
    Format.CSV: as_csv,
    Format.JSON: as_json,
    Format.PARQUET: _as_parquet,
}
MEDIA_TYPES = {
    Format.CSV: "text/csv; charset=utf-8",
    Format.JSON: "application/json",
    Format.PARQUET: "application/vnd.apache.parquet",
    Format.OPENMETRICS: openmetrics.CONTENT_TYPE,
}
SUFFIXES = {Format.OPENMETRICS: "txt"}


def file_name(project: ProjectRow, form: Format, table: Table) -> str:
    name = project.name if table is Table.SERIES else f"{project.name}-{table}"
    return f"{name}.{SUFFIXES.get(form, form)}"


def require(form: Format, table: Table, row_filter: Filter) -> None:
    """Raises InvalidError for an unsupported format, NotInstalledError without pyarrow."""
    if form is Format.OPENMETRICS and table is not Table.SERIES:
        raise InvalidError(f"OpenMetrics has series only: use csv, json or parquet for table {table}.")
    if form is Format.PARQUET and find_spec("pyarrow") is None:
        raise NotInstalledError(
            "This server cannot write Parquet without pyarrow: an operator can install nalm-server[parquet]. "
            "csv and json need no extra."
        )
    tables.require(table, row_filter)


def export(
    context: Context, project: ProjectRow, form: Format, row_filter: Filter, table: Table = Table.SERIES
) -> Iterator[bytes]:
    """See `require`."""
    with context.read_sessions() as session:
        repository.as_of_now(session)
        if form is Format.OPENMETRICS:
            rows = repository.newest(session, project.id, row_filter)
            yield openmetrics.as_openmetrics(project.name, metrics_of(session, project.id), rows)
        else:
            found = tables.rows(session, project, table, row_filter)
            yield from WRITERS[form](tables.SOURCES[table].row, found)
