# SPDX-License-Identifier: Apache-2.0
"""What can be compared: scenarios and hosts of one commit, what there is of each, code of both sides."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_core.report.run_report import RunReport
from nalm_core.report.source_text import FileText, SourceText, Stretch
from nalm_server.git.refs import repository as refs
from nalm_server.notify.forges.source_link import source_link
from nalm_server.notify.integrations.models import IntegrationRow
from nalm_server_harness import Service
from nalm_server_reports import COSTS, PACKETS, body_of, make_report, sha

COMPARE = "/projects/demo/compare"


def in_model(number: int, scenario: str, model: str, **given: Any) -> RunReport:
    """Of commit 1, in a scenario of its own."""
    report = make_report(number, head=1, base=0, scenario=scenario, **given)
    made = report.scenario.model_copy(update={"model": model})
    return report.model_copy(update={"scenario": made})


def on_host(report: RunReport, name: str) -> RunReport:
    return report.model_copy(update={"host": report.host.model_copy(update={"name": name})})


def counted(number: int, head_nat: int) -> RunReport:
    """With instructions of nat's functions; `nat_new` came with head."""
    document = make_report(number).model_dump(mode="json", by_alias=True)
    for one in document["instructions"]:
        mine = head_nat if one["arm"] == "head" else 200
        one["functions"] = {"nat": [function("nat_lookup", mine, "src/nat.c", 40)]}
        one["calls"] = [{"name": "nat_lookup", "stage": "nat", "own": mine * PACKETS}]
        line = {
            "function": "nat_lookup",
            "stage": "nat",
            "file": "src/nat.c",
            "lines": {"41": mine * PACKETS},
        }
        one["lines"] = [line]
        if one["arm"] == "head":
            one["functions"]["nat"].append(function("nat_new", 10, None, None))
    document["profiles"] = [sampled("base", 100), sampled("head", 160)]
    return RunReport.model_validate(document)


def function(name: str, ipp: int, file: str | None, line: int | None) -> dict[str, Any]:
    return {"name": name, "instructions": ipp * PACKETS, "calls": PACKETS, "file": file, "line": line}


