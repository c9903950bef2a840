# SPDX-License-Identifier: Apache-2.0
"""Another time for the rounds, within what a report and the host have room for."""

from __future__ import annotations

import pytest
from nalm_agent.config.nalm_toml import parse
from nalm_agent.measure.request import read_config, within_budget
from nalm_agent.runtime.errors import ConfigError
from nalm_agent.source.git import Repository
from nalm_core.report.run_report import MOST_LAUNCHES, MOST_LOOKS
from pydantic import ValidationError
from tiny import NALM_TOML, Nalm, NfRepository

NO_JUDGE = NALM_TOML.partition("[judge]")[0]


@pytest.mark.parametrize(
    ("judge", "seconds", "launches"),
    [
        ("", 1800.0, 720),
        ("", 36_000.0, 2880),
        ("budget_seconds = 5\nmax_launches = 50\n", 1800.0, MOST_LAUNCHES),
        ("budget_seconds = 1e-300\n", 1800.0, MOST_LAUNCHES),
        ("max_launches = 10000\n", 7200.0, MOST_LAUNCHES),
        ("looks = 100\nmax_launches = 200\nbudget_seconds = 7200\n", 1.0, MOST_LOOKS),
    ],
)
def test_launches_in_proportion(judge: str, seconds: float, launches: int) -> None:
    config = within_budget(parse(f"{NO_JUDGE}[judge]\n{judge}"), seconds)
    settings = config.judge.settings(0.01)
    assert settings.max_launches == launches
    assert settings.budget_seconds == min(seconds, 7200), "the host's limit"


def test_no_time_is_given_that_a_report_cannot_have() -> None:
    settings = parse(NO_JUDGE).judge.settings(0.01)
    with pytest.raises(ValidationError, match="finite"):
        type(settings).model_validate({**settings.model_dump(), "budget_seconds": float("inf")})


def test_a_committed_file_that_is_not_utf_8(nf_repository: NfRepository) -> None:
    (nf_repository.path / "nalm.toml").write_bytes(NALM_TOML.encode() + b"# caf\xe9\n")
    nf_repository.commit("in Latin-1")
    repository = Repository(nf_repository.path, nf_repository.path.with_name("scratch"))
    with pytest.raises(ConfigError, match="not text in UTF-8"):
        read_config(repository, repository.resolve("HEAD"))


@pytest.mark.parametrize("to", ["../shared/nalm.toml", "gone.toml", "nalm.toml", "traffic"])
def test_a_link_that_leads_to_no_file_of_the_commit(nf_repository: NfRepository, to: str) -> None:
    (nf_repository.path / "nalm.toml").unlink()
    (nf_repository.path / "nalm.toml").symlink_to(to)
    nf_repository.commit("a link")
    repository = Repository(nf_repository.path, nf_repository.path.with_name("scratch"))
    with pytest.raises(ConfigError, match=f"is a symbolic link to {to}, where this commit") as caught:
        read_config(repository, repository.resolve("HEAD"))
    assert caught.value.hint is not None and "--config FILE" in caught.value.hint


def test_a_link_within_the_commit(nf_repository: NfRepository) -> None:
    (nf_repository.path / "nalm.toml").rename(nf_repository.path / "traffic" / "all.toml")
    (nf_repository.path / "nalm.toml").symlink_to("traffic/all.toml")
    nf_repository.commit("a link")
    repository = Repository(nf_repository.path, nf_repository.path.with_name("scratch"))
    assert read_config(repository, repository.resolve("HEAD")).project.name == "tiny"


def test_minutes_beyond_the_hosts_limit_are_cut_and_it_says_so(
    nf_repository: NfRepository, nalm: Nalm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NALM_BUDGET_SECONDS", "200")
    done = nalm.run("check", "HEAD", "HEAD", "--minutes", "600", cwd=nf_repository.path)
    assert done.returncode == 0, done.stderr
    assert "--minutes 600 is more than this host's limit: measuring for 200 s (NALM_BUDGET_SECONDS)" in (
        done.stderr
    )
