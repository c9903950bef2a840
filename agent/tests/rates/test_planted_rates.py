# SPDX-License-Identifier: Apache-2.0
"""Changes planted in the reference NF that cost no cycles on average: a tail, losses in bursts, a slow leak.
Runs of rates and soaks find and name them; equal builds raise no alarm."""

from __future__ import annotations

import pytest
from nalm_agent.measure.request import Request
from nalm_agent.rates.rate_run import measure_under_load
from nalm_agent.report.progress import Silent
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home
from nalm_core.report.run_report import RunReport
from nalm_core.report.trials.kinds import RunKind
from nalm_core.verdict.metric_change import MetricChange
from nalm_core.verdict.verdict import judge
from reference_repository import reference_repository
from tiny import NfRepository

pytestmark = [pytest.mark.timed, pytest.mark.nightly, pytest.mark.timeout(1800)]

TX = "src/io/tx.c"
SEND = "\telse\n\t\tsent = send_all(queue, batch);\n"
HEADER = '#include "io/io.h"\n'

TAIL = f"""{SEND}
	static uint64_t stall_at;
	if (rte_rdtsc() > stall_at) {{
		rte_delay_us_block(300);
		stall_at = rte_rdtsc() + rte_get_tsc_hz() / 66;
	}}
"""
"""300 us in each 15 ms: about 4 packets of 100 wait for it, or behind those that did. A host's own pauses, of
tens of us, are shorter."""
BURSTS = """	else if ((++batches & 0x3fff) < 0x148) {
		batch_free(batch->mbufs, batch->count);
		sent = 0;
	} else
		sent = send_all(queue, batch);
"""
"""2 % of the batches, one after the other."""
LEAK = f"""{SEND}
	static uint64_t leak_at;
	if (batch->count != 0 && rte_rdtsc() > leak_at) {{
		leak_at = rte_rdtsc() + rte_get_tsc_hz();
		if (rte_mbuf_raw_alloc(batch->mbufs[0]->pool) == NULL)
			leak_at = UINT64_MAX;
	}}
"""
"""A buffer for each second under load."""
SHORT = """modes = ["mrr", "latency"]
launches = 20
trial_s = 0.2
leave_out_s = 0.2
soak_hours = 0.05
"""
"""20 launches: a launch that another program disturbed leaves a percentile undecided among 12, and not among
20."""
DECLARED = {BURSTS: ("\tuint32_t sent;\n", "\tuint32_t sent;\n\tstatic unsigned int batches;\n")}


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> NfRepository:
    """The reference NF in a repository of its own, with short trials, a short soak, and no searches but those
    of the load."""
    return reference_repository(
        tmp_path_factory.mktemp("reference") / "nf",
        lambda config: config.replace("[rates]\n", f"[rates]\n{SHORT}", 1),
    )


def measured(
    repository: NfRepository, home: Home, change: str | None, kind: RunKind = RunKind.RATE
) -> tuple[RunReport, dict[str, MetricChange]]:
    """A commit with the change against one without it; None: code against itself."""
    base = repository.git("rev-parse", "main")
    head = base if change is None else planted(repository, change)
    with home.work() as work:
        one = Repository(repository.path, work.fresh("git"))
        request = Request(one, one.resolve(base), one.resolve(head), "sfc_a", force=True)
        report = measure_under_load(request, kind, home, work, Silent())
    return report, {change.metric: change for change in judge(report).metrics if change.stage is None}


def planted(repository: NfRepository, change: str) -> str:
    repository.git("checkout", "-q", "-B", "planted", "main")
    text = (repository.path / TX).read_text()
    assert SEND in text and HEADER in text
    old, new = DECLARED.get(change, ("", ""))
    text = text.replace(SEND, change).replace(HEADER, HEADER + "\n#include <rte_cycles.h>\n")
    return repository.commit("planted", **{TX.replace(".", "__"): text.replace(old, new, 1)})


def test_a_tail_is_found_at_high_percentiles_alone_and_at_its_stage(
    repository: NfRepository, home: Home
) -> None:
    report, figures = measured(repository, home, TAIL)
    verdict = judge(report)
    assert figures["latency_p99_ns"].outcome == "regressed", verdict.reason
    assert verdict.culprit_stages == ["tx"], verdict.reason
    assert figures["latency_p50_ns"].outcome != "regressed"
    assert figures["loss_ratio"].outcome != "regressed"


def test_losses_in_bursts_are_found_with_their_cause(repository: NfRepository, home: Home) -> None:
    report, figures = measured(repository, home, BURSTS)
    loss = figures["loss_ratio"]
    assert loss.outcome == "regressed", judge(report).reason
    assert loss.head is not None and 0.01 < loss.head < 0.04
    assert (loss.reason or "").startswith("tx.ring_full")


def test_a_leak_is_found_by_a_soak(repository: NfRepository, home: Home) -> None:
    report, figures = measured(repository, home, LEAK, RunKind.SOAK)
    growth = figures["buffers_growth"]
    assert growth.outcome == "regressed", judge(report).reason
    assert growth.head is not None and 3000 < growth.head < 4200


def test_code_against_itself_raises_no_alarm(repository: NfRepository, home: Home) -> None:
    """One run by night; `make bench BENCH="rate_ab 14 100"` makes a hundred."""
    report, figures = measured(repository, home, None)
    assert not [one.metric for one in figures.values() if one.outcome in ("regressed", "improved")], judge(
        report
    ).reason
