# SPDX-License-Identifier: Apache-2.0
"""Markdown, parsed by a CommonMark parser with tables and strikethrough."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from markdown_it.token import Token
from nalm_core.render.escaping import JOINER, code, text
from nalm_core.render.line import cut
from nalm_core.render.markdown import MAX_RUNS, markdown
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.verdict.judged import Judged
from nalm_core.verdict.verdict import judge
from rendering import LINK, TEXTS, WIDE, hostile, measured, of_outcome, with_metrics, worse_function
from tiers import size_of_tier

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
ACTED_ON = re.compile(r"(?<![\w`])[@#!~%&$][\w]|GH-\d|https?://|www\.\w|mailto:", re.IGNORECASE)
OURS = {"heading_open", "paragraph_open", "bullet_list_open", "list_item_open", "table_open", "inline"}
OURS |= {"thead_open", "tbody_open", "tr_open", "th_open", "td_open"}


def inline(tokens: list[Token]) -> list[Token]:
    return [child for token in tokens for child in token.children or []]


def plain(source: str) -> str:
    """The text a reader sees, code spans left out."""
    kept = [token.content for token in inline(PARSER.parse(source)) if token.type == "text"]
    return " ".join(kept)


@pytest.mark.parametrize("margin", [0.01, 0.002])
def test_digits_follow_from_the_size_of_a_change_and_not_from_the_margin(margin: float) -> None:
    out = markdown([measured(nat=175.0, ipp=400, margin=margin)])
    row = next(line for line in out.splitlines() if line.startswith("| **`nat`**"))
    assert "+21.2 %" in row and re.search(r"\+\d+\.\d \.\. \+\d+\.\d %", row)


def test_regression_on_one_screen() -> None:
    out = markdown([of_outcome("regressed")])
    assert out.startswith("### nalm: regressed (`")
    assert "| **`nat`** | 150" in out
    assert "- `nat`: `nat_lookup` at `src/nat.c:42`: 150.0 to 175.0 cycles/packet" in out
    assert f"[`sfc_a`](<{LINK}>)" in out
    assert "Why: Time goes into nat; most of its change, by samples, is in" in out
    assert "- advice (`f_t`): **Move work off the data path" in out
    assert len(out.splitlines()) < 30


def named(judged: Judged, scenario: str) -> Judged:
    return replace(judged, verdict=judged.verdict.model_copy(update={"scenario": scenario}))


def test_several_scenarios_of_one_pair_have_their_overall_change() -> None:
    two = [named(of_outcome("regressed"), "a"), named(of_outcome("same"), "b")]
    assert "Overall: cycles per packet +" in plain(markdown(two))
    assert "over 2 scenarios: 1 regressed, 1 same" in plain(markdown(two))
    for other in (two[:1], [two[0], two[0]]):
        assert "Overall" not in markdown(other)


def test_what_would_help_an_undecided_run() -> None:
    assert "would decide" in plain(markdown([of_outcome("inconclusive")]))


def test_broken_shows_the_end_of_its_log() -> None:
    assert "`ninja: build stopped`" in markdown([of_outcome("broken")])


def test_the_worst_comes_first_and_many_stay_on_a_screen() -> None:
    runs = [of_outcome("same")] * 30 + [of_outcome("regressed")]
    out = markdown(runs)
    assert out.startswith("### nalm: regressed")
    assert f"- and {len(runs) - MAX_RUNS} more" in out
    assert len(out.splitlines()) < 60


def test_nothing_measured() -> None:
    assert "nothing was measured" in markdown([])


def test_what_could_not_be_measured_is_a_line() -> None:
    alone = markdown([], [WIDE])
    assert alone.splitlines()[0] == "### nalm: invalid"
    assert alone.splitlines()[2].startswith("- `wide` `0123456789`: **invalid** the host has 2 CPUs")
    assert not ACTED_ON.search(plain(alone))
    out = markdown([of_outcome("same")], [WIDE])
    assert out.startswith("### nalm: invalid") and ": **same** " in out and "- `wide`" in out
    assert markdown([of_outcome("regressed")], [WIDE]).startswith("### nalm: regressed")
    assert "and 3 more that could not" in markdown([], [WIDE] * (MAX_RUNS + 3))


def test_percentages_stay_readable() -> None:
    sentence = "Cycles per packet grew, +12.1 %: more instructions (+9.0 %)."
    assert text(sentence) == sentence


@pytest.mark.parametrize("raw", ["@mona", "see #12", "GH-3", "a!4", "https://e.org", "www.e.org", "a@b.org"])
def test_forges_find_nothing_to_act_on(raw: str) -> None:
    shown = plain(f"x {text(raw)}")
    assert not ACTED_ON.search(shown.replace("a!", " !").replace("a@", " @"))
    assert shown.replace(JOINER, "") == f"x {raw}"


@given(TEXTS)
def test_text_is_only_text(raw: str) -> None:
    source = f"x {text(raw)}"
    tokens = PARSER.parse(source)
    assert {token.type for token in inline(tokens)} <= {"text"}
    assert plain(source).replace(JOINER, "").replace(" ", "") == (
        "x" + cut(raw, 600).replace(JOINER, "").replace(" ", "")
    )


@given(TEXTS)
def test_code_is_one_span_of_one_cell(raw: str) -> None:
    table = PARSER.parse(f"| a | b |\n| --- | --- |\n| {code(raw)} | end |\n")
    cells = [token.children for token in table if token.type == "inline"][2:]
    assert [[child.type for child in cell or []] for cell in cells] == [["code_inline"], ["text"]]


@settings(max_examples=size_of_tier(60, 20), deadline=None)
@given(st.lists(hostile(), max_size=3))
def test_no_text_becomes_anything_else(runs: list[Judged]) -> None:
    tokens = PARSER.parse(markdown(runs))
    assert {token.type for token in tokens if token.nesting >= 0} <= OURS
    found = inline(tokens)
    allowed = {"text", "code_inline", "strong_open", "strong_close", "softbreak", "link_open", "link_close"}
    assert {token.type for token in found} <= allowed
    assert {token.attrGet("href") for token in found if token.type == "link_open"} <= {LINK}
    shown = " ".join(token.content for token in found if token.type == "text")
    assert not ACTED_ON.search(shown), shown
    tables = [token for token in tokens if token.type == "table_open"]
    rows = [token for token in tokens if token.type == "tr_open"]
    cells = [token for token in tokens if token.type in ("td_open", "th_open")]
    assert len(cells) == 8 * len(rows) and len(tables) <= len(runs)


def test_many_stages_keep_those_that_changed_most() -> None:
    judged = measured(nat=175.0, ipp=400)
    many = [judged.verdict.stages[0].model_copy(update={"stage": f"s{n}"}) for n in range(40)]
    verdict = judged.verdict.model_copy(update={"stages": [*many, *judged.verdict.stages]})
    out = markdown([Judged(judged.report, verdict)])
    assert "`nat`" in out and "| 28 more |" in out


def test_a_check_that_a_metric_fails_is_regressed_and_comes_first() -> None:
    failing = named(with_metrics(of_outcome("same"), worse_function()), "failing")
    undecided = [named(of_outcome("inconclusive"), name) for name in "abc"]
    out = markdown([*undecided, failing])
    assert out.startswith("### nalm: regressed (`")
    first = out.index(": regressed.**")
    assert first < out.index(": inconclusive.**"), "its section is the first"
    assert "nat_lookup" in out.replace("\\", "")


def test_a_check_that_a_lost_metric_leaves_undecided_begins_with_it() -> None:
    """The sentence began with cycles that fell, and named the metric at its end."""
    judged = of_outcome("improved")
    missing = OwnMetric.model_validate(
        {
            "name": "table_bytes",
            "unit": "bytes",
            "better": "lower",
            "every": "build",
            "exact": True,
            "source": "command",
            "margin": 0.05,
            "gates": True,
            "values": {"base": [1.0]},
            "missing": {"head": "exit code 3"},
        }
    )
    verdict = judge(judged.report.model_copy(update={"own_metrics": [missing]}))
    lines = markdown([replace(judged, verdict=verdict)]).splitlines()
    assert "inconclusive" in lines[0]
    (said,) = [one for one in lines if one.startswith("**") and "inconclusive.**" in one]
    assert said.index("Nothing is known") < said.index("exit code 3") < said.index("Cycles per packet fell")
    assert said.count("exit code 3") == 1
