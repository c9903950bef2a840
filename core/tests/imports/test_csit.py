# SPDX-License-Identifier: Apache-2.0
"""CSIT's test cases: names that keep network cards apart, and documents of another shape."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nalm_core.imports.csit import read
from nalm_core.imports.figures import Given, ImportFailedError

SUITE = "tests.vpp.perf.ip4.{card}-avf-ethip4-ip4base-mrr.64b-2t1c-avf-ethip4-ip4base-mrr"


def case(card: str = "2n1l-10ge2p1x710", rate: Any = 10e6, **changed: Any) -> dict[str, Any]:
    return {
        "test_id": SUITE.format(card=card),
        "passed": True,
        "dut_version": "24.02-rc0~1-gabcdef012",
        "start_time": "2026-01-01T00:00:00Z",
        "result": {"type": "mrr", "receive_rate": {"rate": {"unit": "pps", "values": rate}}},
        **changed,
    }


def scenarios(*cases: dict[str, Any]) -> list[str]:
    return [one.scenario for one in read(json.dumps(cases), Given())]


def test_network_cards_are_scenarios_of_their_own() -> None:
    cards = ["2n1l-10ge2p1x710", "2n1l-100ge2p1e810cq", "3n-25ge2p1xxv710", "10ge2p1x520"]
    own = "64b-2t1c-avf-ethip4-ip4base-mrr"
    assert scenarios(*(case(card, [10e6]) for card in cards)) == [f"{card}-{own}" for card in cards]


def test_a_test_without_a_card_has_its_own_name() -> None:
    assert scenarios(case("memif-2p1", [1e6])) == ["64b-2t1c-avf-ethip4-ip4base-mrr"]
    assert scenarios(case(rate=[1e6], test_id="ip4base-mrr")) == ["ip4base-mrr"]


def test_long_names_stay_apart_when_they_are_cut() -> None:
    long = "vpp.2n1l-100ge2p1e810cq-x.1518b-24t12c-avf-ethip4udpgeneve-ip4base-policy-outbound-{}-ndrpdr"
    bound = {"rate": {"value": 3e6, "unit": "pps"}}
    result = {"type": "ndrpdr", **{kind: {"lower": bound, "upper": bound} for kind in ("ndr", "pdr")}}
    names = scenarios(*(case(test_id=long.format(end), result=result) for end in ("aes", "nat")))
    assert len(set(names)) == 4 and max(map(len, names)) <= 64
    assert [name.rpartition("-")[2] for name in names] == ["ndr", "pdr"] * 2


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"hosts": {"a": "b"}}, "hosts: expected a list of names"),
        ({"hosts": [5]}, "hosts: expected a list of names"),
        ({"rate": 5}, "rate.values: expected a list of numbers"),
        ({"rate": {"x": 1}}, "rate.values: expected a list of numbers"),
        ({"rate": [1e308] * 3}, "pps of chain is too large"),
        ({"passed": "no"}, "passed should be true or false"),
        ({"test_id": 5}, "with `test_id` and `result`"),
        ({"test_id": "a.."}, "cannot be the name"),
    ],
)
@pytest.mark.filterwarnings("ignore:overflow", "ignore:invalid value")
def test_another_shape_is_a_mistake_with_its_place(changed: dict[str, Any], said: str) -> None:
    with pytest.raises(ImportFailedError) as caught:
        read(json.dumps(case(**{"rate": [1e6], **changed})), Given())
    assert said in str(caught.value)


def test_a_host_is_the_first_of_its_list() -> None:
    (run,) = read(json.dumps(case(rate=[1e6], hosts=["10.30.51.1", "10.30.51.2"])), Given())
    assert run.host == "10.30.51.1"
    assert read(json.dumps(case(rate=[1e6], hosts=[])), Given())[0].host is None
