# SPDX-License-Identifier: Apache-2.0
"""Packed lines say what lines say, up to a small part of each interval."""

from __future__ import annotations

import json
import zlib
from math import exp
from random import Random
from typing import Any

import pytest
from nalm_server.app.compact_answers import LEVEL
from nalm_server.git.commits.models import CommitRow
from nalm_server.git.refs import repository as refs
from nalm_server.results.links.models import LinkValueRow
from nalm_server.views.history import columns
from nalm_server.views.history.columns import scaled
from nalm_server_harness import Service, counted
from nalm_server_reports import body_of, make_report, sha
from sqlalchemy import delete, update


def unscaled(packed: dict, end: str | None = None) -> list[float | None]:
    """end: `low` or `high`, that of the interval."""
    nothing = [0] * len(packed["value"])
    below, skew = (packed["below"], packed["skew"]) if end else (nothing, nothing)
    found: list[float | None] = []
    whole = 0
    for more, down, further in zip(packed["value"], below, skew, strict=True):
        whole += more or 0
        if None in (more, down, further):
            found.append(None)
            continue
        distance = down + further if end == "high" else -down
        found.append((whole + distance) * packed["step"])
    return found


def test_rounding_is_small_beside_the_interval() -> None:
    values, lows, highs = [301.25, None, 305.5], [299.0, None, 303.0], [303.5, None, 308.0]
    packed = scaled(values, lows, highs)
    for expected, end in ((values, None), (lows, "low"), (highs, "high")):
        found = unscaled(packed, end)
        assert found[1] is None
        assert found[0] == pytest.approx(expected[0], abs=4.5 / 16)
        assert found[2] == pytest.approx(expected[2], abs=4.5 / 16)


def test_values_without_an_interval_keep_six_digits() -> None:
    packed = scaled([1234.567, 1.5], [None, None], [None, None])
    assert packed["below"] is None
    assert unscaled(packed) == pytest.approx([1234.567, 1.5], abs=0.002)
    assert scaled([None], [None], [None])["value"] == [None]


def test_figures_are_sent_as_differences() -> None:
    packed = scaled([301.0, None, 305.0], [300.0, None, 303.0], [303.0, None, 307.0], step=1.0)
    assert packed == {"step": 1.0, "value": [301, None, 4], "below": [1, None, 2], "skew": [1, None, 0]}


def test_a_noisy_history_takes_few_bytes() -> None:
    """On the wire, a value and its interval; without differences it would be 2.63 bytes."""
    random = Random(1)
    values = [300 * exp(random.gauss(0, 0.03)) for _ in range(4000)]
    ends = ([one * factor for one in values] for factor in (0.994, 1.006))
    sent = zlib.compress(json.dumps(scaled(values, *ends), separators=(",", ":")).encode(), LEVEL)
    assert len(sent) < 2.5 * len(values)


def test_columns_are_the_lines(service: Service) -> None:
    for number in range(1, 6):
        service.upload(body_of(make_report(number, head_costs={"nat": 150.0 + 9 * number})))
    requested = {"scenario": "sfc_a", "metric": ["cpp", "ipp"]}
    packed = service.get("/projects/demo/lines/columns", **requested)
    assert [one["name"] for one in packed["metrics"]] == ["cpp", "ipp"]
    for place, metric in enumerate(requested["metric"]):
        (line,) = service.get("/projects/demo/lines", scenario="sfc_a", metric=metric)["lines"]
        (short,) = packed["lines"]
        for stage in line["stages"]:
            (found,) = [
                one for one in short["series"] if (one["metric"], one["stage"]) == (place, stage["stage"])
            ]
            assert unscaled(found) == pytest.approx(stage["value"], rel=1e-3)
        at = [sum(short["at"][: run + 1]) for run in range(len(short["at"]))]
        assert at == line["at"]
        words = [one["display"] for one in short["display"] for _ in range(one["runs"])]
        assert words == line["display"]
        shas = packed["commits"]["sha"]
        assert [shas[place - back] for place, back in zip(at[1:], short["base_at"][1:], strict=True)] == [
            sha[:12] for sha in line["base_sha"][1:]
        ]
        assert short["other_bases"] == {"0": line["base_sha"][0][:12]}


@pytest.mark.dialects
def test_an_answer_is_kept_until_what_it_is_made_of_changes(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[object] = []
    packed = columns.packed
    monkeypatch.setattr(columns, "packed", lambda metrics: made.append(metrics) or packed(metrics))

    def ask(metric: str = "cpp") -> dict[str, Any]:
        found = service.get("/projects/demo/lines/columns", scenario="sfc_a", metric=metric)
        assert service.get("/projects/demo/lines/columns", scenario="sfc_a", metric=metric) == found
        return found

    for number in range(1, 4):
        service.upload(body_of(make_report(number)))
    answers = [ask(), ask("ipp")]
    service.upload(body_of(make_report(4)))
    answers.append(ask())
    with service.context.sessions() as session:
        refs.place_tag(session, 1, "v1.0", sha(2), service.clock())
        session.commit()
    answers.append(ask())
    with service.context.sessions() as session:
        session.execute(update(CommitRow).where(CommitRow.sha == sha(3)).values(subject="another one"))
        session.commit()
    answers.append(ask())
    with service.context.sessions() as session:
        session.execute(delete(LinkValueRow))
        session.commit()
    answers.append(ask())
    assert len(made) == len(answers) == len({json.dumps(one) for one in answers})


def test_metrics_share_what_is_read_of_them(service: Service) -> None:
    """More metrics are more series of the same queries."""
    for number in range(1, 4):
        service.upload(body_of(make_report(number)))
    path = "/projects/demo/lines/columns"
    request = {"scenario": "sfc_a", "values": "measured"}
    with counted(service) as one:
        service.get(path, metric="cpp", **request)
    with counted(service) as four:
        found = service.get(path, metric=["cpp", "ipp", "eipc", "pps"], **request)
    assert [metric["name"] for metric in found["metrics"]] == ["cpp", "ipp", "eipc", "pps"]
    assert len(four) == len(one)
