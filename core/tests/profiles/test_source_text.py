# SPDX-License-Identifier: Apache-2.0
"""What source text a report carries, and how both sides of a function are put beside each other from it."""

import json

import pytest
from nalm_core.profiles.function_costs import side_of
from nalm_core.profiles.source_view import FunctionSource, function_source
from nalm_core.report.run_report import Arm, RunReport
from nalm_core.report.serialization import ReportError, dump_report, parse_report
from nalm_core.report.source_text import (
    AROUND,
    MOST_BYTES,
    MOST_LINE_CHARACTERS,
    FileText,
    SourceText,
    Stretch,
    showable,
    source_lines,
)
from nalm_core_source import PLAIN, counted, with_text

FILE = "src/nat.c"
BASE = "".join(f"line {at};\n" for at in range(1, 101))
HEAD = BASE.replace("line 50;\n", "\tedited;\n\tadded;\n")
"""Line 50 became lines 50 and 51."""


def edited() -> RunReport:
    report = counted({"nat": {FILE: {48: 3, 50: 10}}}, {"nat": {FILE: {48: 3, 50: 12, 51: 5}}})
    return with_text(report, {FILE: BASE}, {FILE: HEAD})


def shown(before: RunReport, after: RunReport, name: str = "nat") -> FunctionSource:
    return function_source(side_of(before, Arm.BASE), side_of(after, Arm.HEAD), ("nat", name))


def test_lines_that_cost_something_are_kept_with_those_around_them_once_for_both_sides() -> None:
    report = edited()
    assert report.source_text is not None
    (file,) = report.source_text.files
    same, gone, new, after = file.stretches
    assert (same.base, same.head) == (48 - AROUND, 48 - AROUND)
    assert (gone.base, gone.head, gone.lines) == (50, None, ["line 50;"])
    assert (new.base, new.head, new.lines) == (None, 50, ["\tedited;", "\tadded;"])
    assert (after.base, after.head, len(after.lines)) == (51, 52, AROUND)
    assert report.source_text.of(Arm.HEAD_AS_BASE)[FILE][51] == "\tadded;"
    assert parse_report(dump_report(report)) == report


def test_a_report_with_more_text_than_agents_send_is_refused() -> None:
    stretch = Stretch(base=1, lines=["x" * (MOST_LINE_CHARACTERS - 1)])
    most = MOST_BYTES // MOST_LINE_CHARACTERS
    SourceText(files=[FileText(file=FILE, stretches=[stretch] * most)])
    with pytest.raises(ValueError, match=f"expected at most {MOST_BYTES}"):
        SourceText(files=[FileText(file=FILE, stretches=[stretch] * (most + 1))])


def test_a_report_without_text_keeps_its_bytes() -> None:
    assert "source_text" not in json.loads(dump_report(PLAIN))


def test_text_is_bounded_and_what_changed_most_goes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nalm_core.profiles.source_cut.MOST_BYTES", 200)
    costs = {"dear": {FILE: {10: 900}}, "changed": {FILE: {50: 10}}}
    report = counted(costs, costs | {"changed": {FILE: {50: 20}}})
    kept = with_text(report, {FILE: BASE}, {FILE: BASE}).source_text
    assert kept is not None
    assert [one.base for one in kept.files[0].stretches] == [50 - AROUND]


def test_lines_are_those_of_compilers_and_cannot_act_on_who_reads_them() -> None:
    assert source_lines("a\r\nb\fc\u2028d\n\ne") == ["a", "b\fc\u2028d", "", "e"]
    assert source_lines("") == []
    assert showable("\tif (a\u202e) \x1b[2J\x00") == "\tif (a\ufffd) \ufffd[2J\ufffd"
    assert len(showable("x" * 10_000)) == MOST_LINE_CHARACTERS
    stretch = Stretch(head=1, lines=["a\u202eb\u200f"])
    report = SourceText(files=[FileText(file=FILE, stretches=[stretch])])
    assert report.of(Arm.HEAD) == {FILE: {1: "a\ufffdb\ufffd"}}, "whoever wrote the report"


def test_an_edited_line_stands_beside_what_it_was() -> None:
    (file,) = shown(edited(), edited()).files
    rows = {(row.base.line if row.base else None, row.head.line if row.head else None) for row in file.rows}
    assert {(48, 48), (50, 50), (None, 51), (51, 52)} <= rows
    assert (file.base_ipp, file.head_ipp) == (13, 20)
    changed = next(row for row in file.rows if row.base and row.base.line == 50)
    assert changed.base and changed.head
    assert (changed.base.text, changed.base.ipp) == ("line 50;", 10)
    assert (changed.head.text, changed.head.ipp) == ("\tedited;", 12)


def test_two_reports_differ_where_their_text_does_not_where_one_kept_more_of_it() -> None:
    before = with_text(counted(*[{"nat": {FILE: {30: 5}}}] * 2), {FILE: BASE}, {FILE: BASE})
    after = with_text(counted(*[{"nat": {FILE: {32: 5}}}] * 2), {FILE: BASE}, {FILE: BASE})
    (file,) = shown(before, after).files
    assert file.rows
    assert all(row.base and row.head and row.base.text == row.head.text for row in file.rows)


def test_what_has_no_text_still_has_its_cost() -> None:
    costs = {"nat": {FILE: {5: 1}, "/usr/include/rte_hash.h": {7: 40}}}
    report = with_text(counted(costs, costs), {FILE: BASE}, {FILE: BASE})
    outside, own = shown(report, report).files
    assert (outside.file, outside.rows, outside.head_ipp) == ("/usr/include/rte_hash.h", [], 40)
    assert own.rows


def test_a_side_says_why_it_has_no_text() -> None:
    costs = {"nat": {FILE: {5: 1}}}
    silent = counted(costs, costs)
    withheld = silent.model_copy(update={"source_text": SourceText(withheld=True)})
    found = shown(silent, withheld)
    assert (found.base_text, found.head_text) == ("not_recorded", "withheld")
    assert found.files[0].rows == []
    assert shown(silent, withheld, "other").files == []


@pytest.mark.parametrize(
    "stretch", [{"lines": ["a"]}, {"base": 0, "lines": ["a"]}, {"base": 1, "lines": ["a" * 401]}]
)
def test_text_of_no_side_or_without_bounds_is_refused(stretch: dict[str, object]) -> None:
    document = json.loads(dump_report(PLAIN))
    document["source_text"] = {"files": [{"file": FILE, "stretches": [stretch]}]}
    with pytest.raises(ReportError, match="source_text"):
        parse_report(json.dumps(document))
