# SPDX-License-Identifier: Apache-2.0
"""`nalm experiment platform` with a real NF: on kernel files in a directory, of which the NF obeys one, and
on this host's transparent huge pages."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from fake_host import files, metal
from nalm_agent.host import tune
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import THP, WATCHDOG, read
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from nalm_agent.store.home import Home
from nalm_core.rates.experiments.platform import (
    AGAIN,
    TOGETHER,
    PlatformFigure,
    PlatformReport,
    judge_platform,
)
from tiny import RATES_TOML, Nalm, NfRepository
from typer.testing import CliRunner, Result
from waiting import until

QUICK = ("--pps", "50000", "--duration", "0.05", "--leave-out", "0")
OBEYING = """#!/bin/sh
# An NF that the host's watchdog slows down.
read -r watchdog <"$1"
shift
[ "$watchdog" = 0 ] && exec "$@"
exec "$@" --poll-work 20000
"""


@pytest.fixture
def obeying(traffic_repository: NfRepository, tmp_path: Path) -> NfRepository:
    """The NF does more work per poll while the watchdog of the fake host is on."""
    watchdog = tmp_path / "root" / WATCHDOG[1:]
    command = f'["sh", "{{source}}/obeying.sh", "{watchdog}", "{{build}}/traffic_nf"]'
    toml = RATES_TOML.replace('["{build}/traffic_nf"]', command).replace('["--capacity", "100000"]', "[]")
    traffic_repository.write("obeying.sh", OBEYING)
    traffic_repository.write(
        "nalm.toml", toml.replace('"nalm_traffic.h"]', '"nalm_traffic.h", "obeying.sh"]')
    )
    return traffic_repository


@pytest.fixture
def server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> System:
    """A server's kernel files instead of this host's, as the experiment sees them."""
    system = metal(tmp_path / "root")
    files(system.root, {"sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never"})
    monkeypatch.setattr("nalm_agent.rates.platform.System", lambda: system)
    monkeypatch.setattr("nalm_agent.host.tune.require_root", lambda: None)
    return system


def experiment(repository: NfRepository, home: Path, *arguments: str) -> Result:
    command = ["experiment", "platform", *arguments, "--repo", str(repository.path), "--quiet"]
    return CliRunner().invoke(app, command, env={"NALM_HOME": str(home), "COLUMNS": "200"})


@pytest.mark.timed
@pytest.mark.nightly
def test_the_contribution_of_a_setting_that_the_nf_obeys(
    obeying: NfRepository, server: System, session_home: Path, tmp_path: Path
) -> None:
    out = tmp_path / "platform.json"
    done = experiment(
        obeying, session_home, "watchdogs", "numa-balancing", "thp", *QUICK, "--launches", "11",
        "--json", str(out),
    )  # fmt: skip
    assert out.exists(), done.output
    report = PlatformReport.model_validate_json(out.read_text())
    result = judge_platform(report)
    assert (done.exit_code, result.verdict) == (0, "measured"), done.output
    reasons = {one.name: one.unavailable for one in report.host_settings}
    assert reasons == {
        "thp": f"it is so already: {THP} is madvise",
        "numa-balancing": None,
        "watchdogs": None,
    }
    rows = {row.state: row.contributions for row in result.rows}
    assert list(rows) == [AGAIN, "numa-balancing", "watchdogs", TOGETHER]
    for state in ("watchdogs", TOGETHER):
        assert rows[state][PlatformFigure.CPP].differs and rows[state][PlatformFigure.CPP].change < -0.5
    for state in (AGAIN, "numa-balancing"):
        assert abs(rows[state][PlatformFigure.CPP].change) < 0.3
    text = " ".join(done.stdout.split())
    assert f"thp: not available: it is so already: {THP} is madvise" in text
    assert "latency mean" in text and "-38 % to -74 %" in text and "1 / 7.4" in text
    assert "section IV" in text
    assert {path: read(server, path) for path in (WATCHDOG, "/proc/sys/kernel/numa_balancing")} == {
        WATCHDOG: "1",
        "/proc/sys/kernel/numa_balancing": "1",
    }
    assert not (session_home / tune.FILE).exists()


def test_an_nf_that_fails_leaves_no_setting_changed(
    obeying: NfRepository, server: System, session_home: Path
) -> None:
    obeying.write("obeying.sh", OBEYING.replace('[ "$watchdog" = 0 ] &&', '[ "$watchdog" = 0 ] && exit 7;'))
    done = experiment(obeying, session_home, "watchdogs", *QUICK, "--launches", "2")
    assert done.exception is not None and "exit" in str(done.exception)
    assert read(server, WATCHDOG) == "1" and not (session_home / tune.FILE).exists()


def test_a_host_without_such_settings_is_reported_why(
    obeying: NfRepository, server: System, session_home: Path
) -> None:
    files(server.root, {"proc/sys/kernel/numa_balancing": "0"})
    done = experiment(obeying, session_home, "numa-balancing", "thp", *QUICK)
    assert "no setting of this host can be varied" in str(done.exception)
    assert "numa-balancing: it is so already" in str(getattr(done.exception, "log", ""))


def test_a_dry_run_shows_what_would_be_varied(
    obeying: NfRepository, server: System, session_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("nalm_agent.host.kernel_files.System", lambda: server)
    done = experiment(obeying, session_home, "--dry-run")
    assert done.exit_code == 0, done.output
    assert f"watchdogs: {WATCHDOG}: 1 -> 0 (no watchdog that wakes on every CPU)" in done.stdout
    assert "thp: not available: it is so already" in done.stdout
    assert read(server, WATCHDOG) == "1"


def test_a_setting_that_does_not_exist(obeying: NfRepository, server: System, session_home: Path) -> None:
    done = experiment(obeying, session_home, "bios", *QUICK)
    assert isinstance(done.exception, UsageError)
    assert "there is no setting bios" in done.exception.message
    assert "governor, turbo" in (done.exception.hint or "")


def test_a_misspelled_setting_comes_before_root_and_nalm_toml(
    nf_repository: NfRepository, session_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a user, in a repository whose NF has no rates."""
    monkeypatch.setattr("os.geteuid", lambda: 1000)
    for options in ((), ("--dry-run",)):
        done = experiment(nf_repository, session_home, "watchdog", *options)
        assert isinstance(done.exception, UsageError)
        assert "there is no setting watchdog" in done.exception.message
        assert "watchdogs" in (done.exception.hint or "")


