# SPDX-License-Identifier: Apache-2.0
"""nalm.toml: what is accepted, and that every mistake is named with its line."""

from __future__ import annotations

import re

import pytest
from nalm_agent.config.lines import line_of
from nalm_agent.config.nalm_toml import parse
from nalm_agent.runtime.errors import ConfigError
from nalm_core.report import defaults
from tiny import NALM_TOML, ROOT


def test_defaults_are_cores() -> None:
    config = parse(NALM_TOML.partition("[judge]")[0])
    assert config.judge.settings(defaults.MARGIN).model_dump() == defaults.DEFAULT_SETTINGS.model_dump()
    assert config.scenarios["tiny"].lcores == 1


def test_reference_nf_is_accepted() -> None:
    config = parse((ROOT / "reference-nf" / "nalm.toml").read_text())
    assert config.scenarios["sfc_a"].features == ["nat", "dpi", "l3fwd"]


@pytest.mark.parametrize(
    ("load", "pps", "name"),
    [
        ("{ pps = 2e6 }", 2_000_000, "2Mpps"),
        ("{ pps = 1234567, arrivals = 'poisson' }", 1_234_567, "1.234567Mpps/poisson"),
        ("{ pps = 500 }", 500, "0.0005Mpps"),
        ("{ mrr = 0.5 }", None, "0.5MRR"),
        ("{ ndr = 0.5 }", None, "0.5NDR"),
        ("{ cur = 0.85, arrivals = 'poisson' }", None, "0.85CUR/poisson"),
        ("{ mbit = 500, frame_bytes = 64 }", 976_562, "500Mbit/64B"),
        ("{ pps = 1e6, burst = 32 }", 1_000_000, "1Mpps/x32"),
        ("{ burst = 32, burst_gap_us = 64 }", 500_000, "64us/x32"),
        ("{ ndr = 0.5, new_flows = 1000 }", None, "0.5NDR/+1000"),
        ("{ pps = 1e6, ramp = { ms = 2.5 } }", 1_000_000, "1Mpps/ramp2.5"),
        ("{ ndr = 0.5, burst = 512, ramp = { ms = 5, least = 0.2 } }", None, "0.5NDR/x512/ramp5:0.2"),
        ("{ pps = 1e6, arrivals = 'poisson', burst = 8, new_flows = 9 }", 1_000_000, "1Mpps/poisson/x8/+9"),
        ("{ mbit = 500, frame_bytes = 64, with_overhead = true }", 744_048, "500Mbit+20B/64B"),
        ("{ mbit = 50, frame_bytes = 361.83, arrivals = 'nbinom:2' }", 17_273, "50Mbit/361.83B/nbinom:2"),
    ],
)
def test_loads(load: str, pps: int | None, name: str) -> None:
    config = parse(NALM_TOML.replace("packets = 20000", f"load = {load}"))
    found = config.scenarios["tiny"].load
    assert found is not None and (found.rate_pps, found.name) == (pps, name)


def test_a_closed_loop_is_the_default_load() -> None:
    for text in (NALM_TOML, NALM_TOML.replace("packets = 20000", 'load = "closed"')):
        assert parse(text).scenarios["tiny"].load is None


def test_only_an_nf_with_its_own_probe_can_be_offered_a_load() -> None:
    lent = NALM_TOML.replace("ready_seconds = 5", 'counts = "dpdk"')
    with pytest.raises(ConfigError, match=r"scenarios.tiny.load: nalm paces .*its own probe"):
        parse(lent.replace("packets = 20000", "load = { pps = 1e6 }"))


