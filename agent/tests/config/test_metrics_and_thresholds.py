# SPDX-License-Identifier: Apache-2.0
"""Own metrics and thresholds of nalm.toml: what is accepted and in force; mistakes name their line."""

from __future__ import annotations

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.config.thresholds import Effective
from nalm_agent.runtime.errors import ConfigError
from nalm_core.report.catalogue import SHIPPED
from tiny import NALM_TOML

METRIC = """
[metrics.sessions]
unit = "sessions"
better = "higher"
command = ["{source}/count", "{pid}"]
"""
RULES = """
[[thresholds]]
metric = "sessions"
margin = 0.2

[[thresholds]]
scenario = "ti*"
stage = "alpha"
margin = 0.3

[[thresholds]]
branch = "release/*"
margin = 0.05

[[thresholds]]
metric = "code_bytes"
branch = "release/*"
margin = 0.01
"""
LINES = NALM_TOML.count("\n")


def margins(branch: str | None, text: str = RULES) -> dict[tuple[str, str | None], Effective]:
    found = parse(NALM_TOML + METRIC + text).margins("tiny", branch)
    return {(one.metric, one.stage): one for one in found}


def test_the_general_margin_and_the_shipped_one_are_in_force_without_rules() -> None:
    found = margins(None, "")
    assert {key: one.margin for key, one in found.items()} == {
        ("cpp", None): 0.1,
        ("sessions", None): 0.1,
        **{(name, None): 0.05 for name in SHIPPED},
    }
    assert {one.metric for one in found.values() if one.judged} == {"cpp", "sessions"}


@pytest.mark.parametrize(
    ("branch", "cpp", "sessions", "alpha", "code"),
    [
        (None, 0.1, 0.2, 0.3, None),
        ("main", 0.1, 0.2, 0.3, None),
        ("release/2", 0.05, 0.05, 0.05, 0.01),
    ],
)
def test_a_branch_comes_before_stage_scenario_and_metric(
    branch: str | None, cpp: float, sessions: float, alpha: float, code: float | None
) -> None:
    found = margins(branch)
    assert [found["cpp", None].margin, found["sessions", None].margin] == [cpp, sessions]
    assert found["cpp", "alpha"].margin == alpha
    assert found["code_bytes", None].judged == (code is not None)
    assert code is None or found["code_bytes", None].margin == code
    assert not found["resident_bytes", None].judged


def test_of_equal_rules_the_last_counts_and_a_rule_elsewhere_does_not() -> None:
    rules = "".join(
        f'[[thresholds]]\nmetric = "cpp"\nscenario = "{name}"\nmargin = {margin}\n'
        for name, margin in (("tiny", 0.2), ("t*", 0.3))
    )
    other = NALM_TOML[NALM_TOML.index("[scenarios") : NALM_TOML.index("[judge]")].replace("tiny", "other")
    config = parse(NALM_TOML + other + rules)
    margin_of = {name: config.margins(name, None)[0] for name in ("tiny", "other")}
    assert (margin_of["tiny"].margin, margin_of["tiny"].rule) == (0.3, 1)
    assert (margin_of["other"].margin, margin_of["other"].rule) == (0.1, None)


def test_a_leak_has_a_margin_in_its_own_unit() -> None:
    rules = '[[thresholds]]\nmetric = "buffers_growth"\nmargin = 40\n'
    assert margins(None, rules)["buffers_growth", None].margin == 40


MISTAKES = {
    "no selector": ("margin = 0.5", 2, "the general margin is judge.margin"),
    "unknown metric": (
        'metric = "sesions"\nmargin = 0.5',
        2,
        "no metric 'sesions'.* cpp, ipp, function_ipp, resident",
    ),
    "never judged": ('metric = "latency_max_ns"\nmargin = 0.5', 2, "never judged.* latency_p99_9_ns"),
    "unknown scenario": ('scenario = "huge"\nmargin = 0.5', 2, "no scenario 'huge'; expected one of tiny"),
    "stage alone": ('stage = "alpha"\nmargin = 0.5', 2, "needs the scenario to which it belongs"),
    "stage of a size": (
        'scenario = "tiny"\nstage = "alpha"\nmetric = "code_bytes"\nmargin = 0.5',
        2,
        "code_bytes is of the whole NF",
    ),
    "margin": ('branch = "main"\nmargin = 2', 2, "margin 2 is no relative change: expected less than 1"),
    "no margin": ('branch = "main"\nmargin = 0', 2, "thresholds.1.margin"),
    "unknown key": ('brunch = "main"\nmargin = 0.5', 2, "is not a known key; expected one of branch, margin"),
}


@pytest.mark.parametrize("case", MISTAKES)
def test_a_mistake_in_a_rule_names_its_line(case: str) -> None:
    rule, line, message = MISTAKES[case]
    right = '[[thresholds]]\nbranch = "main"\nmargin = 0.5\n'
    with pytest.raises(ConfigError, match=message) as raised:
        parse(f"{NALM_TOML}{right}[[thresholds]]\n{rule}\n")
    assert f"nalm.toml:{LINES + 2 + line}: " in raised.value.message


WRONG_METRICS = {
    'command = ["{source}/count", "{pid}"]': {
        "": "one source: command, telemetry or file; found none",
        'command = ["x"]\nfile = "{run_dir}/x"': "found command and file",
        'telemetry = "/stats"': "telemetry needs the key of the number",
        'telemetry = "stats"\nkey = "x"': "metrics.sessions.telemetry",
        'file = "{build}/x"\nkey = "x"': "unknown placeholder {build}",
        'command = ["{pid}"]\nevery = "build"': "unknown placeholder {pid}",
        'file = "{output}"\nkey = "x"\nevery = "build"': "file needs a running NF",
    },
    'better = "higher"': {'better = "more"': "metrics.sessions.better"},
    "[metrics.sessions]": {
        "[metrics.code_bytes]": "nalm measures code_bytes itself",
        "[metrics.cpp]": "nalm measures cpp itself",
        "[metrics.Sessions]": "metrics.Sessions",
    },
}


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [(old, new, message) for old, cases in WRONG_METRICS.items() for new, message in cases.items()],
)
def test_a_mistake_in_a_metric_names_its_line(old: str, new: str, message: str) -> None:
    with pytest.raises(ConfigError) as raised:
        parse(NALM_TOML + METRIC.replace(old, new))
    assert message in raised.value.message
    assert int(raised.value.message.split(":")[1]) >= LINES
