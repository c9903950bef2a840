# SPDX-License-Identifier: Apache-2.0
"""Loads of the reference NF: a CUR that is searched, and two routers in series in the vCPE procedure."""

from __future__ import annotations

from pathlib import Path
from statistics import median

import pytest
from nalm_agent.measure.measure import measure
from nalm_agent.measure.request import Request
from nalm_agent.report.progress import Silent
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_core.rates.vcpe import LOADS, VcpeReport
from nalm_core.report.counters import cur
from nalm_core.report.run_report import Arm
from nalm_core.verdict.verdict import judge
from reference_repository import reference_repository
from tiny import Nalm, NfRepository

pytestmark = [pytest.mark.timed, pytest.mark.nightly, pytest.mark.timeout(900)]

JUDGE = "\n[judge]\nlooks = 1\nmax_launches = 3\nturns_per_launch = 8\n"


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> NfRepository:
    return reference_repository(tmp_path_factory.mktemp("reference") / "nf", lambda config: config + JUDGE)


def test_the_load_at_which_base_has_half_its_cur_is_found_and_offered(
    repository: NfRepository, home: Home
) -> None:
    with home.work() as work:
        one = Repository(repository.path, work.fresh("git"))
        head = one.resolve("HEAD")
        request = Request(one, head, head, "sfc_a_half_load", force=True)
        report = measure(request, home, work, Silent())
    assert report.scenario.load == "0.5CUR"
    assert report.offered is not None and report.offered.found is not None, judge(report).reason
    assert "CUR" in report.offered.found
    failed = [check.message for check in report.checks if not check.passed]
    assert failed == []
    for arm in (Arm.BASE, Arm.HEAD):
        found = [cur(one) for one in report.rounds if one.arm is arm and one.set_aside is None]
        assert median(value for value in found if value is not None) == pytest.approx(0.5, abs=0.05)


def test_two_routers_in_series_pass_packets_both_ways(
    repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    out = tmp_path / "vcpe.json"
    done = nalm.run(
        *("rate", "--preset", "vcpe", "--scenario", "vcpe_two_routers", "--duration", "1"),
        *("--leave-out", "0.2", "--json", str(out)),
        cwd=repository.path,
    )
    assert done.returncode in (0, 1, 3), done.stderr
    report = VcpeReport.model_validate_json(out.read_text())
    assert any("hop.side=first" in argument for argument in report.run.command)
    assert [one.frame for one in report.loads] == [one.frame for one in LOADS]
    for load in report.loads:
        assert load.failure is None
        assert {one.intended_pps for one in load.trials} == {2 * load.pps}
        sent = sum(one.traffic.sent for one in load.trials)
        back = sum(one.traffic.received or 0 for one in load.trials)
        assert back > 0.95 * sent > 0, "the second router forwards them to the sink"
        for direction in ("outbound", "inbound"):
            counts = [one.directions[direction].latency.count for one in load.trials]
            assert sum(counts) > 0.4 * back * (1 - 0.2 / 1.2)