SCENARIO = NALM_TOML[NALM_TOML.index("[scenarios") : NALM_TOML.index("[judge]")]
RUN_COMMAND = '["{build}/tiny_nf", "--features", "{features}", "--traffic", "{traffic}"]'
MISTAKES = {
    "not toml": ('name = "tiny"', "name = tiny", 3, "not valid TOML"),
    "unknown key": (
        'artifacts = ["tiny_nf"]',
        'artefacts = ["tiny_nf"]',
        6,
        "build.artefacts is not a known key",
    ),
    "missing key": ('artifacts = ["tiny_nf"]\n', "", 4, "build.artifacts is missing"),
    "wrong type": (
        "packets = 20000",
        'packets = "many"',
        14,
        "scenarios.tiny.packets: expected an integer; found 'many'",
    ),
    "a project's name with a slash": (
        'name = "tiny"',
        'name = "lab/tiny"',
        3,
        "project.name: expected text of the form",
    ),
    "a scenario's name with a slash": (
        "[scenarios.tiny]",
        '[scenarios."lab/tiny"]',
        11,
        "scenarios.lab/tiny: expected text of the form",
    ),
    "wrong version": ("version = 1", "version = 2", 1, "version: expected 1"),
    "unknown placeholder": ('"--traffic", "{traffic}"', '"{pcap}"', 9, "unknown placeholder {pcap}"),
    "build placeholder": ('"-I{source}"', '"{eal}"', 5, "unknown placeholder {eal}"),
    "outside": ('"traffic/capture.bin"', '"../capture.bin"', 13, "leaves the repository"),
    "no scenario": (SCENARIO, "", 1, "scenarios is missing"),
    "too many lcores": ("packets = 20000", "lcores = 99", 14, "expected at most 64"),
    "margin": ("margin = 0.1", "margin = 1.5", 16, "judge.margin: expected less than 1"),
    "looks": ("looks = 2", "looks = 20", 15, "looks = 20 is more than max_launches = 8"),
    "more looks than a report has": (
        "looks = 2",
        "looks = 200",
        17,
        "judge.looks: expected at most 100",
    ),
    "more launches than a report has": (
        "max_launches = 8",
        "max_launches = 20000",
        20,
        "judge.max_launches: expected at most 10000",
    ),
    "unknown need": (
        "packets = 20000",
        "[scenarios.tiny.needs]\ncores = 4",
        15,
        "scenarios.tiny.needs.cores is not a known key; expected one of hugepages_mb, lcores",
    ),
    "load of a wrong type": (
        "packets = 20000",
        'load = "half"',
        14,
        "scenarios.tiny.load: expected \"closed\" or a table such as { pps = 1e6 }; found 'half'",
    ),
    "load without a rate": (
        "packets = 20000",
        "load = { arrivals = 'poisson' }",
        14,
        "load: expected exactly one of pps, mbit, mrr, ndr, cur, burst_gap_us, found none of them",
    ),
    "two loads": (
        "packets = 20000",
        "load = { pps = 1e6, mbit = 500, frame_bytes = 64 }",
        14,
        "expected exactly one of pps, mbit, mrr, ndr, cur, burst_gap_us, found pps and mbit",
    ),
    "bits of unknown frames": ("packets = 20000", "load = { mbit = 500 }", 14, "mbit needs frame_bytes"),
    "frames without bits": ("packets = 20000", "load = { pps = 5, frame_bytes = 64 }", 14, "belong to mbit"),
    "more than full load": ("packets = 20000", "load = { mrr = 1.5 }", 14, "load.mrr: expected at most 1"),
    "a CUR of 1": ("packets = 20000", "load = { cur = 1.0 }", 14, "load.cur: expected at most 0.95"),
    "unknown gaps": (
        "packets = 20000",
        "load = { pps = 1e6, arrivals = 'nbinom:5' }",
        14,
        "arrivals of 'nbinom:5'; expected cbr, poisson, geometric or nbinom:CV with a CV above 0 and up to 4",
    ),
    "a burst of one": (
        "packets = 20000",
        "load = { pps = 1e6, burst = 1 }",
        14,
        "load.burst: expected at least 2",
    ),
    "a ramp that falls": (
        "packets = 20000",
        "load = { pps = 1e6, ramp = { ms = 5, least = 2 } }",
        14,
        "load.ramp.least: expected at most 1",
    ),
    "a gap of no bursts": ("packets = 20000", "load = { burst_gap_us = 9 }", 14, "burst_gap_us needs burst"),
    "more flows than packets": (
        "packets = 20000",
        "load = { pps = 1e6, new_flows = 1_000_001 }",
        14,
        "new_flows of 1,000,001 are more than its 1,000,000 packets/s to open them",
    ),
    "gaps without a CV": ("packets = 20000", "load = { pps = 1e6, arrivals = 'nbinom' }", 14, "nbinom:CV"),
    "long load": (
        "packets = 20000",
        "load = { pps = 12345678, arrivals = 'nbinom:1.2345' }",
        14,
        "'12.345678Mpps/nbinom:1.2345' has more than 24 characters: round its numbers",
    ),
    "unknown key of a load": (
        "packets = 20000",
        "load = { pps = 1e6, slope = 3 }",
        14,
        "load.slope is not a known key; expected one of arrivals, burst, burst_gap_us, cur,",
    ),
    "need of a wrong type": (
        "packets = 20000",
        '[scenarios.tiny.needs]\nlcores = 4\npmu = "yes"',
        16,
        "scenarios.tiny.needs.pmu: expected true or false",
    ),
    "negative need": (
        "packets = 20000",
        "[scenarios.tiny.needs]\nnics = -1",
        15,
        "scenarios.tiny.needs.nics: expected at least 0",
    ),
    "need without a table": (
        "packets = 20000",
        "needs = 4",
        14,
        "scenarios.tiny.needs: expected a table",
    ),
    "empty command": (RUN_COMMAND, "[]", 9, "at least 1"),
}


