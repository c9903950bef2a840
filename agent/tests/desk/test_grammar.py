# SPDX-License-Identifier: Apache-2.0
"""One grammar for all commands: BASE and HEAD, --json [FILE], --config FILE, --verbose; and `nalm build`."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer.main
from nalm_agent.cli.check import pair_of
from nalm_agent.desk.result_cache import DECIDED
from nalm_agent.mutants.cli import app as mutants
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.commands import COMMANDS, JsonCommand, UnloadedCommand
from nalm_core.report.run_report import RunStatus
from nalm_core.report.serialization import parse_report
from nalm_core.text.json_option import with_json_files
from nalm_core.verdict.verdict import judge
from tiny import FEW_LAUNCHES, NALM_TOML, Nalm, NfRepository


@pytest.mark.parametrize(
    ("given", "read"),
    [
        (["--json"], ["--json", "-"]),
        (["--json", "run.json", "A"], ["--json", "run.json", "A"]),
        (["--json", "/tmp/x"], ["--json", "/tmp/x"]),
        (["--json", "./x", "--force"], ["--json", "./x", "--force"]),
        (["--json", "-", "A"], ["--json", "-", "A"]),
        (["--json", "HEAD~1", "HEAD"], ["--json", "-", "HEAD~1", "HEAD"]),
        (["--json", "v1.0", "v1.1"], ["--json", "-", "v1.0", "v1.1"]),
        (["--json=x", "A"], ["--json=x", "A"]),
        (["A", "--json", "--force"], ["A", "--json", "-", "--force"]),
        (["--", "--json"], ["--", "--json"]),
    ],
)
def test_the_file_after_json_may_be_missing(given: list[str], read: list[str]) -> None:
    assert with_json_files(given) == read


def with_json(command: Any) -> Iterator[tuple[Any, Any]]:
    """Each command below that has `--json`, with the option."""
    for below in getattr(command, "commands", {}).values():
        yield from with_json(below)
    for option in command.params:
        if "--json" in option.opts:
            yield command, option


def test_json_takes_a_file_or_none_in_every_command_that_has_it() -> None:
    loaded = [UnloadedCommand(name).loaded() for below in COMMANDS.values() for name in below]
    found = [row for command in loaded for row in with_json(command)]
    campaigns = list(with_json(typer.main.get_command(mutants)))
    assert len(found) > 20 and campaigns
    for command, option in [*found, *campaigns]:
        assert (option.is_flag, option.metavar) == (False, "[FILE]"), command.name
    assert all(isinstance(command, JsonCommand) for command, _ in campaigns)


@pytest.mark.parametrize(
    ("revisions", "options", "pair"),
    [
        ([], (None, None), (None, "worktree")),
        (["A"], (None, None), ("A", "worktree")),
        (["A", "B"], (None, None), ("A", "B")),
        (["A..B"], (None, None), ("A", "B")),
        (["A.."], (None, None), ("A", "HEAD")),
        (["A"], (None, "B"), ("A", "B")),
        ([], ("A", "B"), ("A", "B")),
        (["A"], ("A", None), ("A", "worktree")),
    ],
)
def test_base_and_head(
    revisions: list[str], options: tuple[str | None, str | None], pair: tuple[str | None, str]
) -> None:
    assert pair_of(revisions, *options) == pair


@pytest.mark.parametrize(
    ("revisions", "base", "said"),
    [
        (["A", "B", "C"], None, "at most two commits, found 3"),
        (["A", "B"], "C", "base is both A and, by --base, C"),
        (["A...B"], None, "A...B is a set of commits"),
    ],
)
def test_a_pair_that_is_none_is_refused(revisions: list[str], base: str | None, said: str) -> None:
    with pytest.raises(UsageError, match=said.replace(".", r"\.")):
        pair_of(revisions, base, None)


@pytest.fixture
def without_config(nf_repository: NfRepository) -> NfRepository:
    """Two commits that never had a nalm.toml, nor a capture; head is slower."""
    nf_repository.git("rm", "-q", "nalm.toml", "traffic/capture.bin")
    nf_repository.git("commit", "-q", "--amend", "-m", "first")
    nf_repository.commit("slower", work__h="#define ALPHA_WORK 90\n")
    return nf_repository


def test_commits_without_nalm_toml_are_judged_by_another_one(
    without_config: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    path = without_config.path
    refused = nalm.run("check", "HEAD~1", "HEAD", cwd=path)
    assert refused.returncode == 2
    assert "has no nalm.toml" in refused.stderr and "--config FILE" in refused.stderr
    beside = tmp_path / "bench"
    (beside / "traffic").mkdir(parents=True)
    (beside / "traffic" / "capture.bin").write_text("packets")
    (beside / "my.toml").write_text(FEW_LAUNCHES)
    given = ("--config", str(beside / "my.toml"))
    done = nalm.run("check", "HEAD~1", "HEAD", *given, "--json", str(tmp_path / "run.json"), cwd=path)
    report = parse_report((tmp_path / "run.json").read_text())
    assert report.status is RunStatus.MEASURED, done.stderr
    assert report.scenario.traffic.startswith("capture.bin@")
    assert not [note for note in report.notes if "traffic differs" in note]
    again = nalm.run("check", "HEAD~1", "HEAD", *given, cwd=path)
    decided = judge(report).outcome in DECIDED
    assert ("unchanged since" in again.stderr) == decided
    assert "warms up" not in again.stdout
    pooled = nalm.run("check", "HEAD~1", "HEAD", *given, "--pool", "--json", "-", cwd=path)
    assert json.loads(pooled.stdout)["tiny"]["runs"] == (1 if decided else 2), pooled.stderr
    (beside / "my.toml").write_text(FEW_LAUNCHES.replace("packets = 20000", "packets = 10000"))
    other = nalm.run("check", "HEAD~1", "HEAD", *given, "--pool", cwd=path)
    assert other.returncode == 3 and "has no run of this pair" in other.stdout, "another program"
    (beside / "my.toml").write_text(NALM_TOML.replace("packets = 20000", "packets = many"))
    wrong = nalm.run("check", "HEAD~1", "HEAD", *given, cwd=path)
    assert wrong.returncode == 2 and f"{beside / 'my.toml'}:" in wrong.stderr


@pytest.mark.nightly
def test_commits_without_nalm_toml_are_searched_compared_and_explained_by_another_one(
    without_config: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    path, beside = without_config.path, tmp_path / "bench"
    culprit = without_config.git("rev-parse", "HEAD")
    without_config.commit("words", README__md="tinier\n")
    refused = nalm.run("bisect", "HEAD~2", "HEAD", "--metric", "ipp", cwd=path)
    assert refused.returncode == 2 and "--config FILE" in refused.stderr
    (beside / "traffic").mkdir(parents=True)
    (beside / "traffic" / "capture.bin").write_text("packets")
    (beside / "my.toml").write_text(NALM_TOML.replace("max_launches = 8", "max_launches = 4"))
    given = ("--config", str(beside / "my.toml"), "--json")
    searched = nalm.run("bisect", "HEAD~2", "HEAD", "--metric", "ipp", *given, cwd=path)
    found = json.loads(searched.stdout)
    assert (searched.returncode, found["outcome"], found["place"]) == (0, "culprit", culprit), searched.stderr
    compared = nalm.run("compare", f"{culprit}~1", culprit, *given, cwd=path)
    (document,) = json.loads(compared.stdout)
    assert document["scenario"] == "tiny", compared.stderr
    explained = nalm.run("explain", f"{culprit}~1", culprit, *given, cwd=path)
    assert explained.returncode == 0 and "alpha" in explained.stdout, explained.stderr
    assert "cycles: first launch" in compared.stderr
    # one run for both, unless the first is undecided
    assert ("cycles:" not in explained.stderr) == (document["outcome"] in DECIDED), explained.stderr


def test_a_build_may_use_files_beside_the_config(
    without_config: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """A driver that the repository does not have, and no capture: the NF makes its own packets."""
    beside = tmp_path / "bench"
    beside.mkdir()
    driver = (without_config.path / "tiny_nf.c").read_text()
    (beside / "driver.c").write_text(driver)
    text = NALM_TOML.replace("{source}/tiny_nf.c", "{config_dir}/driver.c").replace(
        'traffic = "traffic/capture.bin"\n', ""
    )
    text = text.replace('"{traffic}"', '"/dev/null"').replace('paths = ["tiny_nf.c", ', "paths = [")
    (beside / "nalm.toml").write_text(text)
    done = nalm.run("build", "HEAD", "--config", str(beside / "nalm.toml"), "--json", cwd=without_config.path)
    assert done.returncode == 0, done.stderr
    (built,) = json.loads(done.stdout)
    assert built["scenario"] == "tiny" and built["programs"] == ["tiny_nf"]
    assert Path(built["log"]).exists()
    (beside / "driver.c").write_text("#error edited\n")
    failed = nalm.run("build", "HEAD", "--config", str(beside / "nalm.toml"), cwd=without_config.path)
    assert failed.returncode == 4 and "edited" in failed.stderr


def test_scenarios_differ_in_build_options_and_environment(nf_repository: NfRepository, nalm: Nalm) -> None:
    command = '"-o", "{build}/tiny_nf"'
    text = NALM_TOML.replace(command, f'"{{build_options}}", {command}')
    text = text.replace("ready_seconds = 5", 'ready_seconds = 5\nenvironment = { A = "{build}", B = "run" }')
    text = text.replace("[judge]", 'build_options = ["-DNDEBUG"]\nenvironment = { B = "own" }\n[judge]')
    nf_repository.commit("options", nalm__toml=text)
    done = nalm.run("build", "--json", "-q", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    log = nalm.run("build", cwd=nf_repository.path)
    assert "built in" in done.stdout or "built before" in log.stdout
    wrong = text.replace('"{build_options}", ', "")
    nf_repository.write("nalm.toml", wrong)
    refused = nalm.run("build", cwd=nf_repository.path)
    assert refused.returncode == 2 and "build.commands has no {build_options}" in refused.stderr
