# SPDX-License-Identifier: Apache-2.0
"""Results of other tools: read with their own figures, stored once, shown without a verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from nalm_server_harness import Service
from nalm_server_reports import body_of, make_report, sha

VPP = (Path(__file__).parents[1] / "fixtures/vpp_show_runtime.txt").read_text()
BENCHMARK = {
    "context": {"date": "2026-11-20T12:00:00+00:00", "host_name": "bench-9"},
    "benchmarks": [
        {"name": "lookup/64", "run_type": "iteration", "cpu_time": 10.0, "items_per_second": 4e6, "ipp": 31},
        {"name": "lookup/64", "run_type": "iteration", "cpu_time": 12.0, "items_per_second": 6e6, "ipp": 31},
        {"name": "lookup/64_mean", "run_name": "lookup/64", "run_type": "aggregate", "items_per_second": 5e6},
    ],
}
CSIT = {
    "version": "1.4.0",
    "test_id": "vpp.perf.ip4.2n1l-10ge2p1x710-ethip4-ip4base-mrr.64b-2t1c-ethip4-ip4base-mrr",
    "passed": True,
    "dut_type": "VPP",
    "dut_version": "24.02-rc0~123-gabcdef012~b99",
    "start_time": "2026-11-20T12:00:00Z",
    "hosts": ["10.30.51.1"],
    "result": {
        "type": "mrr",
        "receive_rate": {"rate": {"avg": 5e6, "stdev": 1, "unit": "pps", "values": [4e6, 6e6]}},
    },
}
NDRPDR = {
    "type": "ndrpdr",
    **{
        kind: {
            "lower": {"rate": {"value": low, "unit": "pps"}},
            "upper": {"rate": {"value": high, "unit": "pps"}},
        }
        for kind, low, high in (("ndr", 3e6, 3.1e6), ("pdr", 4e6, 4.1e6))
    },
}
CSV = "commit,scenario,time,stage,metric,value,low,high,unit\n"
ROW = f"{sha(1)},sfc_a,2026-11-20T12:00:00Z,nat,cpp,150,149,151,cycles/packet\n"


def imported(
    service: Service, form: str, text: str, status: int = 201, token: str = "admin", **given: Any
) -> Any:
    headers = {"Authorization": f"Bearer {service.tokens[token]}"} if token else {}
    answer = service.client.post(
        "/api/v1/projects/demo/imports", content=text, params={"format": form, **given}, headers=headers
    )
    assert answer.status_code == status, answer.text
    return answer.json()


def values(service: Service, scenario: str, metric: str) -> dict[str, Any]:
    (point,) = service.get(f"/projects/demo/scenarios/{scenario}/history", metric=metric)["imported"]
    return dict(point["values"])


def test_vpp_runtime_of_two_threads_adds_up(service: Service) -> None:
    given = {"commit": sha(1), "scenario": "vpp", "time": "2026-11-20T12:00:00Z"}
    taken = imported(service, "vpp-runtime", VPP, **given)
    assert taken["new"]
    cpp = values(service, "vpp", "cpp")
    # 20 million packets in all; cycles: 10^7 * (100 + 50 + 70) + 9 * 10^6 * 20
    assert {stage: one["value"] for stage, one in cpp.items()} == pytest.approx(
        {"chain": 119.0, "acl-plugin-in-ip4-fa": 50.0, "dpdk-input": 60.0, "ip4-lookup": 9.0}
    )
    assert values(service, "vpp", "visit_rate")["ip4-lookup"]["value"] == pytest.approx(0.45)
    assert values(service, "vpp", "cycles_per_visit")["dpdk-input"]["value"] == pytest.approx(60)
    assert {one["source"] for one in cpp.values()} == {"imported:vpp-runtime"}


def test_google_benchmark_with_its_repetitions_as_launches(service: Service) -> None:
    given = {"commit": sha(1), "metric": "cpu_time=cycles_per_visit*2.0"}
    imported(service, "google-benchmark", json.dumps(BENCHMARK), **given)
    assert values(service, "google-benchmark", "pps")["lookup-64"]["value"] == 5e6
    assert values(service, "google-benchmark", "cycles_per_visit")["lookup-64"]["value"] == pytest.approx(
        22.0
    )
    assert values(service, "google-benchmark", "ipp")["lookup-64"]["value"] == 31


def test_csit_finds_its_commit_and_keeps_ndr_and_pdr_apart(service: Service) -> None:
    service.upload(body_of(make_report(1, head="abcdef012" + "0" * 31)))
    other = {**CSIT, "test_id": CSIT["test_id"].replace("mrr", "ndrpdr"), "result": NDRPDR}  # type: ignore[attr-defined]
    failed = {**CSIT, "passed": False}
    assert imported(service, "csit", json.dumps([CSIT, other, failed]))["runs"] == 3
    assert values(service, "2n1l-10ge2p1x710-64b-2t1c-ethip4-ip4base-mrr", "pps")["chain"]["value"] == 5e6
    ndr = values(service, "2n1l-10ge2p1x710-64b-2t1c-ethip4-ip4base-ndrpdr-ndr", "pps")["chain"]
    assert (ndr["value"], ndr["low"], ndr["high"]) == (3e6, 3e6, 3.1e6)


def test_what_was_exported_can_be_imported(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    text = service.client.get("/api/v1/projects/demo/export").text
    taken = imported(service, "csv", text)
    rows = service.client.get("/api/v1/projects/demo/export", params={"format": "json"}).json()
    own = {(one["stage"], one["metric"]): one["value"] for one in rows if one["source"] != "imported:csv"}
    theirs = {(one["stage"], one["metric"]): one["value"] for one in rows if one["source"] == "imported:csv"}
    assert theirs == own
    assert taken["values"] == len(own)


def test_imported_figures_get_no_verdict_and_mix_with_nothing(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    before = service.get("/projects/demo/scenarios/sfc_a/history")
    project, commits = service.get("/projects/demo"), service.get("/projects/demo/commits")
    taken = imported(service, "csv", CSV + ROW)
    assert "no verdict" in taken["note"]
    after = service.get("/projects/demo/scenarios/sfc_a/history")
    assert {**after, "imported": []} == before
    assert len(after["imported"]) == 1
    assert service.get("/projects/demo/commits") == commits
    assert service.get("/projects/demo")["last_verdict"] == project["last_verdict"]


def test_again_changes_nothing(service: Service) -> None:
    first = imported(service, "csv", CSV + ROW)
    assert imported(service, "csv", CSV + ROW, 200) == {**first, "new": False}
    assert len(service.get("/projects/demo/scenarios/sfc_a/history")["imported"]) == 1


def test_only_a_maintainer_may(service: Service) -> None:
    imported(service, "csv", CSV + ROW, 401, token="")
    imported(service, "csv", CSV + ROW, 403, token="upload")


@pytest.mark.parametrize(
    ("form", "text", "expected"),
    [
        ("csv", "commit,value\n", "line 1: the header has no column 'metric'"),
        ("csv", CSV.replace("unit", "colour"), "line 1, column 9: unknown column 'colour'"),
        ("csv", CSV + ROW.replace("150", "fast"), "line 2, column 6: value should be a number, found 'fast'"),
        (
            "csv",
            CSV + ROW + ROW.replace("cpp", "mpps"),
            "line 3, column 5: 'mpps' is not a metric of the catalogue",
        ),
        (
            "csv",
            CSV + ROW.replace("cycles/packet", "ns"),
            "line 2, column 9: cpp is in cycles/packet, not in ns",
        ),
        ("csv", CSV + "a,b\n", "line 2: the line has 2 cells, the header 9"),
        ("csv", CSV + ROW.replace("00Z", "00"), "line 2, column 3: time should be a time with its zone"),
        ("csv", CSV + ROW + ROW, "cpp of stage nat occurs twice"),
        ("csv", CSV + ROW.replace(sha(1), "1234567"), "No push or report has named a commit 1234567"),
        ("csv", CSV + ROW.replace("150", "inf"), "value should be a number"),
        ("google-benchmark", '{"benchmarks": [', "line 1, column 17: not JSON"),
        ("google-benchmark", "[]", "expected an object with `benchmarks`"),
        ("google-benchmark", '{"benchmarks": [{"name": "a", "cpu_time": 1}]}', "the file has no time"),
        ("csit", "{}", "[0]: expected a test case of CSIT"),
        ("csit", json.dumps({**CSIT, "passed": False}), "no test passed"),
        ("csit", json.dumps({**CSIT, "hosts": {"a": "b"}}), "[0].hosts: expected a list of names"),
        ("vpp-runtime", VPP.replace("1.00e2 ", "much "), "line 5, column 101: Clocks should be a number"),
        ("vpp-runtime", "nothing", "is this the output of `show runtime`"),
    ],
)
def test_mistakes_are_named_with_their_place(service: Service, form: str, text: str, expected: str) -> None:
    given = (
        {"scenario": "vpp", "commit": sha(1), "time": "2026-11-20T12:00:00Z"} if form == "vpp-runtime" else {}
    )
    assert expected in imported(service, form, text, 422, **given)["error"]["message"]
    assert service.get("/projects/demo/scenarios") == []
