# SPDX-License-Identifier: Apache-2.0
"""Settings from environment and file: errors name wrong and unknown ones, and nothing shows secrets."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from nalm_server.base import settings_loading
from nalm_server.base.settings_loading import NEIGHBOURS, SettingsError, known, load
from nalm_server.cli import up
from nalm_server.cli.main import app
from typer.testing import CliRunner

AGENT = Path(__file__).parents[3] / "agent" / "nalm_agent"


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "nalm.env"
    monkeypatch.setenv("NALM_CONFIG", str(path))
    return path


def test_environment_goes_before_the_file(config: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config.write_text("NALM_LEASE_SECONDS=90\nNALM_JOB_ATTEMPTS=5\n")
    monkeypatch.setenv("NALM_LEASE_SECONDS", "120")
    settings = load()
    assert (settings.lease_seconds, settings.job_attempts) == (120, 5)
    sources = {one.variable: one.source for one in settings_loading.effective(settings)}
    assert sources["NALM_LEASE_SECONDS"] == "environment"
    assert sources["NALM_JOB_ATTEMPTS"] == str(config)
    assert sources["NALM_LOG_JSON"] == "default"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("NALM_LEASE_SECONS=90", "did you mean NALM_LEASE_SECONDS?"),
        ("NALM_ZZZZZZZZ=1", "`nalm-server settings` lists"),
        ("NALM_LEASE_SECONDS=soon", "NALM_LEASE_SECONDS in "),
        ("NALM_AGENT_CAPABILITIES=wings", ": wings: expected some of "),
    ],
)
def test_mistakes_in_the_file_are_named(config: Path, line: str, said: str) -> None:
    config.write_text(line + "\n")
    with pytest.raises(SettingsError, match=re.escape(said)) as raised:
        load()
    assert str(config) in str(raised.value)


def test_unknown_variable_of_the_environment_runs_nothing(tmp_path: Path) -> None:
    done = CliRunner().invoke(
        app, ["migrate", "--state", str(tmp_path / "state")], env={"NALM_DATABSE_URL": "x"}
    )
    assert done.exit_code == 2
    assert "did you mean NALM_DATABASE_URL?" in done.stderr
    assert not (tmp_path / "state").exists()


def test_file_that_is_not_there_is_named(config: Path) -> None:
    with pytest.raises(SettingsError, match="cannot be read"):
        load()


def test_secrets_are_masked(config: Path) -> None:
    config.write_text(
        "NALM_DATABASE_URL=postgresql+psycopg://nalm:hush1@db/nalm\n"
        "NALM_REDIS_URL=redis://server:hush2@redis:6379/0\n"
        f"NALM_AGENT_TOKEN={'hush3' * 8}\n"
    )
    done = CliRunner().invoke(app, ["settings"])
    assert done.exit_code == 0
    assert "hush" not in done.stdout
    assert "postgresql+psycopg://nalm:***@db/nalm" in done.stdout
    assert "redis://server:***@redis:6379/0" in done.stdout


def test_agents_variables_may_stand_beside() -> None:
    """On one host both read one environment."""
    text = "".join(path.read_text() for path in AGENT.rglob("*.py"))
    read = set(
        re.findall(
            r"""(?:environ(?:\.get)?[\[(]|envvar=|^[A-Z_]+ = (?:Maximum\()?)"(NALM_[A-Z_]+)""", text, re.M
        )
    )
    assert {"NALM_HOME", "NALM_ISOLATION", "NALM_BUILD_USER", "NALM_BUILD_DISK_MB"} <= read
    assert read <= NEIGHBOURS | known()


@pytest.mark.parametrize(
    ("options", "served"),
    [([], ("0.0.0.0", 9090)), (["--host", "::1"], ("::1", 9090)), (["--port", "0"], ("0.0.0.0", 0))],
)
def test_the_file_says_where_to_serve_unless_an_option_does(
    options: list[str],
    served: tuple[str, int],
    config: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config.write_text("NALM_HOST=0.0.0.0\nNALM_PORT=9090\n")
    found = []
    monkeypatch.setattr(up, "run_up", lambda settings, **_: found.append((settings.host, settings.port)))
    done = CliRunner().invoke(app, ["up", "--no-agent", "--state", str(tmp_path), *options])
    assert done.exit_code == 0, done.output
    assert found == [served]
    shown = CliRunner().invoke(app, ["settings"]).stdout
    assert re.search(rf"^NALM_PORT +9090 +\({re.escape(str(config))}\)$", shown, re.M)


@pytest.mark.parametrize("given", ["", "tcp://10.0.0.1:80", "udp://10.0.0.1:80"])
def test_what_containers_find_in_the_environment_is_no_port(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An empty line of a settings file; what Kubernetes says of a Service named nalm."""
    monkeypatch.setenv("NALM_PORT", given)
    monkeypatch.setenv("NALM_HOST", "")
    for name in ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT_80_TCP", "PORT_80_TCP_ADDR"):
        monkeypatch.setenv(f"NALM_{name}", "10.0.0.1")
    found = []
    monkeypatch.setattr(up, "run_up", lambda settings, **_: found.append((settings.host, settings.port)))
    done = CliRunner().invoke(app, ["up", "--no-agent", "--state", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert found == [("127.0.0.1", 8080)]
