# SPDX-License-Identifier: Apache-2.0
import json
from pathlib import Path

import pytest
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.verdict.verdict import judge
from nalm_synthetic import changed, make_report

FIXTURES = sorted((Path(__file__).parents[1] / "fixtures").glob("*.json"))


def document() -> dict:
    return json.loads(dump_report(make_report(changed(), launches=2, turns=2)))


def test_there_and_back_gives_the_same_bytes() -> None:
    report = make_report(changed(), launches=2, turns=2)
    data = dump_report(report)
    assert parse_report(data) == report
    assert dump_report(parse_report(data.decode())) == data


@pytest.mark.parametrize("path", FIXTURES, ids=lambda path: path.stem)
def test_reports_ever_written_stay_readable(path: Path) -> None:
    report = parse_report(path.read_bytes())
    assert judge(report).outcome == path.stem.split("-")[1]


def test_there_are_fixtures_of_every_version() -> None:
    assert {path.stem.split("-")[0] for path in FIXTURES} == {"v1"}


def set_at(where: dict, path: list, value: object) -> dict:
    target = where
    for part in path[:-1]:
        target = target[part]
    target[path[-1]] = value
    return where


@pytest.mark.parametrize(
    ("path", "value", "at"),
    [
        (["schema"], "nalm.run-report/99", "$.schema"),
        (["run_id"], "x", "$.run_id"),
        (["rounds", 1, "lcores", 0, "busy_cycles"], -1, "$.rounds[1].lcores[0].busy_cycles"),
        (["rounds", 1, "lcores", 0, "busy_cycles"], 2**70, "$.rounds[1].lcores[0].busy_cycles"),
        (["rounds", 0, "arm"], "head_as_base", "$.rounds[0].arm"),
        (["rounds", 0, "turn"], 1, "$.rounds[3]"),
        (
            ["rounds", 0, "stages", "strange"],
            {"cycles": 1, "packets": 1, "batches": 1},
            "$.rounds[0].stages.strange",
        ),
        (["rounds", 0, "stages", "nat", "outcomes", "eaten"], 1, "$.rounds[0].stages.nat.outcomes.eaten"),
        (["finished_at"], "2020-01-01T00:00:00Z", "$.finished_at"),
        (["status"], "broken", "$.failure"),
        (["extra"], 1, "$.extra"),
        (["arms"], {}, "$.arms.base"),
    ],
)
def test_mistakes_are_named_with_their_place(path: list, value: object, at: str) -> None:
    with pytest.raises(ReportError) as error:
        parse_report(json.dumps(set_at(document(), path, value)))
    assert at in [mistake.path for mistake in error.value.mistakes]
    assert at in str(error.value)


@pytest.mark.parametrize(
    ("path", "value", "newer"),
    [
        (["schema"], "nalm.run-report/99", True),
        (["schema"], "nalm.alert/1", False),
        (["rounds", 0, "lcores", 0, "sleeps"], 1, True),
        (["status"], "postponed", True),
        (["run_id"], "x", False),
    ],
)
def test_what_a_newer_version_may_have_written_is_distinguished_from_mistakes(
    path: list, value: object, newer: bool
) -> None:
    with pytest.raises(ReportError) as error:
        parse_report(json.dumps(set_at(document(), path, value)))
    assert error.value.newer is newer


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff", b"[" * 100_000])
def test_what_is_no_report_is_refused(data: bytes) -> None:
    with pytest.raises(ReportError):
        parse_report(data)


def test_counts_are_not_read_from_other_types() -> None:
    broken = set_at(document(), ["rounds", 0, "lcores", 0, "busy_cycles"], None)
    with pytest.raises(ReportError, match="busy_cycles"):
        parse_report(json.dumps(broken))
