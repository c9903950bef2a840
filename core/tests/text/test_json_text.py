# SPDX-License-Identifier: Apache-2.0
"""JSON of other programs: names that occur twice are found in time, however many there are."""

from __future__ import annotations

from time import process_time

import pytest
from nalm_core.text.json_text import JsonError, read_json


def test_a_name_that_occurs_twice_is_named() -> None:
    with pytest.raises(JsonError, match="'b' occurs twice in one object"):
        read_json('{"a": 1, "b": 2, "c": 3, "b": 4, "c": 5}')
    assert read_json('{"a": {"b": 1}, "b": 2}') == {"a": {"b": 1}, "b": 2}


def test_many_names_are_counted_once() -> None:
    """Each was counted among all: 40,000 names took half a minute."""
    names = ",".join(f'"k{n}":1' for n in range(40_000))
    begun = process_time()
    with pytest.raises(JsonError, match="'z' occurs twice"):
        read_json(f'{{{names},"z":1,"z":2}}')
    assert process_time() - begun < 5
