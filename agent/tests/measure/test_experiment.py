# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment`: cells planned from nalm.toml, and measured with a real NF."""

from __future__ import annotations

import json
from pathlib import Path
from typing import get_args

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.measure.experiment import needs_of_cell
from nalm_agent.measure.experiment_plan import ArmChoice, plan_cells
from nalm_agent.runtime.errors import ConfigError
from nalm_core.experiments.fit import fit
from nalm_core.experiments.result import FeaturesResult
from nalm_core.report.cell import CellKind, Kind, Use
from nalm_core.report.serialization import parse_report
from tiny import NALM_TOML, ROOT, Nalm, NfRepository

TABLES = """
[scenarios.tiny_alone]
features = ["alpha"]
traffic = "traffic/capture.bin"
packets = 20000
lcores = 2
on_request = true
[experiments.features.tiny]
interactions = [["alpha", "beta"]]
[experiments.models.chain]
both = "tiny"
alone = "tiny_alone"
[ablation.beta]
tuning = "f_t"
pairs = [{ off = "tiny_alone", on = "tiny" }]
"""
CONFIG = parse(NALM_TOML + TABLES)


def test_each_kind_has_its_cells_and_each_cell_knows_them_all() -> None:
    features = plan_cells(CONFIG, Kind.FEATURES, [], seed=0)
    fitted = {cell.head.features for cell in features if cell.about.use is Use.FIT}
    assert fitted == {("alpha",), ("beta",), ()}
    assert {cell.base for cell in features} == {ArmChoice("tiny")}
    for cells in (features, plan_cells(CONFIG, Kind.MODELS, [], 0), plan_cells(CONFIG, Kind.ABLATION, [], 0)):
        names = [cell.about.name for cell in cells]
        assert len(set(names)) == len(names)
        assert all(cell.about.cells == names for cell in cells)
    (ablation,) = plan_cells(CONFIG, Kind.ABLATION, ["beta"], 0)
    assert (ablation.base, ablation.head) == (ArmChoice("tiny_alone"), ArmChoice("tiny"))
    assert (ablation.about.tuning, ablation.about.base_variant) == ("f_t", "tiny_alone")
    assert needs_of_cell(CONFIG, ablation).lcores == 2


def test_a_named_scenario_needs_no_table() -> None:
    cells = plan_cells(CONFIG, Kind.FEATURES, ["tiny"], 5)
    assert cells == plan_cells(CONFIG, Kind.FEATURES, ["tiny"], 5)
    with pytest.raises(ConfigError, match="no scenario 'other'"):
        plan_cells(CONFIG, Kind.FEATURES, ["other"], 0)
    with pytest.raises(ConfigError, match=r"no x in \[ablation\]; there are: beta"):
        plan_cells(CONFIG, Kind.ABLATION, ["x"], 0)
    with pytest.raises(ConfigError, match="nothing to compare"):
        plan_cells(parse(NALM_TOML), Kind.MODELS, [], 0)


@pytest.mark.parametrize("kind", get_args(CellKind))
def test_the_reference_nf_has_cells_of_every_kind(kind: CellKind) -> None:
    config = parse((ROOT / "reference-nf" / "nalm.toml").read_text())
    cells = plan_cells(config, kind, [], 0)
    for cell in cells:
        assert cell.base.config(config).traffic == cell.head.config(config).traffic
    if kind is Kind.FEATURES:
        assert all("l3fwd" in (cell.head.features or ()) for cell in cells)
        assert any(cell.about.use is Use.HELD_OUT for cell in cells)


MISTAKES = {
    "unknown scenario": (
        'both = "tiny"',
        'both = "big"',
        "experiments.models.chain.both: there is no scenario",
    ),
    "features of no scenario": (
        "features.tiny]",
        "features.big]",
        "experiments.features.big: there is no sc",
    ),
    "unknown pair": ('on = "tiny" }', 'on = "big" }', "ablation.beta.pairs: there is no scenario 'big'"),
    "unknown feature": ('"alpha", "beta"]]', '"alpha", "x"]]', "x is not among the features alpha, beta"),
    "one model": (
        'alone = "tiny_alone"\n',
        "",
        "experiments.models.chain: expected at least 2 entries",
    ),
    "unknown tuning": ('"f_t"', '"f_x"', "ablation.beta.tuning: expected 'f_t'"),
    "unknown key": ("interactions", "pairs", "not a known key; expected one of always, interactions, order"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_a_mistake_is_named_with_its_line(mistake: str) -> None:
    old, new, said = MISTAKES[mistake]
    assert old in TABLES
    text = NALM_TOML + TABLES.replace(old, new)
    with pytest.raises(ConfigError) as found:
        parse(text)
    where, _, message = found.value.message.partition(": ")
    assert said in message, found.value.message
    line = text.splitlines()[int(where.removeprefix("nalm.toml:")) - 1]
    assert line.split()[0].strip("[]").split(".")[-1] in message


@pytest.mark.nightly
def test_features_are_priced_and_what_each_costs_is_in_its_stage(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.write("nalm.toml", NALM_TOML + TABLES.replace("lcores = 2\n", ""))
    out, reports = tmp_path / "result.json", tmp_path / "reports.json"
    done = nalm.run(
        *("experiment", "features", "--json", str(out), "--reports", str(reports)), cwd=nf_repository.path
    )
    assert done.returncode in (0, 3), done.stderr
    assert "cell 1 of 5: tiny:reference-1" in done.stderr
    taken = [parse_report(json.dumps(one)) for one in json.loads(reports.read_text())]
    assert [one.scenario.name for one in taken] == [one.experiment.name for one in taken if one.experiment]
    assert {len(one.arms) for one in taken} == {2}
    found = fit(taken)
    assert isinstance(found, FeaturesResult)
    assert found.model_dump_json(indent=1) + "\n" == out.read_text()
    if not found.partial:
        prices = {price.feature: price for price in found.fits[0].prices}
        assert set(prices) == {"alpha", "beta"}
        for name, price in prices.items():
            assert price.cycles > 0
            assert max(price.stages, key=lambda stage: price.stages[stage]) == name
        assert "no set was held out" in done.stdout


ATTEMPTS = 5
"""A host whose other programs take the CPU from most launches says so, and is measured again."""


def test_a_variant_is_measured_off_and_on(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.commit("tables", nalm__toml=NALM_TOML + TABLES.replace("lcores = 2\n", ""))
    reports = tmp_path / "reports.json"
    for _ in range(ATTEMPTS):
        done = nalm.run(
            *("experiment", "ablation", "beta", "--revision", "HEAD", "--reports", str(reports)),
            cwd=nf_repository.path,
        )
        if "the host's other work disturbed too many launches" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    assert "beta" in done.stdout and "f_t" in done.stdout
    (one,) = [parse_report(json.dumps(one)) for one in json.loads(reports.read_text())]
    assert [arm.run.features for arm in one.arms.values()] == [["alpha"], ["alpha", "beta"]]
    for arm in one.arms:
        (lcore,), rounds = one.batches[arm], [each for each in one.rounds if each.arm is arm]
        packets = sum(size * count for size, (count, _) in lcore.sizes.items())
        assert packets == sum(each.lcores[0].packets for each in rounds)
        cycles = sum(cycles for size, (_, cycles) in lcore.sizes.items() if size)
        assert cycles == sum(each.lcores[0].busy_cycles for each in rounds)
    assert len({arm.build.code_digest for arm in one.arms.values()}) == 1
