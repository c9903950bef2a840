# SPDX-License-Identifier: Apache-2.0
"""GitHub's workflow commands, read back by the runner's rules."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nalm_core.render.annotations import MOST_OF_A_LEVEL, command, workflow_commands
from nalm_core.text.plain_text import plain_line
from nalm_core.verdict.judged import Judged
from rendering import WIDE, hostile, of_outcome, with_metrics, worse_function
from tiers import size_of_tier

LINE = re.compile(r"::(error|warning|notice) ((?:[a-z]+=[^,:]*)(?:,[a-z]+=[^,:]*)*)::(.*)")


def read(line: str) -> tuple[str, dict[str, str], str]:
    found = LINE.fullmatch(line)
    assert found, line
    properties = dict(one.split("=", 1) for one in found[2].split(","))
    return found[1], {name: decoded(value) for name, value in properties.items()}, decoded(found[3])


def decoded(text: str) -> str:
    """In the runner's order: the percent sign last."""
    for code, char in (("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")):
        text = text.replace(code, char)
    return text


def test_regression_is_an_error_at_its_line() -> None:
    whole, line = [read(one) for one in workflow_commands([of_outcome("regressed")]).splitlines()]
    assert whole[0] == "error" and "Cycles per packet grew" in whole[2]
    assert line[1] == {"file": "src/nat.c", "line": "42", "title": "nalm: sfc_a regressed"}
    assert line[2].startswith("nat: nat_lookup: 150.0 to 175.0 cycles/packet")


@pytest.mark.parametrize(
    ("outcome", "levels"),
    [("same", []), ("improved", ["notice"]), ("inconclusive", ["warning"]), ("broken", ["error"])],
)
def test_levels(outcome: str, levels: list[str]) -> None:
    lines = workflow_commands([of_outcome(outcome)]).splitlines()
    assert [read(line)[0] for line in lines] == levels


def test_what_could_not_be_measured_is_an_error() -> None:
    (line,) = workflow_commands([of_outcome("same")], [WIDE]).splitlines()
    assert read(line) == ("error", {"title": "nalm: wide invalid"}, WIDE.reason)
    many = workflow_commands([of_outcome("regressed")], [WIDE] * MOST_OF_A_LEVEL).splitlines()
    assert len(many) == MOST_OF_A_LEVEL


def test_no_more_than_the_runner_shows() -> None:
    assert len(workflow_commands([of_outcome("regressed")] * 9).splitlines()) == MOST_OF_A_LEVEL


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"])))
def test_plain_text_comes_back(text: str) -> None:
    one_line = " ".join(plain_line(text).split())
    assert read(command("error", one_line, {"title": one_line})) == ("error", {"title": one_line}, one_line)


@settings(max_examples=size_of_tier(60, 20), deadline=None)
@given(st.lists(hostile(), max_size=3))
def test_no_text_makes_another_command(runs: list[Judged]) -> None:
    for line in workflow_commands(runs).splitlines():
        assert set(read(line)[1]) <= {"title", "file", "line"}


@pytest.mark.parametrize("outcome", ["same", "inconclusive", "improved"])
def test_the_title_of_a_check_that_a_metric_fails_says_so(outcome: str) -> None:
    (line,) = workflow_commands([with_metrics(of_outcome(outcome), worse_function())]).splitlines()
    level, properties, _ = read(line)
    assert (level, properties["title"]) == ("error", "nalm: sfc_a regressed")
