# SPDX-License-Identifier: Apache-2.0
"""`nalm check` and `nalm bench` as complete commands, with real git, gcc, valgrind, probe and processes."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from nalm_agent.counters import perf
from nalm_agent.report.result import Result
from nalm_core.explain import explain
from nalm_core.report.run_report import Arm, RunReport, RunStatus, Source
from nalm_core.report.serialization import parse_report
from nalm_core.report.summary import summarise
from nalm_core.verdict.verdict import Verdict, judge
from tiers import by_night
from tiny import FEW_LAUNCHES, NALM, NALM_TOML, Nalm, NfRepository

SLOWER = "#define ALPHA_WORK 90\n"


def report_of(path: Path) -> RunReport:
    return parse_report(path.read_bytes())


def assert_it_is_explained(report: RunReport, verdict: Verdict) -> None:
    """The report names the slower function by exact counts, and by samples where the kernel allows them. It
    also has the counts of the cache model."""
    (change,) = verdict.instruction_changes
    assert change.stage == "alpha" and change.relevant
    assert change.functions[0].name == "churn"
    assert {count.arm for count in report.model_counts} == {Arm.BASE, Arm.HEAD}
    assert set(report.tools) == {"tsc", "simulated", "papi", "perf"}
    if perf.profile_available() is None:
        assert {profile.arm for profile in report.profiles} == {Arm.BASE, Arm.HEAD}
        (costliest, *_) = verdict.functions or []
        assert (costliest.name, costliest.stage, costliest.file) == ("churn", "alpha", "tiny_nf.c")
        assert costliest.head_cpp > costliest.base_cpp


def assert_other_programs_are_reported(folder: Path, stdout: str) -> None:
    """Each output format names the slower function and its file."""
    assert "<failure" in (folder / "junit").read_text()
    results = json.loads((folder / "sarif").read_text())["runs"][0]["results"]
    places = [one["locations"][0]["physicalLocation"] for one in results]
    assert places[0]["artifactLocation"]["uri"] == "tiny_nf.c" and places[0]["region"]["startLine"] > 1
    assert "`churn` at `tiny_nf.c:" in (folder / "markdown").read_text()
    assert "::error file=tiny_nf.c,line=" in stdout


def test_regression_in_the_working_tree(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.write("work.h", SLOWER)
    forms = [text for form in ("junit", "sarif", "markdown") for text in (f"--{form}", tmp_path / form)]
    named = ["--json", tmp_path / "run.json", *forms, "--github"]
    done = nalm.run("check", *map(str, named), cwd=nf_repository.path)
    assert done.returncode == 1, done.stderr
    assert_other_programs_are_reported(tmp_path, done.stdout)
    assert "HEAD, the commit under the working tree" in done.stderr
    assert "instructions: alpha +1" in done.stderr
    assert "regressed" in done.stdout
    assert "alpha*" in done.stdout
    report = report_of(tmp_path / "run.json")
    verdict = judge(report)
    assert (verdict.outcome, verdict.culprit_stages, verdict.cause) == (
        "regressed",
        ["alpha"],
        "instructions",
    )
    assert report.status is RunStatus.MEASURED
    assert report.valid
    assert_it_is_explained(report, verdict)
    assert {check.name for check in report.checks} >= {"eq6_closes", "stages_add_up", "packets_conserved"}
    assert report.arms[Arm.HEAD].build.dirty
    assert not report.arms[Arm.BASE].build.dirty
    assert report.sources[Source.TSC] is None
    assert report.sources[Source.SIMULATED] is None
    assert report.sources[Source.PMU]
    orders = {(one.turn + one.launch) % 2: one.order for one in report.rounds if one.arm is Arm.BASE}
    assert orders == {0: 0, 1: 1}
    assert len({count.packets for count in report.instructions}) == 1


@pytest.mark.skipif(perf.profile_available() is not None, reason="functions cannot be sampled here")
@pytest.mark.parametrize(
    ("work_h", "detail", "named"),
    [
        ("#define ALPHA_FENCED_CLOCK\n", "serialising", "rdtsc"),
        ("#define ALPHA_ATOMIC\n", "atomics", "lock "),
    ],
)
@pytest.mark.nightly
def test_instructions_that_wait_are_the_cause(
    nf_repository: NfRepository, nalm: Nalm, *, tmp_path: Path, work_h: str, detail: str, named: str
) -> None:
    nf_repository.write("work.h", work_h)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 1, done.stdout + done.stderr
    report = report_of(tmp_path / "run.json")
    found = explain(report, judge(report))
    assert (found.stage, found.detail) == ("alpha", detail), found.text
    assert named in found.text
    assert {one.arm for one in report.memory} == {Arm.BASE, Arm.HEAD}


@pytest.mark.nightly
def test_improvement_is_no_failure(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.commit("slow", work__h=SLOWER)
    nf_repository.commit("fast again", work__h="")
    done = nalm.run("bench", "HEAD", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert "improved" in done.stdout


def test_nothing_changed_answers_at_once(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.commit("docs", README__md="more words\n")
    done = nalm.run("check", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert "nothing to measure" in done.stdout
    assert "build:" not in done.stderr


def test_equal_code_is_not_measured(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.commit("a comment", work__h="/* why */\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.UNCHANGED
    builds = [report.arms[arm].build for arm in (Arm.BASE, Arm.HEAD)]
    assert builds[0].tree != builds[1].tree
    assert builds[0].code_digest == builds[1].code_digest


@pytest.mark.nightly
def test_functions_that_only_moved_are_not_measured_unless_requested(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    in_order = NALM_TOML.replace('"-O2"', '"-O2", "-fno-toplevel-reorder"')
    nf_repository.commit("functions lie as they are written", nalm__toml=in_order)
    text = (nf_repository.path / "tiny_nf.c").read_text()
    first = text.index("static __attribute__((noinline)) void gen_process")
    second = text.index("static __attribute__((noinline)) uint32_t alpha_process")
    end = text.index("static __attribute__((noinline)) void beta_process")
    swapped = text[:first] + text[second:end] + text[first:second] + text[end:]
    nf_repository.commit("reordered", tiny_nf__c=swapped)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.UNCHANGED and report.changed_functions == []
    assert report.arms[Arm.BASE].build.code_digest != report.arms[Arm.HEAD].build.code_digest
    assert "at other addresses" in judge(report).reason
    done = nalm.run("check", "--force", "--json", str(tmp_path / "aa.json"), cwd=nf_repository.path)
    assert done.returncode in (0, 3), done.stdout
    assert report_of(tmp_path / "aa.json").status is RunStatus.MEASURED


def test_feature_merge_has_three_arms_and_a_price(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.commit("start small", nalm__toml=FEW_LAUNCHES.replace('["alpha", "beta"]', '["alpha"]'))
    nf_repository.commit("beta, and alpha edited", nalm__toml=FEW_LAUNCHES, work__h="#define ALPHA_WORK 41\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    report = report_of(tmp_path / "run.json")
    assert set(report.arms) == {Arm.BASE, Arm.HEAD, Arm.HEAD_AS_BASE}
    assert report.arms[Arm.HEAD_AS_BASE].run.features == ["alpha"]
    verdict = judge(report)
    assert verdict.features_added == ["beta"]
    assert verdict.price_cycles_per_packet is not None
    assert verdict.price_cycles_per_packet > 0
    assert done.returncode == Result("run", report, verdict).exit_code, done.stdout


@pytest.mark.nightly
def test_feature_switched_on_in_equal_code(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.commit("start small", nalm__toml=NALM_TOML.replace('["alpha", "beta"]', '["alpha"]'))
    nf_repository.commit(
        "beta on", nalm__toml=NALM_TOML.replace("packets = 20000", "packets = 20000\ncaches = true")
    )
    done = nalm.run("bench", "HEAD", "--json", str(tmp_path / "runs.json"), cwd=nf_repository.path)
    assert done.returncode == 0, done.stdout
    (document,) = json.loads((tmp_path / "runs.json").read_text())
    report = parse_report(json.dumps(document))
    assert set(report.arms) == {Arm.BASE, Arm.HEAD}
    assert judge(report).outcome == "same"
    assert summarise(report, Arm.HEAD).chain["l1d_hit_ratio"].source == "simulated"


BROKEN = {
    "does not build": ("#error no\n", "error: #error no", "build command failed (1)"),
    "does not start": ("#define FAIL_AT_START\n", "did not open its probe", "no route to 192.0.2.1"),
    "dies": ("#define DIE_IN_TURN\n", "ended with signal 6", "table corrupt"),
    "hangs": ("#define HANG_IN_TURN\n", "did not end turn 1 within 10 s", "did not end"),
}
ENDS_LATER = ("dies", "hangs")
"""By day an NF that ends amid a launch, and one that hangs at its second, do."""


@pytest.mark.parametrize(
    ("work_h", "message", "log"),
    [
        pytest.param(*given, id=how, marks=pytest.mark.nightly if how in ENDS_LATER else ())
        for how, given in BROKEN.items()
    ],
)
def test_broken_head(
    nf_repository: NfRepository, nalm: Nalm, *, tmp_path: Path, work_h: str, message: str, log: str
) -> None:
    nf_repository.write("work.h", work_h)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.BROKEN
    assert message in (report.failure or "")
    assert log in (report.failure or "")
    assert "broken" in done.stdout
    assert "Traceback" not in done.stderr


def test_head_that_forwards_nothing(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    toml = NALM_TOML.replace('["alpha", "beta"]', '["beta"]')  # alpha's policy drops would count
    nf_repository.commit("beta alone", nalm__toml=toml)
    nf_repository.write("work.h", "#define FORWARD_NOTHING\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4
    assert report_of(tmp_path / "run.json").status is RunStatus.BROKEN
    assert "forwarded nothing" in done.stdout


@pytest.mark.parametrize(
    ("work_h", "check"),
    [
        ("#define FORWARD_LESS\n", "same_share_forwarded"),
        *by_night(("#define LEAK\n", "buffers_returned")),
    ],
)
def test_head_that_is_broken_while_it_runs_gets_no_verdict_on_speed(
    nf_repository: NfRepository, nalm: Nalm, *, tmp_path: Path, work_h: str, check: str
) -> None:
    nf_repository.write("work.h", work_h)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4, done.stderr
    report = report_of(tmp_path / "run.json")
    assert [one.name for one in report.checks if not one.passed] == [check]
    assert judge(report).outcome == "broken" and check in done.stdout


ENDS = """#include <stdlib.h>
static unsigned spent(void)
{
	static unsigned long packets;
	if (++packets > LIMIT)
		exit(7);
	return 400;
}
#define ALPHA_WORK spent()
"""


@pytest.mark.parametrize(
    ("limit", "status"),
    [("122000", RunStatus.FAILED), *by_night(("(1UL << 60)", RunStatus.BROKEN))],
)
def test_a_program_that_ends_by_itself_is_no_fault_of_head(
    nf_repository: NfRepository, nalm: Nalm, *, tmp_path: Path, limit: str, status: RunStatus
) -> None:
    """Head ends first, within a launch; base, which runs on alone, would have ended in the same launch."""
    nf_repository.commit("ends", work__h=ENDS.replace("LIMIT", limit))
    nf_repository.write("work.h", ENDS.replace("LIMIT", "120000"))
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is status, report.failure
    assert "it ended with exit code 7" in (report.failure or "")


def test_packets_that_end_are_no_fault_of_head(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """After a number of packets nothing comes: for head first, for base later in the same launch."""
    work = "#define ALPHA_WORK 400\n#define DRY_AFTER LIMIT\n"
    nf_repository.commit("dries up", work__h=work.replace("LIMIT", "122000"))
    nf_repository.write("work.h", work.replace("LIMIT", "120000"))
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.FAILED, report.failure
    assert "forwarded nothing" in (report.failure or "")


LISTENS = """#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
__attribute__((constructor)) static void begin(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	snprintf(at.sun_path + 1, sizeof(at.sun_path) - 1, NAME);
	int listening = socket(AF_UNIX, SOCK_STREAM, 0);
	if (bind(listening, (struct sockaddr *)&at, sizeof(at)) != 0) {
		perror("cli: bind");
		exit(1);
	}
}
"""


def test_arms_that_do_not_start_side_by_side_are_no_fault_of_head(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """Each listens at one address, and starts alone."""
    name = f'"{tmp_path.name}-{os.getpid()}"'
    nf_repository.commit("listens", work__h=LISTENS.replace("NAME", name))
    nf_repository.write("work.h", LISTENS.replace("NAME", name) + "#define ALPHA_WORK 41\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4, done.stderr
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.FAILED, report.failure
    assert "Address already in use" in (report.failure or "")
    assert "listen at the same port" in (report.failure or "")


def test_broken_base_says_nothing_about_head(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    nf_repository.commit("broken", work__h="#error no\n")
    nf_repository.commit("repaired", work__h="// fine\n")
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 4
    assert report_of(tmp_path / "run.json").status is RunStatus.FAILED


def test_base_without_nalm_toml_runs_as_head_says(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.git("rm", "-q", "nalm.toml")
    nf_repository.commit("no nalm yet")
    nf_repository.commit("nalm", nalm__toml=NALM_TOML)
    done = nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert any("as head's nalm.toml says" in note for note in report_of(tmp_path / "run.json").notes)


@pytest.mark.nightly
def test_edited_configuration_is_another_run(nf_repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    toml = NALM_TOML.replace('"--features"', '"--config={source}/conf/nf.conf", "--features"')
    nf_repository.commit("configured", nalm__toml=toml, **{"conf/nf__conf": "routes = routes.txt\n"})
    nf_repository.commit("more routes", **{"conf/routes__txt": "10.0.0.0/8 1\n"})
    nalm.run("check", "--json", str(tmp_path / "run.json"), cwd=nf_repository.path)
    report = report_of(tmp_path / "run.json")
    assert report.status is RunStatus.MEASURED, report.failure
    assert "the code is the same; the run definition changed" in report.notes


USAGE = {
    "not a repository": (["check", "--repo", "/"], "is not in a git repository"),
    "no directory": (["check", "--repo", "/nowhere"], "/nowhere is not a directory"),
    "unknown base": (["check", "--base", "nope"], "no commit named 'nope'"),
    "unknown scenario": (
        ["check", "--base", "HEAD", "--scenario", "sfc_b"],
        "no scenario 'sfc_b'; there are: tiny",
    ),
    "root commit": (["bench", "HEAD"], "has no parent to compare with"),
    "empty range": (["bench", "HEAD..HEAD"], "no commits in 'HEAD..HEAD'"),
    "token file": (["agent", "--server", "http://127.0.0.1:1", "--token-file", "/nowhere"], "cannot be read"),
    "top of two": (["top", "--pid", "1", "--perf", "1"], "exclude each other"),
    "top of a process without probe": (["top", "--pid", str(os.getpid())], "maps no probe file"),
    "top of no process": (["top", "--pid", "4194304"], "cannot be looked at"),
    "init again": (["init"], "already exists"),
    "set of commits": (["bench", "HEAD...HEAD"], "A...B is a set of commits"),
    "outputs of a plan": (
        ["check", "--margin", "0.2", "--plan", "--never-fail", "--junit", "x.xml"],
        "--plan measures nothing: it has no --junit, --never-fail",
    ),
    "outputs of a pool": (["check", "--pool", "--sarif", "-"], "--pool measures nothing: it has no --sarif"),
    "unknown option": (["check", "--speed"], "No such option"),
    "hosts of no plan": (["check", "--hosts", "3"], "--hosts requires --plan"),
}


@pytest.mark.parametrize(("arguments", "message"), USAGE.values(), ids=USAGE.keys())
def test_usage_errors(nf_repository: NfRepository, nalm: Nalm, arguments: list[str], message: str) -> None:
    done = nalm.run(*arguments, cwd=nf_repository.path)
    code = 4 if message == "maps no probe file" else 2
    assert done.returncode == code, done.stderr
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_mistakes_in_nalm_toml_run_nothing(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.write("nalm.toml", NALM_TOML.replace("traffic/capture.bin", "traffic/absent.pcap"))
    done = nalm.run("check", cwd=nf_repository.path)
    assert done.returncode == 2
    assert "traffic/absent.pcap is not in" in done.stderr
    nf_repository.write("nalm.toml", NALM_TOML.replace("version = 1", "version = 9"))
    done = nalm.run("check", cwd=nf_repository.path)
    assert done.returncode == 2
    assert "nalm.toml:1: version: expected 1; found 9" in done.stderr


SEVERAL = FEW_LAUNCHES.replace(
    "[judge]\n",
    """[scenarios.wide]
