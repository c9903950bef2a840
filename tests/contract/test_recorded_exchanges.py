# SPDX-License-Identifier: Apache-2.0
"""Earlier API clients still work: each recorded request gets its status, and every recorded field of its
answer exists with its type. New fields may be added. record_exchanges.py makes the record."""

from __future__ import annotations

from pathlib import Path

import pytest
from recorded_exchange import EXCHANGES, lost_fields, read_exchanges
from recorded_server import recorded_server

MOST_BYTES = 1 << 20


@pytest.mark.timeout(900)
def test_recorded_requests_are_answered_as_before(tmp_path: Path) -> None:
    faults = []
    with recorded_server(tmp_path) as replay:
        for recorded in read_exchanges():
            current = replay.send(recorded)
            now, before = (current.status, current.media), (recorded.status, recorded.media)
            if now != before:
                faults.append(f"{recorded.operation}: {now}, was {before}")
            faults += [f"{recorded.operation}: {one}" for one in lost_fields(recorded.fields, current.fields)]
    assert faults == []


def test_the_record_is_small() -> None:
    assert EXCHANGES.stat().st_size <= MOST_BYTES


def test_fields_that_are_lost_are_named() -> None:
    recorded = {"": ["object"], "id": ["number"], "name": ["null", "string"], "gone": ["string"]}
    current = {"": ["object"], "id": ["string"], "name": ["null"], "new": ["number"]}
    assert lost_fields(recorded, current) == ["id was ['number'] and is ['string']", "gone is gone"]