@pytest.mark.parametrize(("old", "new", "line", "message"), MISTAKES.values(), ids=MISTAKES.keys())
def test_mistake_names_line_and_expectation(old: str, new: str, line: int, message: str) -> None:
    assert old in NALM_TOML
    with pytest.raises(ConfigError) as caught:
        parse(NALM_TOML.replace(old, new, 1), "repo/nalm.toml")
    named = [text for text in caught.value.message.splitlines() if message in text]
    assert [text.startswith(f"repo/nalm.toml:{line}:") for text in named] == [True], caught.value.message


def test_every_mistake_is_listed() -> None:
    text = NALM_TOML.replace("margin = 0.1", "margin = 7").replace("packets = 20000", "packets = -1")
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert len(re.findall(r"^nalm\.toml:\d+:", caught.value.message, re.MULTILINE)) == 2


def test_unknown_scenario_lists_those_there_are() -> None:
    with pytest.raises(ConfigError, match=r"no scenario 'sfc'; there are: tiny"):
        parse(NALM_TOML).scenario("sfc")


def test_scenarios_on_request_do_not_stand() -> None:
    further = '[scenarios.other]\ntraffic = "traffic/capture.bin"\non_request = true\n[judge]'
    config = parse(NALM_TOML.replace("[judge]", further))
    assert config.standing() == ["tiny"]
    assert config.scenario("other").on_request


def test_a_scenario_must_stand() -> None:
    config = parse(NALM_TOML.replace("packets = 20000", "packets = 20000\non_request = true"))
    with pytest.raises(ConfigError, match="on request only: tiny"):
        config.standing()


def test_placeholders_of_a_scenarios_arguments_are_checked() -> None:
    with pytest.raises(ConfigError, match=r"unknown placeholder \{pcap\}"):
        parse(NALM_TOML.replace("packets = 20000", 'packets = 20000\narguments = ["{pcap}"]'))


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (["a"], 1),
        (["t", "b"], 3),
        (["t", "dotted", "c"], 4),
        (["t", "quoted key"], 5),
        (["t", "absent"], 2),
        (["t", "sub", "d", "0"], 7),
        (["nowhere"], 1),
    ],
)
def test_line_of(path: list[str], line: int) -> None:
    text = 'a = 1\n[t]\nb = [1]\ndotted.c = 2\n"quoted key" = 3\n[t.sub] # comment\nd = [\n  4,\n]\n'
    assert line_of(text, path) == line


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "9" * 5000, "not valid TOML: Exceeds the limit"),
        ("[" + " " * 100_000, "not valid TOML"),
        (NALM_TOML.replace("packets = 20000", "lcores = " + "9" * 4000), "lcores: expected"),
        (NALM_TOML.replace("margin = 0.1", "margin = inf"), "judge.margin: expected"),
        (NALM_TOML.replace("margin = 0.1", "margin = nan"), "judge.margin: expected"),
    ],
    ids=["deep", "digits", "blanks", "large", "infinite", "nan"],
)
def test_hostile_text_is_a_mistake_in_few_words(text: str, said: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse(text)
    assert said in caught.value.message and len(caught.value.message) < 2000


@pytest.mark.parametrize(
    ("old", "new", "key"),
    [
        ("traffic/capture.bin", "traffic\\u0000", "scenarios.tiny.traffic"),
        ('"--features"', '"\\u0000"', "run.command"),
        ('"gcc"', '"gcc\\u0000"', "build.commands"),
        ("[scenarios.tiny]", '[scenarios."ti\\u0000ny"]', "scenarios.ti\\u0000ny"),
        ("ready_seconds = 5", 'environment = { A = "\\u0000" }', "run.environment.A"),
    ],
)
def test_a_null_character_is_a_mistake(old: str, new: str, key: str) -> None:
    with pytest.raises(ConfigError, match=rf"nalm.toml:\d+: {re.escape(key)}: has the character U\+0000"):
        parse(NALM_TOML.replace(old, new))


def test_a_byte_order_mark_is_no_mistake() -> None:
    assert parse("\ufeff" + NALM_TOML).project.name == "tiny"
