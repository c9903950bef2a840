# SPDX-License-Identifier: Apache-2.0
"""What features cost, since when they are dearer, and where."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.git.refs import repository as refs
from nalm_server.results.cost_models import fits
from nalm_server.results.cost_models.fits import Origin
from nalm_server.results.models import RunRow
from nalm_server_features import FEATURES, WITH_DPI, fitted, with_features
from nalm_server_harness import Service
from nalm_server_reports import COSTS, TSC_HZ, body_of, make_report, sha
from sqlalchemy import update

DPI = ["nat", "dpi", "l3fwd"]
SLOW = {**WITH_DPI, "nat": 180.0}


@pytest.fixture
def history(service: Service) -> Service:
    """1: the reference; 2: dpi comes; 3: nat gets slower."""
    service.upload(body_of(make_report(1)))
    merge = with_features(2, base=(COSTS, FEATURES), head=(WITH_DPI, DPI), head_as_base=COSTS)
    service.upload(body_of(merge))
    service.upload(body_of(with_features(3, base=(WITH_DPI, DPI), head=(SLOW, DPI))))
    service.request("PATCH", "/projects/demo", "admin", json={"reference": sha(1)})
    return service


def priced(service: Service, feature: str, source: str) -> dict[str, Any]:
    found = service.get("/projects/demo/features")["features"]
    (line,) = [one for one in found if (one["feature"], one["source"]) == (feature, source)]
    return dict(line)


def test_a_stage_that_is_a_feature_has_its_price_at_every_commit(history: Service) -> None:
    nat = priced(history, "nat", "stage")
    assert nat["now"]["commit"]["sha"] == sha(3)
    assert nat["now"]["cycles"] == pytest.approx(180, abs=1)
    cpp = sum(SLOW.values())
    lost = TSC_HZ / cpp - TSC_HZ / (cpp - 180)
    assert nat["now"]["pps"] == pytest.approx(lost, rel=0.03)
    change = nat["since_reference"]
    assert change["since"]["sha"] == sha(1) and change["stage"] == "nat"
    assert (change["change_cycles"], change["ratio"]) == (
        pytest.approx(30, abs=1),
        pytest.approx(1.2, abs=0.01),
    )
    (grown,) = nat["grown_by"]
    assert (grown["commit"]["sha"], grown["stage"], grown["function"]) == (sha(3), "nat", None)
    shown = history.get("/projects/demo/features/nat/history")["lines"]
    assert [point["commit"]["sha"] for point in shown[0]["points"]] == [sha(1), sha(2), sha(3)]
    assert shown[0]["series_id"] == nat["series_id"]


def test_a_regression_that_was_measured_twice_increased_the_price_once(history: Service) -> None:
    first = with_features(3, base=(WITH_DPI, DPI), head=(SLOW, DPI))
    again = first.model_copy(update={"run_id": f"{13:032x}"})
    history.upload(body_of(again))
    (grown,) = priced(history, "nat", "stage")["grown_by"]
    assert (grown["commit"]["sha"], grown["run_id"]) == (sha(3), again.run_id)


def test_a_merge_tells_what_its_feature_costs(history: Service) -> None:
    dpi = priced(history, "dpi", "merge")
    assert dpi["now"]["cycles"] == pytest.approx(400, abs=2) and dpi["now"]["commit"]["sha"] == sha(2)
    assert dpi["now"]["pps"] == pytest.approx(TSC_HZ / 660 - TSC_HZ / 260, rel=0.03)
    assert 390 < dpi["now"]["low"] < dpi["now"]["cycles"] < dpi["now"]["high"] < 410
    assert dpi["since_reference"] is None and dpi["grown_by"] == []
    assert priced(history, "dpi", "stage")["now"]["cycles"] == pytest.approx(400, abs=2)


def test_since_the_last_release(history: Service) -> None:
    with history.context.sessions() as session:
        refs.place_tag(session, 1, "v1", sha(1), history.clock())
        refs.place_tag(session, 1, "v2", sha(2), history.clock())
        session.commit()
    assert history.get("/projects/demo/features")["release"]["name"] == "v2"
    change = priced(history, "nat", "stage")["since_release"]
    assert change["since"]["sha"] == sha(2) and change["change_cycles"] == pytest.approx(30, abs=1)


def test_experiments_tell_it_with_an_interval(history: Service) -> None:
    later = fitted()
    slower = later.prices[0].model_copy(
        update={"cycles": 180.0, "low": 177.0, "high": 183.0, "stages": {"nat": 175.0, "tx": 5.0}}
    )
    with history.context.sessions() as session:
        fits.keep(session, Origin(1, sha(1), "vm-2"), later, history.clock())
        moved = later.model_copy(update={"prices": [slower]})
        fits.keep(session, Origin(1, sha(3), "vm-2"), moved, history.clock())
        session.commit()
    nat = priced(history, "nat", "experiment")
    assert (nat["now"]["cycles"], nat["now"]["low"], nat["now"]["high"]) == (180, 177, 183)
    change = nat["since_reference"]
    assert (change["change_cycles"], change["apart"], change["stage"]) == (30, True, "nat")


def test_two_features_at_once_have_no_price_of_their_own(service: Service) -> None:
    both = {**WITH_DPI, "acl": 50.0}
    merge = with_features(2, base=(COSTS, FEATURES), head=(both, [*DPI, "acl"]), head_as_base=COSTS)
    service.upload(body_of(merge))
    sources = {one["source"] for one in service.get("/projects/demo/features")["features"]}
    assert sources == {"stage"}


def test_a_feature_nothing_tells_of_is_not_found(history: Service) -> None:
    error = history.get("/projects/demo/features/ipsec/history", 404)["error"]
    assert "The cost of 'ipsec' in project 'demo' is unknown" in error["message"]


@pytest.mark.dialects
def test_only_the_comparison_with_the_commit_before_says_what_a_commit_made_costlier(
    history: Service,
) -> None:
    slow = {**SLOW, "nat": 200.0}
    far = with_features(4, base=(WITH_DPI, DPI), head=(slow, DPI), base_number=2)
    history.upload(body_of(with_features(4, base=(SLOW, DPI), head=(slow, DPI))))
    history.upload(body_of(far.model_copy(update={"run_id": f"{14:032x}"})))
    with history.context.sessions() as session:
        of_a_link = update(RunRow).where(RunRow.run_id == f"{3:032x}").values(beside=True)
        session.execute(of_a_link)
        session.commit()
    (grown,) = priced(history, "nat", "stage")["grown_by"]
    assert (grown["commit"]["sha"], grown["run_id"]) == (sha(4), f"{4:032x}")
