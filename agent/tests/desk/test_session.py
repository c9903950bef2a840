# SPDX-License-Identifier: Apache-2.0
"""The trend that `nalm watch` draws, from judged reports."""

from __future__ import annotations

from functools import partial

from nalm_agent.desk.session import WatchSession
from nalm_agent.report.result import Result, judged
from nalm_agent.report.sparkline import sparkline
from nalm_core.report.run_report import RunReport
from nalm_server_reports import make_report


def session_of(*reports: RunReport) -> WatchSession:
    made = WatchSession()
    for report in reports:
        made.add(Result("title", report, judged(report)))
    return made


def test_a_sparkline_has_no_change_in_the_middle_and_gaps() -> None:
    drawn = partial(sparkline, encoding="ascii", around_zero_within=0.01)
    assert drawn([0.0, None, 0.2, -0.2, 0.1]) == "4.705"
    assert drawn([0.001, -0.001]) == "43"
    assert drawn([]) == ""


def test_the_trend_has_a_line_per_stage() -> None:
    slower = {"head_costs": {"nat": 180.0}, "head_ipps": {"nat": 400}}
    made = session_of(make_report(1), make_report(2, **slower), make_report(3, status="unchanged"))
    title, *stages = made.trend()
    assert title.startswith("sfc_a:") and "instructions" in title
    assert [line.split()[0] for line in stages] == ["rx", "nat", "l3fwd", "tx", "chain"]
    assert all(line.count("+0.00 %") == 2 for line in stages)  # the last is the base's code
    assert made.summary() == "3 judged: 2 same, 1 regressed"
    made.add(Result("title", make_report(4, status="failed"), judged(make_report(4, status="failed"))))
    (nat,) = [line for line in made.trend() if "nat" in line]
    assert nat.endswith("-") and ". " in nat


def test_one_judgement_is_no_trend() -> None:
    assert session_of(make_report(1)).trend() == []
    assert WatchSession().summary() == "0 judged"
