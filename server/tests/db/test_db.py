# SPDX-License-Identifier: Apache-2.0
"""The pool replaces connections to PostgreSQL that were closed."""

from __future__ import annotations

import json

import pytest
from nalm_server.db import engine as db
from sqlalchemy import text

pytestmark = pytest.mark.dialects

PIDS = text("SELECT pg_backend_pid()")


@pytest.mark.parametrize("database_url", ["postgresql"], indirect=True)
def test_connections_that_postgresql_ended_are_not_used_again(database_url: str) -> None:
    engine, other = db.make_engine(database_url), db.make_engine(database_url)
    with engine.connect() as first, engine.connect() as second:
        ended = {first.scalar(PIDS), second.scalar(PIDS)}
    with engine.connect() as again:
        assert again.scalar(PIDS) in ended
    with other.connect() as connection:
        for pid in ended:
            assert connection.scalar(text("SELECT pg_terminate_backend(:pid, 30000)"), {"pid": pid})
    for _ in range(2):
        with engine.connect() as third, engine.connect() as fourth:
            assert not {third.scalar(PIDS), fourth.scalar(PIDS)} & ended
    engine.dispose()
    other.dispose()


@pytest.mark.parametrize(
    "text",
    ['{"a": [1.5, null, true, 12345678901234567890]}', r'"\ud83d\ude00"', r'{"half": "\ud83d"}', "NaN"],
)
def test_a_json_column_is_read_as_by_the_standard_library(text: str) -> None:
    assert repr(db.read_json(text)) == repr(db.read_json(text.encode())) == repr(json.loads(text))
