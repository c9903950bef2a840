# SPDX-License-Identifier: Apache-2.0
"""Rows as Parquet, row group by row group, without holding the file."""

from __future__ import annotations

import io
from collections.abc import Iterator
from itertools import islice

import pyarrow as pa
import pyarrow.parquet as pq

from nalm_server.exports.schemas import ExportRow

ROW_GROUP = 20_000
TYPES = {
    "time": pa.timestamp("us", tz="UTC"),
    "value": pa.float64(),
    "low": pa.float64(),
    "high": pa.float64(),
    "n": pa.int32(),
}
SCHEMA = pa.schema([(name, TYPES.get(name, pa.string())) for name in ExportRow._fields])


class _Pieces(io.RawIOBase):
    """What the writer wrote since it was last taken."""

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


def as_parquet(rows: Iterator[ExportRow]) -> Iterator[bytes]:
    sink = _Pieces()
    with pq.ParquetWriter(pa.PythonFile(sink, mode="w"), SCHEMA, compression="zstd") as writer:
        while group := list(islice(rows, ROW_GROUP)):
            columns = zip(*group, strict=True)
            arrays = [
                pa.array(column, type=field.type) for column, field in zip(columns, SCHEMA, strict=True)
            ]
            writer.write_table(pa.Table.from_arrays(arrays, schema=SCHEMA))
            yield sink.take()
    yield sink.take()
