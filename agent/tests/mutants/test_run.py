# SPDX-License-Identifier: Apache-2.0
"""`nalm-mutants` whole, on mutants of the tiny NF: real git, gcc, valgrind and processes."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from nalm_agent.mutants.cli import chosen
from nalm_agent.mutants.record import Journal, Record, read_records
from nalm_agent.mutants.run import Campaign, Stopwatch, Task, aa_tasks
from nalm_agent.mutants.scratch import Scratch, with_value
from nalm_agent.report.progress import Silent
from nalm_agent.runtime.errors import HostError, UsageError
from nalm_agent.store.home import Home
from nalm_core.report.run_report import RunReport
from tiny import NALM_TOML, Nalm, NfRepository

HEADER = """title: a change
what: because
code: differs
size: 0
scenario: tiny
{keys}

"""
WORK_H = """diff --git a/work.h b/work.h
--- a/work.h
+++ b/work.h
@@ -1 +1,2 @@
 /* work */
+{line}
"""


SLOWER = """expect: regressed
stage: alpha
cause: instructions
ipp: +0.5
cpp: ~+0.5
kind: more-instructions"""


def mutant(nf: NfRepository, name: str, keys: str, line: str) -> None:
    nf.write(f"mutants/{name}.patch", HEADER.format(keys=keys) + WORK_H.format(line=line))


@pytest.fixture
def nf(nf_repository: NfRepository) -> NfRepository:
    nf_repository.write("work.h", "/* work */\n")
    mutant(nf_repository, "planted/01-slower", SLOWER, "#define ALPHA_WORK 400")
    broken = "expect: broken\nlcores: 2\nkind: lock"
    mutant(nf_repository, "planted/02-two-lcores", broken, "#define ALPHA_WORK 401")
    mutant(nf_repository, "equal/01-remark", "expect: same\nkind: comment", "/* more work */")
    nf_repository.commit("mutants")
    return nf_repository


def run(nf: NfRepository, nalm: Nalm, *options: str) -> subprocess.CompletedProcess[str]:
    command = "from nalm_agent.mutants.cli import main; main()"
    return subprocess.run(
        [sys.executable, "-c", command, "run", "--nf", str(nf.path), *options],
        env=nalm.environment(),
        capture_output=True,
        text=True,
        check=False,
        timeout=280,
    )


@pytest.mark.timed
@pytest.mark.nightly
def test_a_campaign_and_its_resumption(nf: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    file = tmp_path / "all.jsonl"
    cpu = str(max(os.sched_getaffinity(0)))
    options = ["--aa", "1", "--aa-scenario", "tiny", "--cpu", cpu, "--json", str(file)]
    options += ["--reports", str(tmp_path / "reports")]
    done = run(nf, nalm, *options)
    records = {record.name: record for record in read_records(file)}
    assert list(records) == ["planted/01-slower", "planted/02-two-lcores", "equal/01-remark", "a-a/001"]
    slower = records["planted/01-slower"]
    assert (slower.outcome, slower.culprit_stages, slower.cause) == ("regressed", ["alpha"], "instructions")
    assert slower.ratio_ipp is not None
    assert slower.ratio_ipp > 1.1
    assert [change.stage for change in slower.instruction_changes] == ["alpha"]
    assert slower.seconds.build is not None
    assert slower.launches >= 3
    assert records["planted/02-two-lcores"].outcome == "skipped"
    assert (records["equal/01-remark"].outcome, records["equal/01-remark"].launches) == ("same", 0)
    assert records["a-a/001"].launches >= 3, "measured although the code is equal"
    assert records["a-a/001"].outcome in ("same", "inconclusive")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "not measured on this host: planted/02-two-lcores" in done.stdout
    assert (tmp_path / "reports" / "planted-01-slower.json").exists()

    cut = file.read_text().splitlines(keepends=True)
    file.write_text("".join(cut[:-1]) + cut[-1][:40])
    nf.write("mutants/equal/02-other.patch", (nf.path / "mutants/equal/01-remark.patch").read_text())
    again = run(nf, nalm, *options, "--resume", "--only", "*/0[12]-[sro]*")
    assert again.returncode == 0, again.stdout + again.stderr
    assert "planted/01-slower: checkout" not in again.stderr
    names = [record.name for record in read_records(file)]
    assert names == [*list(records)[:3], "equal/02-other", "a-a/001"]


@pytest.mark.nightly
def test_a_missed_one_fails(nf: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    """A comment that is expected to be slower: what nalm says is right, the header is not."""
    text = (nf.path / "mutants/equal/01-remark.patch").read_text()
    more = "expect: regressed\nstage: alpha\ncause: instructions"
    nf.write("mutants/planted/03-remark.patch", text.replace("expect: same", more))
    nf.write("mutants/planted/04-stale.patch", text.replace(" /* work */", " /* was */"))
    file = tmp_path / "some.jsonl"
    done = run(nf, nalm, "--only", "planted/0[34]*", "--json", str(file), "--quiet")
    assert done.returncode == 1, done.stderr
    assert "short: planted/03-remark: called same, expected regressed" in done.stdout
    stale: Record = read_records(file)[1]
    assert stale.outcome == "error"
    assert "does not apply" in stale.reason


def test_a_fault_of_the_host_ends_the_campaign(nf: NfRepository, tmp_path: Path) -> None:
    """A full disk says nothing about a mutant: a resumed campaign measures it."""

    class Full(Campaign):
        def _report(self, task: Task, watch: Stopwatch) -> RunReport:
            raise HostError("the disk is full")

    scratch = Scratch(nf.path, tmp_path / "scratch", None)
    file = tmp_path / "all.jsonl"
    home = Home(tmp_path / "home")
    with home.work() as work, pytest.raises(HostError, match="the disk is full"):
        tasks = aa_tasks(1, "tiny")
        list(Full(scratch, home, work, None).run(tasks, Journal(file, resume=False), Silent()))
    assert not file.exists()


def test_wrong_arguments_are_named(nf: NfRepository, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no kind is called slow"):
        chosen(nf.path, "*", ["slow"], None)
    with pytest.raises(UsageError, match="is not there"):
        chosen(tmp_path, "*", [], None)
    assert list(chosen(nf.path, "*", ["comment"], None)) == ["equal/01-remark"]
    assert list(chosen(nf.path, "*", [], 2)) == ["equal/01-remark", "planted/01-slower"]


def test_the_scratch_repository_repeats_and_holds_no_answers(nf: NfRepository, tmp_path: Path) -> None:
    commits = []
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        scratch = Scratch(nf.path, tmp_path / name, budget_seconds=7)
        patches = chosen(nf.path, "planted/0[12]*", [], None)
        commits.append([scratch.apply(patch) for patch in patches.values()])
    assert commits[0] == commits[1]
    assert commits[0][0].base != commits[0][1].base, "the second has other lcores"
    assert not (tmp_path / "one" / "mutants").exists()
    text = (tmp_path / "one" / "nalm.toml").read_text()
    assert "budget_seconds = 7" in text
    assert "lcores = 2" in text


def test_a_value_is_put_into_its_table() -> None:
    text = with_value(with_value(NALM_TOML, "judge", "looks", "3"), "scenarios.tiny", "lcores", "2")
    assert "looks = 2" not in text
    assert "[judge]\nlooks = 3\nmargin" in text
    assert '[scenarios.tiny]\nlcores = 2\nfeatures = ["alpha"' in text
    assert with_value("a = 1\n", "judge", "looks", "3") == "a = 1\n\n[judge]\nlooks = 3\n"
