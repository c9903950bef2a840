# SPDX-License-Identifier: Apache-2.0
"""`nalm detect` on standard input."""

from __future__ import annotations

import json

import pytest
from nalm_agent.cli import app
from typer.testing import CliRunner

STEP = [100, 100.2, 99.9, 100.1, 99.8, 100, 100.1, 99.9, 105, 105.1, 104.9, 105.2, 104.8, 105, 105.1, 104.9]


def run(text: str, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["detect", *options], input=text)
    return done.exit_code, done.output if done.exception is None else repr(done.exception)


def test_a_list_of_series_is_answered_in_order() -> None:
    code, said = run(json.dumps([STEP, [], [[v, v * 1.0001, v * 0.9999] for v in STEP], [1.0] * 30]))
    assert code == 0
    found = [one["change_points"] for one in json.loads(said)]
    assert [len(one) for one in found] == [1, 0, 1, 0]
    (change,) = found[0]
    assert set(change) == {"index", "low", "high", "size", "probability"}
    assert change["index"] == 8
    assert change["size"] == pytest.approx(0.05, abs=0.002)


def test_text_for_people() -> None:
    code, said = run(json.dumps([STEP]), "--text")
    assert code == 0
    assert "series 0: commit 8" in said
    assert "+5.0" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{}", "no JSON list"),
        ("[1]", "series 0 is no list"),
        ('[[1, "2"]]', 'series 0, commit 1: "2"'),
        ("[[1], [2, true]]", "series 1, commit 1: true"),
        ("[[1, [2, null]]]", "series 0, commit 1"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    code, output = run(text)
    assert code != 0
    assert said in output