def test_a_tuned_host_is_refused(obeying: NfRepository, server: System, session_home: Path) -> None:
    home = Home(session_home)
    tune.tune(server, home, [tune.Change(WATCHDOG, "1", "0", "")])
    try:
        done = experiment(obeying, session_home, "watchdogs", *QUICK)
        assert "has the settings of `nalm doctor --tune`" in str(done.exception)
        assert read(server, WATCHDOG) == "0"
    finally:
        tune.untune(server, home)


@pytest.fixture
def always() -> Iterator[System]:
    """This host with transparent huge pages always, reverted at the end. Skips where they cannot be set."""
    system, before = System(), read(System(), THP)
    try:
        system.write(THP, "always")
    except OSError as error:
        pytest.skip(f"{THP} cannot be written: {error.strerror}")
    try:
        yield system
    finally:
        system.write(THP, before or "madvise")


@pytest.mark.timed
def test_a_setting_of_this_host_is_as_before_afterwards(
    traffic_repository: NfRepository, nalm: Nalm, always: System, tmp_path: Path
) -> None:
    out = tmp_path / "platform.json"
    command = ("experiment", "platform", "thp", *QUICK, "--launches", "2", "--json", str(out))
    done = nalm.run(*command, cwd=traffic_repository.path)
    assert done.returncode == 3, done.stderr  # too few launches for an interval
    report = PlatformReport.model_validate_json(out.read_text())
    (thp,) = report.host_settings
    assert [(one.path, one.before, one.after) for one in thp.files] == [(THP, "always", "madvise")]
    assert sorted({one.state for one in report.launches}) == ["as it is", AGAIN, "thp"]
    assert read(always, THP) == "always" and not (nalm.home / tune.FILE).exists()


@pytest.mark.nightly
@pytest.mark.timed
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL], ids=["term", "kill"])
def test_a_setting_of_this_host_is_reverted_after_a_signal(
    traffic_repository: NfRepository, nalm: Nalm, always: System, number: signal.Signals
) -> None:
    slow = ("--pps", "50000", "--duration", "0.5", "--leave-out", "0", "--launches", "9")
    process = nalm.start("experiment", "platform", "thp", *slow, cwd=traffic_repository.path)
    assert process.stderr is not None
    assert any(line.startswith("platform:") for line in process.stderr)
    assert until(lambda: read(always, THP) == "madvise" or process.poll() is not None)
    process.send_signal(number)
    process.communicate(timeout=60)
    if number is signal.SIGTERM:
        assert process.returncode == 130
    else:
        assert read(always, THP) == "madvise" and (nalm.home / tune.FILE).exists()
        done = nalm.run("store", cwd=traffic_repository.path)
        assert done.returncode == 0
        assert f"reverted a setting of an experiment that was killed: {THP}" in done.stderr
    assert read(always, THP) == "always" and not (nalm.home / tune.FILE).exists()
