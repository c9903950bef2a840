# SPDX-License-Identifier: Apache-2.0
"""A run down to its rounds, functions and lines."""

from __future__ import annotations

from nalm_core.report.run_report import RunReport
from nalm_server_harness import Service
from nalm_server_reports import PACKETS, body_of, make_report, sha


def counted(source_text: object = None) -> RunReport:
    """nat_process costs 330 instructions before, 300 after, on line 41."""
    document = make_report(1).model_dump(mode="json", by_alias=True)
    for one in document["instructions"]:
        own = 330 if one["arm"] == "base" else 300
        where = {"file": "src/nat.c", "line": 40}
        one["functions"] = {
            "nat": [{"name": "nat_process", "instructions": own * PACKETS, "calls": PACKETS, **where}]
        }
        line = {"function": "nat_process", "stage": "nat", "file": "src/nat.c"}
        one["lines"] = [line | {"lines": {"41": own * PACKETS}}]
    return RunReport.model_validate(document | {"source_text": source_text})


def test_a_run_has_its_rounds_functions_and_lines(service: Service) -> None:
    report = counted()
    service.upload(body_of(report))
    found = service.get(f"/runs/{report.run_id}/code")
    assert (found["base_sha"], found["head_sha"]) == (sha(0), sha(1))
    [nat] = [one for one in found["functions"] if one["name"] == "nat_process"]
    assert (nat["base"]["ipp"], nat["head"]["ipp"]) == (330, 300)
    assert [(one["line"], one["ipp"]) for one in nat["head"]["lines"]] == [(41, 300)]
    compared = service.get("/projects/demo/compare", base=sha(0), head=sha(1))
    assert found["rounds"] == compared["rounds"] and found["rounds"]["head"]


def test_what_was_not_built_has_neither(service: Service) -> None:
    report = make_report(1, status="broken")
    service.upload(body_of(report))
    found = service.get(f"/runs/{report.run_id}/code")
    assert found["functions"] == [] and found["rounds"]["head"] == []


def test_a_function_of_a_run_has_its_text_beside_what_it_costs(service: Service) -> None:
    stretch = {"base": 41, "head": 41, "lines": ["find();"]}
    report = counted({"files": [{"file": "src/nat.c", "stretches": [stretch]}]})
    service.upload(body_of(report))
    nat = {"function": "nat_process", "stage": "nat"}
    found = service.get(f"/runs/{report.run_id}/source", **nat)
    assert found == service.get("/projects/demo/compare/source", base=sha(0), head=sha(1), **nat)
    [row] = found["files"][0]["rows"]
    sides = row["base"], row["head"]
    assert [(side["text"], side["ipp"]) for side in sides] == [("find();", 330), ("find();", 300)]


def test_text_that_was_kept_back_or_never_sent_says_so(service: Service) -> None:
    report = counted({"withheld": True})
    service.upload(body_of(report))
    withheld = service.get(f"/runs/{report.run_id}/source", function="nat_process", stage="nat")
    assert withheld["head_text"] == "withheld" and withheld["files"][0]["rows"] == []
    unknown = service.get(f"/runs/{report.run_id}/source", function="gone")
    assert unknown["files"] == []
