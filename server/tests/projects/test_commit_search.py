# SPDX-License-Identifier: Apache-2.0
"""Lists of commits at size: one summary each, searched, filtered and paged by the server."""

from __future__ import annotations

from typing import Any

import pytest
from nalm_server.auth.access.project_repository import find
from nalm_server.git.commits.order import CommitInfo, record
from nalm_server_harness import Scenes, Service
from nalm_server_reports import body_of, make_report, sha

pytestmark = pytest.mark.dialects

SUBJECTS = ("nat: evict 10% earlier", "l3fwd: wider lookups", "nat: hash _both_ ports", "docs: install")
AUTHORS = ("Ada Moreau", "Bo Lindqvist", "Ada Moreau", "Chen Wei")
WORDS = {
    "NAT": [3, 1],
    "ada": [3, 1],
    "ada evict": [1],
    "l3fwd/table.c": [2],
    "10%": [1],
    "_both_": [3],
    sha(2)[:9].upper(): [2],
    "nobody": [],
}
"""What a search for these words finds, newest first."""


def make_listed(service: Service) -> None:
    """Four commits; the second slows sfc_a and speeds sfc_b up, the fourth is not measured."""
    with service.context.sessions() as session:
        project = find(session, "demo")
        assert project is not None
        for number, (subject, author) in enumerate(zip(SUBJECTS, AUTHORS, strict=True), 1):
            row = record(session, project.id, sha(number), sha(number - 1), CommitInfo(subject, author, None))
            row.paths = f"src/{subject.split(':')[0]}/table.c\nREADME.md"
        session.commit()
    costs = {2: {"sfc_a": 200.0, "sfc_b": 100.0}}
    for number in (1, 2, 3):
        for place, scenario in enumerate(("sfc_a", "sfc_b", "sfc_c", "sfc_d")):
            cost = costs.get(number, {}).get(scenario, 150.0)
            report = make_report(
                10 * number + place, base=number - 1, head=number, scenario=scenario, head_costs={"nat": cost}
            )
            service.upload(body_of(report))


@pytest.fixture
def listed(service: Service, scenes: Scenes) -> Service:
    scenes.begin(service, "listed", make_listed)
    return service


def search(service: Service, **params: Any) -> dict[str, Any]:
    return dict(service.get("/projects/demo/commits/search", **params))


def numbers(found: dict[str, Any]) -> list[int]:
    known = {sha(number): number for number in range(5)}
    return [known[one["sha"]] for one in found["commits"]]


def test_a_commit_is_one_summary_with_its_most_urgent_verdicts(listed: Service) -> None:
    found = search(listed)
    second = next(one for one in found["commits"] if one["sha"] == sha(2))
    assert second["outcomes"] == {"regressed": 1, "improved": 1, "same": 2}
    assert [(one["scenario"], one["display"]) for one in second["verdicts"][:2]] == [
        ("sfc_a", "regressed"),
        ("sfc_b", "improved"),
    ]
    assert len(second["verdicts"]) == 3
    assert numbers(found)[:4] == [4, 3, 2, 1]
    assert found["commits"][0]["outcomes"] == {}
    assert found["outcomes"] == {"regressed": 1, "improved": 1, "same": 3}


def test_words_are_found_in_subject_author_path_and_hash(listed: Service) -> None:
    for text, expected in WORDS.items():
        assert numbers(search(listed, text=text)) == expected, text


def test_outcomes_are_filtered_and_counted_on_the_server(listed: Service) -> None:
    found = search(listed, outcome=["regressed"])
    assert numbers(found) == [2]
    assert found["outcomes"]["same"] == 3, "the other outcomes are still offered"
    assert numbers(search(listed, outcome=["improved", "same"])) == [3, 2, 1]
    assert numbers(search(listed, outcome="regressed", scenario="sfc_b")) == []
    of_scenario = search(listed, scenario="sfc_b")
    assert of_scenario["outcomes"] == {"improved": 1, "same": 2}
    assert next(one for one in of_scenario["commits"] if one["sha"] == sha(2))["outcomes"] == {"improved": 1}
    assert search(listed, text="l3fwd")["outcomes"] == {"regressed": 1, "improved": 1, "same": 1}


def test_pages_follow_each_other_without_gap(listed: Service) -> None:
    seen: list[int] = []
    before: dict[str, str] = {}
    while True:
        page = search(listed, limit=2, **before)
        seen += numbers(page)
        if page["next"] is None:
            break
        before = {"before": page["next"]}
        assert page["outcomes"] is None or len(seen) == 2
    whole = numbers(search(listed))
    assert seen == whole and len(set(seen)) == len(seen)


def test_unknown_names_are_errors(listed: Service) -> None:
    assert "no scenario" in listed.get("/projects/demo/commits/search", 404, scenario="x")["error"]["message"]
    listed.get("/projects/demo/commits/search", 422, outcome="fast")
    listed.get("/projects/demo/commits/search", 404, before="abcdef0")


def test_a_later_run_replaces_the_outcome_it_contradicts(listed: Service) -> None:
    again = make_report(99, base=1, head=2, scenario="sfc_a", head_costs={"nat": 150.0})
    listed.upload(body_of(again))
    found = search(listed, outcome="regressed")
    assert numbers(found) == [] and found["outcomes"] == {"improved": 1, "same": 3}


def test_commits_with_one_position_are_on_one_page_each(service: Service) -> None:
    """As after a forced push, or where two lines were merged."""
    with service.context.sessions() as session:
        for number in (1, 2, 3):
            row = record(session, 1, sha(number), sha(0))
            assert row.position == 2
        session.commit()
    for read in (
        lambda **params: service.get("/projects/demo/commits", **params),
        lambda **params: search(service, **params)["commits"],
    ):
        seen: list[str] = []
        while page := read(limit=1, **({"before": seen[-1]} if seen else {})):
            seen += [one["sha"] for one in page]
        assert seen == [sha(3), sha(2), sha(1)]
