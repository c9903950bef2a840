# SPDX-License-Identifier: Apache-2.0
"""What counts as found, as false alarm and as short of the header; the tables and the file of records."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from nalm_agent.desk.sending import Sending
from nalm_agent.mutants.record import Expected, Journal, Record, Seconds, StageInstructions, read_records
from nalm_agent.mutants.report import print_report, record_line
from nalm_agent.mutants.score import score
from nalm_agent.mutants.send import send, trial_of
from nalm_agent.runtime.errors import UsageError
from nalm_agent.server_api.uploads import Uploader

RECORDED = Path(__file__).parents[1] / "recorded" / "mutants.jsonl"


def record(expected: Expected, outcome: str, **values: Any) -> Record:
    defaults: dict[str, Any] = {
        "name": f"planted/{outcome}",
        "key": outcome,
        "scenario": "sfc_b",
        "reason": "because",
        "margin": 0.01,
        "seconds": Seconds(total=20.0, build=3.0, count=8.0, cycles=9.0),
    }
    return Record(expected=expected, outcome=outcome, **(defaults | values))


SLOWER = Expected(
    expect="regressed", kind="more-instructions", stage="acl", cause="instructions", ipp=0.006, cpp=0.004
)
ACL = StageInstructions(stage="acl", ln_ipp=0.02, chain_share=0.006)
LB = StageInstructions(stage="lb", ln_ipp=0.02, chain_share=0.003)
NOTHING = Expected(expect="same", kind="move")


def test_found_in_cycles_needs_stage_and_cause() -> None:
    right = record(SLOWER, "regressed", culprit_stages=["lb", "acl"], cause="instructions")
    found = score(right)
    assert found is not None
    assert (found.found, found.by, found.stage_right, found.cause_right, found.short) == (
        True,
        "cycles",
        True,
        True,
        None,
    )
    wrong = score(record(SLOWER, "regressed", culprit_stages=["lb"], cause="pipeline"))
    assert wrong is not None
    assert wrong.found
    assert wrong.short == "blamed lb, expected acl; cause pipeline, expected instructions"


@pytest.mark.parametrize("outcome", ["same", "inconclusive"])
def test_below_the_margin_instructions_tell(outcome: str) -> None:
    found = score(record(SLOWER, outcome, instruction_changes=[LB, ACL], ratio_cpp=1.02))
    assert found is not None
    assert (found.found, found.by, found.stage_right, found.short) == (True, "instructions", True, None)
    elsewhere = score(record(SLOWER, outcome, instruction_changes=[LB]))
    assert elsewhere is not None
    assert elsewhere.short == "instructions name lb"
    silent = score(record(SLOWER, outcome))
    assert silent is not None
    assert silent.short == f"called {outcome}, expected regressed"


def test_instructions_do_not_tell_where_cycles_should() -> None:
    large = SLOWER.model_copy(update={"cpp": 0.04})
    missed = score(record(large, "inconclusive", instruction_changes=[ACL], ratio_cpp=1.04))
    assert missed is not None
    assert not missed.found
    pipeline = SLOWER.model_copy(update={"cause": "pipeline"})
    missed = score(record(pipeline, "same", instruction_changes=[ACL]))
    assert missed is not None
    assert not missed.found
    fewer = SLOWER.model_copy(update={"expect": "improved"})
    missed = score(record(fewer, "same", instruction_changes=[ACL]))
    assert missed is not None
    assert not missed.found


def test_a_wrong_direction_is_never_found() -> None:
    found = score(record(SLOWER, "improved", instruction_changes=[ACL], culprit_stages=["acl"]))
    assert found is not None
    assert not found.found


@pytest.mark.parametrize(
    ("outcome", "fine"),
    [("same", True), ("inconclusive", True), ("regressed", False), ("improved", False), ("broken", False)],
)
def test_nothing_changed_must_not_alarm(outcome: str, fine: bool) -> None:
    found = score(record(NOTHING, outcome))
    assert found is not None
    assert (found.short is None) is fine


def test_broken_is_broken_only() -> None:
    leak = Expected(expect="broken", kind="leak")
    for outcome, found in (("broken", True), ("improved", False), ("invalid", False)):
        one = score(record(leak, outcome))
        assert one is not None
        assert one.found is found


def test_an_error_falls_short_and_a_skipped_one_says_nothing() -> None:
    error = score(record(NOTHING, "error"))
    assert error is not None
    assert error.short == "could not be measured: because"
    assert score(record(SLOWER, "skipped")) is None


def test_with_json_on_standard_output_the_tables_are_on_standard_error(
    capsys: pytest.CaptureFixture[str],
) -> None:
    records = read_records(RECORDED)
    journal = Journal(Path("-"), resume=False)
    for one in records:
        journal.add(one)
    print_report(records, on_stderr=True)
    printed = capsys.readouterr()
    assert [Record.model_validate_json(line) for line in printed.out.splitlines()] == records
    assert "broken: 1 of 1 found" in printed.err


def test_the_tables_of_a_recorded_campaign(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    records = read_records(RECORDED)
    assert not print_report(records)
    lines = capsys.readouterr().out.splitlines()
    rows = [" ".join(line.split()) for line in lines]
    assert "0.5 to 1 % 1 1 1 1 of 1 1 of 1" in rows
    assert "2 to 3 % 1 0 0 - -" in rows
    assert "broken: 1 of 1 found" in rows
    assert "A/A: 0 false alarms in 3; the rate is below 63.2 % at 95 % (exact bound); 2 called same" in rows
    assert any(row.startswith("equal: 1 false alarms in 2; the rate is below 97.5 % at 95 %") for row in rows)
    assert "not measured on this host: planted/45-two-lcores" in rows
    assert "short: planted/20-chain: called inconclusive, expected regressed" in rows
    assert "short: equal/02-move: called regressed, nothing has changed" in rows
    assert any(row.startswith("total 9 ") for row in rows)


def test_a_line_says_what_was_short() -> None:
    line = record_line(record(SLOWER, "same", ratio_cpp=1.004, ratio_ipp=1.0067))
    short = "SHORT: called same, expected regressed"
    assert line == f"planted/same: same, instructions +0.67 %, cycles +0.40 %, 20 s: {short}"


def test_a_file_is_gone_on_with_after_a_kill(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    Journal(path, resume=False).add(record(SLOWER, "regressed", reason="within ±1 %"))
    with path.open("a") as file:
        file.write('{"name": "cut sho')
    with path.open("ab") as file:
        file.write("±".encode()[:1])
    with pytest.raises(UsageError, match="there already"):
        Journal(path, resume=False)
    journal = Journal(path, resume=True)
    assert journal.known["regressed"].reason == "within ±1 %"
    journal.add(record(NOTHING, "same"))
    assert [one.outcome for one in read_records(path)] == ["regressed", "same"]


def test_what_could_not_be_measured_is_measured_again(tmp_path: Path) -> None:
    path = tmp_path / "all.jsonl"
    Journal(path, resume=False).add(record(SLOWER, "error", key="slower"))
    journal = Journal(path, resume=True)
    assert not journal.known
    journal.add(record(SLOWER, "regressed", key="slower"))
    assert [one.outcome for one in read_records(path)] == ["regressed"]
    assert Journal(path, resume=True).known["slower"].outcome == "regressed"


def test_a_stranger_s_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "letter.txt"
    path.write_text("Dear reader\n")
    with pytest.raises(UsageError, match=r"letter\.txt:1 is no record"):
        Journal(path, resume=True)
    assert path.read_text() == "Dear reader\n"


MEASURED = {
    "at": datetime(2026, 11, 20, 12, tzinfo=UTC),
    "host": "bench-1",
    "host_class": "vm-2",
    "version": "0.1.0",
}


def test_a_record_as_the_server_takes_it() -> None:
    wrong = record(SLOWER, "regressed", culprit_stages=["lb"], cause="instructions", **MEASURED)
    trial = trial_of(wrong)
    assert trial is not None
    assert (trial["kind"], trial["correct"], trial["stage_right"], trial["cause_right"]) == (
        "mutant",
        True,
        False,
        True,
    )
    assert (trial["size"], trial["category"]) == (0.004, "more-instructions")
    later = wrong.model_copy(update={"at": datetime(2026, 11, 21, tzinfo=UTC)})
    assert trial_of(later) != trial
    assert trial_of(wrong) == trial
    equal = trial_of(record(NOTHING, "improved", **MEASURED))
    assert equal is not None
    assert (equal["kind"], equal["correct"]) == ("equal", False)
    same_twice = trial_of(record(Expected(expect="same", kind="a-a"), "inconclusive", **MEASURED))
    assert same_twice is not None
    assert (same_twice["kind"], same_twice["correct"], same_twice["category"]) == ("aa", True, None)


@pytest.mark.parametrize("outcome", ["skipped", "error"])
def test_what_was_not_measured_is_not_sent(outcome: str) -> None:
    assert trial_of(record(NOTHING, outcome, **MEASURED)) is None
    assert trial_of(record(NOTHING, "same")) is None


def test_a_campaign_is_sent_in_parts_and_counted() -> None:
    sent: list[tuple[str, int]] = []

    def answer(request: httpx.Request) -> httpx.Response:
        trials = json.loads(request.content)["trials"]
        sent.append((request.url.path, len(trials)))
        return httpx.Response(201, json={"new": len(trials) - 1, "known": 1})

    class Here(Sending):
        @contextmanager
        def uploader(self) -> Iterator[Uploader]:
            yield Uploader(self.server, self.token, 1, print, transport=httpx.MockTransport(answer))

    records = [record(NOTHING, "same", key=str(number), **MEASURED) for number in range(250)]
    said = send(Here("https://nalm.example.org", "t", 1), "my-nf", [*records, record(NOTHING, "skipped")])
    assert sent == [
        ("/api/v1/projects/my-nf/detection-quality/trials", 200),
        ("/api/v1/projects/my-nf/detection-quality/trials", 50),
    ]
    assert "248 new, 2 known before; 1 not sent" in said
