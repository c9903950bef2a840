# SPDX-License-Identifier: Apache-2.0
"""Two builds side by side, whatever their feature sets and however they are named."""

from __future__ import annotations

import pytest
from nalm_server.git.refs import repository as refs
from nalm_server_features import FEATURES, WITH_DPI, with_features
from nalm_server_harness import Service
from nalm_server_reports import COSTS, body_of, make_report, sha

COMPARE = "/projects/demo/compare"
PARTS = ("efficiency", "mix", "features", "model")


def adds_up(split: dict[str, float]) -> bool:
    total = sum(split[f"{part}_cycles"] for part in PARTS)
    return split["head_cycles"] - split["base_cycles"] == pytest.approx(total)


@pytest.mark.parametrize("slow", [0.0, 30.0])
def test_a_feature_merge_is_split_into_what_it_slowed_and_its_price(service: Service, slow: float) -> None:
    as_base = {**COSTS, "nat": COSTS["nat"] + slow}
    head = {**WITH_DPI, "nat": COSTS["nat"] + slow}
    report = with_features(
        1, base=(COSTS, FEATURES), head=(head, ["nat", "dpi", "l3fwd"]), head_as_base=as_base
    )
    taken = service.upload(body_of(report))
    assert taken["display"] == ("regressed" if slow else "feature")
    found = service.get(COMPARE, base=sha(0), head=sha(1))
    split = found["decomposition"]
    assert split["measured"] == "head_as_base" and adds_up(split)
    assert split["efficiency_cycles"] == pytest.approx(slow, abs=0.5)
    assert split["features_cycles"] == pytest.approx(400, abs=2)
    assert split["features_cycles"] == pytest.approx(found["verdict"]["price_cycles_per_packet"])
    of_run = found["verdict"]["feature_split"]
    (listed,) = service.get(f"/projects/demo/commits/{sha(1)}")["verdicts"]
    assert of_run["features_low"] < listed["price_cycles_per_packet"] < of_run["features_high"]
    assert (listed["price_low"], listed["price_high"]) == (of_run["features_low"], of_run["features_high"])


def test_two_runs_years_apart_are_split_by_their_stages(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    head = {**WITH_DPI, "nat": 180.0}
    features = ["nat", "dpi", "l3fwd"]
    service.upload(body_of(with_features(9, base=(WITH_DPI, features), head=(head, features))))
    split = service.get(COMPARE, base=sha(1), head=sha(9))["decomposition"]
    assert split["measured"] == "apart" and adds_up(split)
    assert split["efficiency_cycles"] == pytest.approx(30, abs=1)
    assert split["features_cycles"] == pytest.approx(400, abs=2)
    assert split["low"] < split["efficiency_ratio"] == pytest.approx(290 / 260, abs=0.01)
    assert [one["stage"] for one in split["stages"]] == ["rx", "nat", "dpi", "l3fwd", "tx"]


def test_hosts_that_cannot_be_compared_have_no_split(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(3, host_class="metal")))
    found = service.get(COMPARE, base=sha(1), head=sha(3))
    assert found["decomposition"] is None and "not compared" in found["notes"][0]


def test_tags_and_branches_are_names_of_commits(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(3, head_costs={"nat": 180.0})))
    with service.context.sessions() as session:
        refs.place_tag(session, 1, "v1.0", sha(1), service.clock())
        refs.place_branch(session, 1, "stable/1", sha(3), service.clock())
        refs.place_tag(session, 1, "gone", sha(3), service.clock())
        refs.delete(session, refs.find_tag(session, 1, "gone"), service.clock())
        session.commit()
    found = service.get(COMPARE, base="v1.0", head="stable/1")
    assert (found["base"]["sha"], found["head"]["sha"]) == (sha(1), sha(3))
    assert found["decomposition"]["efficiency_cycles"] == pytest.approx(30, abs=1)
    every = service.get(f"{COMPARE}/all", base="v1.0", head="stable/1")
    assert every["head"]["sha"] == sha(3)
    for name in ("gone", "v2.0"):
        error = service.get(COMPARE, 404, base="v1.0", head=name)["error"]
        assert (error["name"], f"is called '{name}'" in error["message"]) == ("not_found", True)


def test_a_pair_that_is_swapped_has_the_figures_of_the_run_that_measured_both(service: Service) -> None:
    """Also if each commit has a run of its own, whose rounds were minutes apart."""
    for number in (1, 2):
        service.upload(body_of(make_report(number, head_costs={"nat": 180.0} if number == 2 else {})))
    pair = service.get(COMPARE, base=sha(1), head=sha(2))
    turned = service.get(COMPARE, base=sha(2), head=sha(1))
    assert (turned["paired"], turned["verdict"], turned["run_ids"]) == (False, None, pair["run_ids"])
    chain, other = pair["chain"], turned["chain"]
    assert (other["base"], other["head"]) == (chain["head"], chain["base"])
    for name, its in {"ratio_cpp": "ratio_cpp", "low": "high", "high": "low"}.items():
        assert other[name] == pytest.approx(1 / chain[its])
    assert turned["rounds"] == {
        "base": pair["rounds"]["head"],
        "head": pair["rounds"]["base"],
        "head_as_base": [],
    }
    split = turned["decomposition"]
    assert adds_up(split) and split["efficiency_cycles"] == pytest.approx(-30, abs=1)
    assert turned["host"] == pair["host"] and "inverted" in turned["notes"][0]


def test_a_feature_merge_that_is_swapped_is_of_the_one_run_that_measured_both(service: Service) -> None:
    """The verdict's figures leave the feature out, so they are not inverted."""
    report = with_features(
        1, base=(COSTS, FEATURES), head=(WITH_DPI, ["nat", "dpi", "l3fwd"]), head_as_base=COSTS
    )
    service.upload(body_of(report))
    turned = service.get(COMPARE, base=sha(1), head=sha(0))
    assert (turned["paired"], turned["verdict"], turned["run_ids"]) == (False, None, [report.run_id])
    assert turned["chain"]["ratio_cpp"] < 0.5