lcores = 64
traffic = "traffic/capture.bin"
[scenarios.zero]
traffic = "traffic/absent.pcap"
[judge]
""",
)


def test_a_scenario_that_this_host_cannot_measure_keeps_no_result_of_others(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.commit("several scenarios", nalm__toml=SEVERAL)
    nf_repository.write("work.h", SLOWER)
    names = ("json", "junit", "sarif", "markdown")
    forms = [word for name in names for word in (f"--{name}", str(tmp_path / name))]
    done = nalm.run("check", *forms, cwd=nf_repository.path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert "nalm: wide: " in done.stderr and "CPUs" in done.stderr
    assert "nalm: scenario zero: the traffic file traffic/absent.pcap is not in" in done.stderr
    (report,) = json.loads((tmp_path / "json").read_text())
    assert report["scenario"]["name"] == "tiny"
    suites = ET.parse(tmp_path / "junit").getroot()
    assert [suite.get("name") for suite in suites] == ["nalm.tiny", "nalm.wide", "nalm.zero"]
    assert suites.find("testsuite[@name='nalm.tiny']/testcase/failure") is not None
    errors = [error.get("message") or "" for error in suites.iter("error")]
    assert "CPUs" in errors[0] and "traffic/absent.pcap is not in" in errors[1]
    runs = json.loads((tmp_path / "sarif").read_text())["runs"]
    assert [run["invocations"][0]["executionSuccessful"] for run in runs] == [True, False, False]
    markdown = (tmp_path / "markdown").read_text()
    assert markdown.startswith("### nalm: regressed")
    assert "- `wide` `" in markdown and "- `zero` `" in markdown

    failing = ["check", "--scenario", "wide", "--base", "HEAD"]
    assert nalm.run(*failing, "--github", *forms[2:], cwd=nf_repository.path).returncode == 4
    assert "<error" in (tmp_path / "junit").read_text()
    assert (tmp_path / "markdown").read_text().startswith("### nalm: invalid\n\n- `wide` ")
    assert nalm.run(*failing, "--never-fail", cwd=nf_repository.path).returncode == 0
    mistaken = nalm.run(*failing, "--scenario", "zero", "--never-fail", cwd=nf_repository.path)
    assert mistaken.returncode == 2, "--never-fail tolerates no mistake of nalm.toml"


def test_a_scenario_that_head_no_longer_has_is_named(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.commit("several scenarios", nalm__toml=SEVERAL)
    nf_repository.write("nalm.toml", NALM_TOML)
    done = nalm.run("check", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert "head's nalm.toml has no such scenario: wide, zero" in done.stderr
    twice = nalm.run("check", "--scenario", "tiny", "--scenario", "tiny", "--json", cwd=nf_repository.path)
    assert json.loads(twice.stdout)["scenario"]["name"] == "tiny", "a scenario named twice is measured once"


def test_a_commit_with_a_mistake_in_nalm_toml_keeps_no_result_of_others(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    nf_repository.commit("documents", README__md="more\n")
    bad = nf_repository.commit("mistake", nalm__toml=NALM_TOML.replace("version = 1", "version = 9"))
    nf_repository.commit("mended", nalm__toml=NALM_TOML)
    out = tmp_path / "runs.json"
    done = nalm.run("bench", "HEAD~3..HEAD", "--json", str(out), cwd=nf_repository.path)
    assert done.returncode == 2, done.stdout + done.stderr
    assert f"nalm: {bad[:7]}" in done.stderr and "version: expected 1; found 9" in done.stderr
    assert len(json.loads(out.read_text())) == 2


def test_report_that_cannot_be_written(nf_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("check", "--base", "HEAD", "--json", "/nowhere/run.json", cwd=nf_repository.path)
    assert done.returncode == 2
    assert "/nowhere/run.json cannot be written" in done.stderr
    assert "against" not in done.stderr  # told before anything is measured


def test_a_result_is_written_whose_text_nobody_reads(nf_repository: NfRepository, nalm: Nalm) -> None:
    command = f"{NALM} check --base HEAD --json run.json; echo $? >code"
    reading, writing = os.pipe()
    os.close(reading)
    subprocess.run(
        ["sh", "-c", command], cwd=nf_repository.path, env=nalm.environment(), stdout=writing, check=True
    )
    os.close(writing)
    assert parse_report((nf_repository.path / "run.json").read_text()).status is RunStatus.UNCHANGED
    assert (nf_repository.path / "code").read_text() == "0\n"


def test_closed_standard_streams(nf_repository: NfRepository, nalm: Nalm) -> None:
    command = f"{NALM} check --base HEAD --json run.json <&- >&- 2>&-"
    done = subprocess.run(["sh", "-c", command], cwd=nf_repository.path, env=nalm.environment(), check=False)
    assert done.returncode == 0
    assert parse_report((nf_repository.path / "run.json").read_text()).status is RunStatus.UNCHANGED


def test_an_untracked_repository_is_left_out_with_a_note(nf_repository: NfRepository, nalm: Nalm) -> None:
    nf_repository.git("clone", "-q", ".", "third-party")
    done = nalm.run("check", "--base", "HEAD", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert "it is a repository of its own: third-party" in done.stdout


def test_json_on_standard_output_is_alone_there(nf_repository: NfRepository, nalm: Nalm) -> None:
    done = nalm.run("check", "--base", "HEAD", "--json", "-", cwd=nf_repository.path)
    assert parse_report(done.stdout).status is RunStatus.UNCHANGED
