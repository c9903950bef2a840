# SPDX-License-Identifier: Apache-2.0
"""Linked histories: comparisons are stored with their runs, and figures are on one scale."""

from __future__ import annotations

from io import BytesIO
from typing import Any

import numpy as np
import pytest
from nalm_server.changepoints import tasks
from nalm_server.results.links import graph, known_levels, other_levels, repository
from nalm_server.results.links.linked import solutions
from nalm_server.results.links.models import FunctionLinkRow, LinkLevelsRow, LinkValueRow
from nalm_server.results.models import RunRow
from nalm_server.results.series.models import ScenarioRow
from nalm_server_features import FEATURES, WITH_DPI, with_features
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha
from sqlalchemy import func, select, update

HISTORY = "/projects/demo/scenarios/sfc_a/history"
LINES = "/projects/demo/lines"
WITHOUT_DPI = {stage: cost for stage, cost in WITH_DPI.items() if stage != "dpi"}
SLOW = {stage: cost * 1.2 for stage, cost in COSTS.items()}


def values(history: dict[str, Any], stage: str = "chain", of: str = "values") -> list[float]:
    return [point[of][stage]["value"] for point in history["points"]]


def upload_line(service: Service, last: int, slow_from: int) -> None:
    """Commit 3 costs 30 cycles more in nat; from `slow_from` on the host is 20 % slower."""
    for number in range(1, last + 1):
        host = SLOW if number >= slow_from else COSTS
        base = {**host, "nat": host["nat"] * (1.2 if number > 3 else 1.0)}
        head = {"nat": base["nat"] * 1.2} if number == 3 else {}
        service.upload(body_of(make_report(number, base_costs=base, head_costs=head)))


def test_a_slower_host_is_no_step_of_the_history_but_a_commit_is(service: Service) -> None:
    upload_line(service, 8, slow_from=6)
    history = service.get(HISTORY, metric="cpp")
    assert history["linked"] == ["chain", "l3fwd", "nat", "rx", "tx"]
    nat, measured = values(history, "nat"), values(history, "nat", "measured")
    for number in range(1, 8):
        step = nat[number] / nat[number - 1]
        assert step == pytest.approx(1.2 if number == 2 else 1.0, abs=0.002)
    assert measured[5] / measured[4] == pytest.approx(1.2, abs=0.01)
    assert min(measured) <= nat[-1] <= max(measured)
    as_measured = service.get(HISTORY, metric="cpp", values="measured")
    assert values(as_measured, "nat") == measured
    assert as_measured["linked"] == []


def test_a_restarted_server_begins_with_the_stored_levels(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_levels, "STORE_FROM", 1)
    upload_line(service, 7, slow_from=6)
    tasks.drain(service.context)
    before = levels_of(service)
    graph._kept.clear()
    monkeypatch.setattr(known_levels, "solve", refused)
    assert levels_of(service) == before
    graph._kept.clear()
    service.upload(body_of(make_report(8, base_costs=SLOW)))
    after = levels_of(service)
    assert len(after) == len(before) + 1
    for name, level in before.items():
        assert after[name] - after[sha(7)] == pytest.approx(level - before[sha(7)], abs=1e-9)


