# SPDX-License-Identifier: Apache-2.0
"""Rows as Parquet, one row group at a time, without the whole file in memory."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from types import NoneType
from typing import Any, get_args, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

ROW_GROUP = 20_000
TYPES = {
    datetime: pa.timestamp("us", tz="UTC"),
    float: pa.float64(),
    int: pa.int32(),
    bool: pa.bool_(),
    str: pa.string(),
}


def _schema(kind: Any) -> pa.Schema:
    """From the types of the NamedTuple's fields, all nullable."""
    fields = []
    for name, hint in get_type_hints(kind).items():
        (own,) = [one for one in get_args(hint) or (hint,) if one is not NoneType]
        fields.append((name, TYPES[own]))
    return pa.schema(fields)


class _Pieces(io.RawIOBase):
    """What the writer wrote since the last read."""

    def __init__(self) -> None:
        self.pieces: list[bytes] = []
        self.position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.position

    def write(self, data: object) -> int:
        piece = bytes(memoryview(data))  # type: ignore[arg-type]
        self.pieces.append(piece)
        self.position += len(piece)
        return len(piece)

    def take(self) -> bytes:
        taken, self.pieces = b"".join(self.pieces), []
        return taken


def as_parquet(kind: Any, rows: Iterator[Any]) -> Iterator[bytes]:
    """kind: the NamedTuple of the rows."""
    schema = _schema(kind)
    sink = _Pieces()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), schema, compression="zstd") as writer:
        while group := list(islice(rows, ROW_GROUP)):
            columns = zip(*group, strict=True)
            arrays = [
                pa.array(column, type=field.type) for column, field in zip(columns, schema, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=schema))
            yield sink.take()
    yield sink.take()