def sampled(arm: str, nat: int) -> dict[str, Any]:
    lines = [{"file": "src/nat.c", "line": 41, "samples": nat // 2}]
    one = {"name": "nat_lookup", "object": "nf", "samples": nat, "stage": "nat", "lines": lines}
    return {
        "arm": arm,
        "event": "cycles",
        "frequency_hz": 999,
        "samples": 400,
        "stages": {"nat": nat},
        "functions": [one],
    }


def test_one_commit_is_compared_in_two_scenarios(service: Service) -> None:
    service.upload(body_of(in_model(1, "sfc_a", "rtc")))
    service.upload(body_of(in_model(2, "sfc_a_pipeline", "pipeline", base_costs={**COSTS, "nat": 180.0})))
    requested = {"base": sha(1), "head": sha(1), "base_scenario": "sfc_a", "scenario": "sfc_a_pipeline"}
    found = service.get(COMPARE, **requested)
    assert not found["paired"] and found["verdict"] is None
    assert [found["sides"][side]["model"] for side in ("base", "head")] == ["rtc", "pipeline"]
    assert found["chain"]["ratio_cpp"] == pytest.approx(290 / 260, abs=0.01)
    missing = service.get(COMPARE, 404, **{**requested, "scenario": "sfc_b"})
    assert missing["error"]["name"] == "not_measured"
    assert f"{sha(1)[:7]} in sfc_b" in missing["error"]["message"]
    assert "wait for the jobs" in missing["error"]["message"].lower()


def test_one_commit_is_compared_on_two_hosts(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(on_host(make_report(2, head=1, base=0, base_costs={**COSTS, "rx": 24.0}), "b2")))
    found = service.get(COMPARE, base=sha(1), head=sha(1), base_host="bench-vm-2", head_host="b2")
    assert [found["sides"][side]["host"] for side in ("base", "head")] == ["bench-vm-2", "b2"]
    assert found["chain"]["ratio_cpp"] == pytest.approx(264 / 260, abs=0.01)
    assert any("b2" in note for note in found["notes"])


def test_what_was_measured_of_a_revision_is_listed_once_for_each_host(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    service.upload(body_of(make_report(2)))
    service.upload(body_of(make_report(3, head=1, base=0, scenario="sfc_b", status="broken")))
    runs = service.get(f"{COMPARE}/measured", revision=sha(1))["runs"]
    assert [(one["scenario"], one["arm"], one["features"]) for one in runs] == [
        ("sfc_a", "head", ["nat", "l3fwd"])
    ]
    first = service.get(f"{COMPARE}/measured", revision=sha(0))["runs"]
    assert [(one["arm"], one["features"]) for one in first] == [("base", None)]


def test_functions_of_both_sides_with_their_lines(service: Service) -> None:
    service.upload(body_of(counted(1, head_nat=260)))
    found = service.get(f"{COMPARE}/code", base=sha(0), head=sha(1))
    lookup, new = found["functions"]
    assert (lookup["name"], lookup["stage"]) == ("nat_lookup", "nat")
    assert (lookup["base"]["ipp"], lookup["head"]["ipp"]) == (200, 260)
    assert (lookup["head"]["file"], lookup["head"]["line"]) == ("src/nat.c", 40)
    assert lookup["head"]["cpp"] == pytest.approx(160 / 400 * 260, rel=0.01)
    assert lookup["head"]["lines"] == [
        {"file": "src/nat.c", "line": 41, "ipp": 260, "cpp": pytest.approx(lookup["head"]["cpp"] / 2)}
    ]
    (frame,) = found["instruction_flame"]["children"]
    assert (frame["name"], round(frame["base"]), round(frame["head"])) == ("nat_lookup", 200, 260)
    assert found["cycle_flame"]["children"]
    assert (new["name"], new["base"], new["head"]["ipp"]) == ("nat_new", None, 10)


TEXT = FileText(
    file="src/nat.c",
    stretches=[
        Stretch(base=40, head=40, lines=["{"]),
        Stretch(base=41, lines=["\told();"]),
        Stretch(head=41, lines=["\tnew();"]),
    ],
)


def test_the_text_of_a_function_on_both_sides(service: Service) -> None:
    report = counted(1, head_nat=260).model_copy(update={"source_text": SourceText(files=[TEXT])})
    service.upload(body_of(report))
    requested = {"base": sha(0), "head": sha(1), "stage": "nat"}
    found = service.get(f"{COMPARE}/source", **requested, function="nat_lookup")
    assert (found["base_text"], found["head_text"]) == ("kept", "kept")
    (file,) = found["files"]
    assert (file["file"], file["base_ipp"], file["head_ipp"]) == ("src/nat.c", 200, 260)
    same, edited = file["rows"]
    assert same["base"]["text"] == same["head"]["text"] == "{"
    assert (edited["base"]["text"], edited["base"]["ipp"]) == ("\told();", 200)
    assert (edited["head"]["text"], edited["head"]["ipp"]) == ("\tnew();", 260)
    assert service.get(f"{COMPARE}/source", **requested, function="nat_new")["files"] == []
    assert service.get(f"{COMPARE}/source", **requested, function="nowhere")["files"] == []
    assert service.get(f"{COMPARE}/source", 422, **requested, function="")["error"]


def test_two_runs_one_of_which_keeps_its_text_to_itself(service: Service) -> None:
    kept = counted(1, head_nat=200).model_copy(update={"source_text": SourceText(files=[TEXT])})
    service.upload(body_of(kept))
    withheld = SourceText(withheld=True)
    service.upload(body_of(counted(3, head_nat=260).model_copy(update={"source_text": withheld})))
    requested = {"base": sha(1), "head": sha(3), "stage": "nat", "function": "nat_lookup"}
    found = service.get(f"{COMPARE}/source", **requested)
    assert (found["base_text"], found["head_text"]) == ("kept", "withheld")
    (file,) = found["files"]
    assert file["head_ipp"] == 260
    assert [row["base"]["text"] for row in file["rows"]] == ["{", "\tnew();"]
    assert all(row["head"] is None for row in file["rows"])


def test_samples_of_hosts_that_cannot_be_compared_stay_apart(service: Service) -> None:
    service.upload(body_of(counted(1, head_nat=200)))
    other = counted(3, head_nat=260)
    metal = other.host.model_copy(update={"host_class": "metal", "name": "m1"})
    service.upload(body_of(other.model_copy(update={"host": metal})))
    found = service.get(f"{COMPARE}/code", base=sha(1), head=sha(3))
    lookup = found["functions"][0]
    assert found["instruction_flame"] and found["cycle_flame"] is None
    assert (lookup["base"]["ipp"], lookup["head"]["ipp"]) == (200, 260)
    assert lookup["base"]["cpp"] is lookup["head"]["cpp"] is None


@pytest.mark.parametrize(
    ("kind", "url", "repository", "link"),
    [
        ("gitea", "https://git.example", "/srv/x", "https://git.example/nf/demo/src/commit/"),
        ("github_app", "https://api.github.com", "/srv/x", "https://github.com/nf/demo/blob/"),
        ("github", "https://ghe.example/api/v3", "", "https://ghe.example/nf/demo/blob/"),
        ("gitlab", "https://bot:secret@lab.example/", "", "https://lab.example/nf/demo/-/blob/"),
        ("chat", "", "git@gitlab.com:a/b.git", "https://gitlab.com/a/b/-/blob/"),
        ("chat", "", "https://git.example/a/b", None),
    ],
)
def test_lines_lead_to_the_projects_forge(kind: str, url: str, repository: str, link: str | None) -> None:
    row = IntegrationRow(kind=kind, config={"url": url, "repository": "nf/demo"})
    assert source_link(repository, [row]) == (link and link + "{sha}/{file}#L{line}")


def test_an_alert_is_found_by_its_commit(service: Service) -> None:
    service.upload(body_of(make_report(1, head_costs={"nat": 200.0})))
    assert service.get("/projects/demo/alerts", commit=sha(2)) == []
    found = service.get("/projects/demo/alerts", commit=sha(1)[:10])
    assert [one["sha"] for one in found] == [sha(1)]


def test_a_few_letters_find_branches_tags_and_commits(service: Service) -> None:
    service.upload(body_of(make_report(1)))
    with service.context.sessions() as session:
        refs.place_tag(session, 1, "v1.0", sha(1), service.clock())
        refs.place_branch(session, 1, "stable/1", sha(0), service.clock())
        refs.place_branch(session, 1, "100%", sha(9), service.clock())
        session.commit()

    def found(text: str, **given: Any) -> list[tuple[str, str, bool]]:
        listed = service.get("/projects/demo/revisions", q=text, **given)
        return [(one["kind"], one["name"], one["measured"]) for one in listed]

    assert found("V1") == [("tag", "v1.0", True)]
    assert found("%") == []
    assert found(sha(1)[:5]) == [("commit", sha(1)[:7], True)]
    assert found("", limit=2) == [("branch", "stable/1", True), ("tag", "v1.0", True)]
    assert len(found("")) == 4