@pytest.mark.nightly
def test_levels_of_metrics_that_nobody_searches_are_stored_too(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("STORE_FROM", "STORE_EVERY"):
        monkeypatch.setattr(known_levels, name, 1)
    monkeypatch.setattr(other_levels, "MOST_SECONDS", 0.0)
    upload_line(service, 7, slow_from=6)
    with service.context.read_sessions() as session:
        (scenario,) = session.scalars(select(ScenarioRow.id))
        every = {(metric, stage) for metric, stage in repository.linked_series(session, scenario, "vm-2")}
    others = {one for one in every if one[0] != "cpp"}
    assert {metric for metric, _ in others} >= {"eipc", "ipp"}
    tasks.drain(service.context)
    assert len(stored(service) - {("cpp", stage) for _, stage in every}) == 1, "a little at a time"
    for _ in others:
        other_levels.store(service.context, scenario, "vm-2", "cpp")
    assert stored(service) == every
    before = service.get(HISTORY, metric="eipc")
    assert "chain" in before["linked"]
    graph._kept.clear()
    monkeypatch.setattr(known_levels, "solve", refused)
    assert service.get(HISTORY, metric="eipc") == before


def stored(service: Service) -> set[tuple[str, str]]:
    """(metric, stage) of stored levels."""
    with service.context.read_sessions() as session:
        found = session.execute(select(LinkLevelsRow.metric, LinkLevelsRow.stage))
        return {(metric, stage) for metric, stage in found}


@pytest.mark.nightly
def test_stored_levels_of_other_links_are_not_taken(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(known_levels, "STORE_FROM", 1)
    upload_line(service, 7, slow_from=6)
    tasks.drain(service.context)
    before = levels_of(service)
    graph._kept.clear()
    with service.context.sessions() as session:
        session.execute(update(LinkValueRow).values(ln_ratio=LinkValueRow.ln_ratio + 0.01))
        session.commit()
    after = levels_of(service)
    assert after[sha(1)] == pytest.approx(before[sha(1)] - 6 * 0.01, abs=1e-6)


@pytest.mark.nightly
def test_stored_levels_without_a_form_are_solved_again(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before forms, links that join parts of a history could lose levels."""
    monkeypatch.setattr(known_levels, "STORE_FROM", 1)
    upload_line(service, 7, slow_from=6)
    tasks.drain(service.context)
    before = levels_of(service)
    with service.context.sessions() as session:
        for row in session.scalars(select(LinkLevelsRow)):
            with np.load(BytesIO(row.content)) as content:
                arrays = {name: content[name] for name in content.files if name != "form"}
            arrays["level"] = np.where(arrays["level"] == 0, 0, np.nan)
            stored = BytesIO()
            np.savez(stored, **arrays)
            row.content = stored.getvalue()
        session.commit()
    graph._kept.clear()
    assert levels_of(service) == pytest.approx(before, abs=1e-12)


def levels_of(service: Service) -> dict[str, float]:
    """ln of the chain's cycles of each commit relative to the newest one."""
    with service.context.read_sessions() as session:
        (scenario,) = session.scalars(select(ScenarioRow))
        host_class = session.scalars(select(RunRow.host_class)).first()
        assert host_class is not None
        (one,) = solutions(session, scenario.id, host_class, "cpp", stages=["chain"])
        return {name: level[0] for name, _ in one.graph.nodes if (level := one.level(name)) is not None}


def refused(*_: object, **__: object) -> None:
    raise AssertionError("a stored solution was there")


def test_lines_have_both_in_columns(service: Service) -> None:
    upload_line(service, 4, slow_from=9)
    (line,) = service.get(LINES, scenario="sfc_a", metric="cpp", stage="chain")["lines"]
    (chain,) = line["stages"]
    assert chain["linked"] is True
    assert len(chain["measured"]) == len(chain["value"]) == 4
    assert all(
        low <= one <= high for low, one, high in zip(chain["low"], chain["value"], chain["high"], strict=True)
    )
    assert chain["same_features"] is None


def test_another_host_is_a_step_of_the_environment_with_its_size(service: Service) -> None:
    for number in range(1, 7):
        report = make_report(number, base_costs=SLOW if number > 3 else COSTS)
        if number > 3:
            report = report.model_copy(update={"host": report.host.model_copy(update={"name": "bench-2"})})
        service.upload(body_of(report))
    history = service.get(HISTORY, metric="cpp", stage="chain")
    (step,) = history["environments"]
    assert (step["sha"], step["stage"]) == (sha(4), "chain")
    assert step["ratio"] == pytest.approx(1.2, abs=0.01)
    assert step["changes"] == [{"field": "name", "base": "bench-vm-2", "head": "bench-2"}]
    chain = values(history)
    assert max(chain) / min(chain) == pytest.approx(1, abs=0.002)


def test_commits_that_never_ran_side_by_side_are_compared_by_what_links_them(service: Service) -> None:
    upload_line(service, 8, slow_from=6)
    found = service.get("/projects/demo/compare", base=sha(1), head=sha(8), scenario="sfc_a")
    assert found["paired"] is False
    change = {one["stage"]: one for one in found["linked"]}
    assert found["linked"][0]["stage"] == "chain"
    assert change["nat"]["ratio"] == pytest.approx(1.2, abs=0.002)
    assert change["nat"]["low"] <= change["nat"]["ratio"] <= change["nat"]["high"]
    assert change["l3fwd"]["ratio"] == pytest.approx(1, abs=0.002)


def test_a_feature_enters_with_its_price(service: Service) -> None:
    """As shipped the chain costs 400 cycles more from the merge on; with the same features it costs 10."""
    plain, slower = WITHOUT_DPI, {**WITHOUT_DPI, "nat": WITHOUT_DPI["nat"] + 10}
    both = {**WITH_DPI, "nat": slower["nat"]}
    features = (*FEATURES, "dpi")
    service.upload(body_of(with_features(1, base=(plain, FEATURES), head=(plain, FEATURES))))
    merge = with_features(2, base=(plain, FEATURES), head=(both, features), head_as_base=slower)
    service.upload(body_of(merge))
    service.upload(body_of(with_features(3, base=(both, features), head=(both, features))))
    (line,) = service.get(LINES, scenario="sfc_a", metric="cpp", stage="chain")["lines"]
    (chain,) = line["stages"]
    cost = sum(plain.values())
    shipped, same = chain["value"], chain["same_features"]
    assert shipped[1] / shipped[0] == pytest.approx((cost + 410) / cost, rel=0.005)
    assert same[1] / same[0] == pytest.approx((cost + 10) / cost, rel=0.005)
    assert (shipped[2] / shipped[1], same[2] / same[1]) == pytest.approx((1, 1), abs=0.005)
    assert same[0] == shipped[0]


@pytest.mark.dialects
def test_a_commit_with_equal_code_has_the_level_of_its_base(service: Service) -> None:
    upload_line(service, 2, slow_from=99)
    service.upload(body_of(make_report(3, status="unchanged")))
    service.upload(body_of(make_report(4)))
    points = service.get(HISTORY, metric="cpp", stage="chain")["points"]
    assert points[2]["measured"]["chain"] is None
    assert points[2]["values"]["chain"]["value"] == pytest.approx(
        points[1]["values"]["chain"]["value"], rel=1e-6
    )


def test_a_break_in_the_line_is_bridged_by_the_host_that_measured_both_sides(service: Service) -> None:
    upload_line(service, 2, slow_from=99)
    for number in (4, 5):
        service.upload(body_of(make_report(number)))  # no run compares 3 with 2
    chain = values(service.get(HISTORY, metric="cpp"))
    assert len(chain) == 4
    assert max(chain) / min(chain) == pytest.approx(1, abs=0.03)


@pytest.mark.dialects
def test_functions_are_linked_and_exact_counts_stay_as_counted(service: Service) -> None:
    functions = {"nat": {"flow_find": 200}}
    for number in (1, 2):
        service.upload(body_of(make_report(number, functions=functions)))
    with service.context.read_sessions() as session:
        assert session.scalar(select(func.count()).select_from(FunctionLinkRow)) == 2
        (found,) = solutions(session, 1, "vm-2", "ipp", stages=[], functions=[("nat", "flow_find")])
        assert found.between(sha(1), sha(2)) == pytest.approx((0, 1e-5), abs=1e-6)
    history = service.get(HISTORY, metric="ipp", function="nat>flow_find")
    assert history["linked"] == []
    assert values(history, "nat>flow_find") == [200, 200]


@pytest.mark.dialects
def test_a_removed_run_takes_its_comparisons_with_it(service: Service) -> None:
    upload_line(service, 3, slow_from=99)
    before = values(service.get(HISTORY, metric="cpp"), "nat")
    with service.context.sessions() as session:
        assert session.scalar(select(func.count()).select_from(LinkValueRow)) > 10
        session.delete(session.scalars(select(RunRow).where(RunRow.head_sha == sha(3))).one())
        session.commit()
    assert len(values(service.get(HISTORY, metric="cpp"), "nat")) == len(before) - 1
