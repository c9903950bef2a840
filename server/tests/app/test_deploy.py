# SPDX-License-Identifier: Apache-2.0
"""compose.yaml, the images and docs/operate.md agree with the code. No container engine is needed."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from nalm_server.base import settings_loading
from nalm_server.base.settings import Settings
from nalm_server.cli.main import app
from nalm_server_sockets import free_port
from typer.testing import CliRunner

ROOT = Path(__file__).parents[3]
COMPOSE = ROOT / "compose.yaml"
OPERATE = ROOT / "docs" / "operate.md"
SECRETS = ("POSTGRES_PASSWORD", "REDIS_PASSWORD", "NALM_AGENT_TOKEN")
DEPLOY = ROOT / "server" / "deploy"
UNITS = sorted([*DEPLOY.glob("*.service"), *(ROOT / "agent" / "deploy").glob("*.service")])
IMAGES = {"server": ROOT / "server" / "Dockerfile", "agent": ROOT / "agent" / "Dockerfile"}
SET_BY_COMPOSE = {
    "NALM_DATABASE_URL",
    "NALM_REDIS_URL",
    "NALM_STATE_DIR",
    "NALM_AGENT_NAME",
    "NALM_TRUSTED_PROXIES",
}
OUTSIDE_CONTAINERS = {"NALM_AGENT_USER", "NALM_AGENT_CAPABILITIES", "NALM_STATIC_DIR"}
SERVED_ON = {"NALM_HOST", "NALM_PORT"}
SBIN = os.environ.get("PATH", "") + ":/usr/sbin"
DEBIANS_NGINX = """pid {place}/nginx.pid;
events {{}}
http {{
	ssl_protocols TLSv1.2 TLSv1.3;
	access_log {place}/access.log;
	gzip on;
	client_body_temp_path {place}/body;
	proxy_temp_path {place}/proxy;
	fastcgi_temp_path {place}/fastcgi;
	uwsgi_temp_path {place}/uwsgi;
	scgi_temp_path {place}/scgi;
	include {place}/nalm.conf;
}}
"""
"""As /etc/nginx/nginx.conf, where `http` has some of the directives: it refuses a second line of one."""


@pytest.fixture(scope="module")
def services() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = yaml.safe_load(COMPOSE.read_text())["services"]
    return found


def test_services_have_health_checks_limits_and_few_rights(services: dict[str, dict[str, Any]]) -> None:
    assert set(services) == {"postgres", "redis", "migrate", "server", "worker", "beat", "proxy", "agent"}
    for name, one in services.items():
        assert name == "migrate" or one["healthcheck"]["test"][0].startswith("CMD"), name
        assert one["read_only"] is True, name
        assert one["cap_drop"] == ["ALL"], name
        assert one["mem_limit"] and one["pids_limit"], name
        assert name == "agent" or one["cpus"], name
        assert "user" in one or "build" in one, f"{name} runs as its image's user"
        assert "privileged" not in one, name
        assert "build" not in one or one["init"] is True, f"{name} reaps no children of killed ones"


def test_the_agent_reaches_the_server_and_nothing_else(services: dict[str, dict[str, Any]]) -> None:
    of = {name: set(one["networks"]) for name, one in services.items()}
    assert {name for name, networks in of.items() if networks & of["agent"]} == {"agent", "server"}
    assert {name for name, networks in of.items() if networks & of["proxy"]} == {"proxy", "server"}
    assert of["postgres"] == of["redis"] == {"data"}
    networks = yaml.safe_load(COMPOSE.read_text())["networks"]
    assert networks["data"] == {"internal": True}
    assert set(networks) == set().union(*of.values())


def test_the_proxy_and_nobody_else_says_where_a_request_comes_from(
    services: dict[str, dict[str, Any]],
) -> None:
    networks = yaml.safe_load(COMPOSE.read_text())["networks"]
    [front] = networks["front"]["ipam"]["config"]
    for name in ("server", "worker", "beat"):
        assert services[name]["environment"]["NALM_TRUSTED_PROXIES"] == front["subnet"], name


def test_logs_of_containers_are_bounded(services: dict[str, dict[str, Any]]) -> None:
    for name, one in services.items():
        assert {"max-size", "max-file"} <= set(one["logging"]["options"]), name


def test_the_agents_health_check_asks_the_agent(services: dict[str, dict[str, Any]]) -> None:
    assert services["agent"]["healthcheck"]["test"] == ["CMD", "nalm", "agent", "--ping"]


@pytest.mark.parametrize("keep", [0, 2])
def test_an_upgrade_keeps_the_newest_backups(keep: int, tmp_path: Path) -> None:
    """By the script's own lines."""
    found = re.search(r"(?m)^ls .*\n.*done$", (DEPLOY / "upgrade").read_text())
    assert found
    names = [f"before-upgrade-2026111{day}T000000Z.dump" for day in range(5)]
    for name in (*names, "mine.dump"):
        (tmp_path / name).touch()
    environment = os.environ | {"backups": str(tmp_path), "NALM_BACKUP_KEEP": str(keep)}
    subprocess.run(["sh", "-euc", found[0]], env=environment, check=True)
    assert {one.name for one in tmp_path.iterdir()} == {"mine.dump", *names[5 - keep :]}


@pytest.mark.parametrize("name", ["migrate", "server", "worker", "beat"])
def test_settings_in_compose_exist(name: str, services: dict[str, dict[str, Any]]) -> None:
    assert set(services[name]["environment"]) <= settings_loading.known()
    assert {"NALM_DATABASE_URL", "NALM_REDIS_URL"} <= set(services[name]["environment"])


@pytest.mark.parametrize("name", ["migrate", "server", "worker", "beat"])
def test_commands_in_compose_and_units_exist(name: str, services: dict[str, dict[str, Any]]) -> None:
    program, command, *options = services[name]["command"]
    assert program == "nalm-server"
    shown = CliRunner().invoke(app, [command, "--help"])
    assert shown.exit_code == 0
    assert all(option in shown.stdout for option in options if option.startswith("--"))
    if name != "migrate":
        unit = (DEPLOY / f"nalm-{name}.service").read_text()
        assert f"ExecStart=/opt/nalm-server/bin/nalm-server {command}\n" in unit


def test_nothing_secret_has_a_default() -> None:
    text = COMPOSE.read_text()
    for name in SECRETS:
        uses = re.findall(r"\$\{" + name + r"([^}]*)\}", text)
        assert uses
        assert all(use.startswith(":?") for use in uses), name


def test_only_the_proxy_has_ports(services: dict[str, dict[str, Any]]) -> None:
    assert [name for name, one in services.items() if "ports" in one] == ["proxy"]
    nginx = (DEPLOY / "nginx.conf").read_text()
    assert "set $server http://server:8080;" in nginx
    assert "./server/deploy/nginx-proxy.conf:/etc/nginx/nalm-proxy.conf:ro" in services["proxy"]["volumes"]
    assert "include /tmp/redirect.conf;" in nginx
    assert "> /tmp/redirect.conf" in str(services["proxy"]["command"])
    dockerfile = IMAGES["server"].read_text()
    assert "EXPOSE 8080" in dockerfile
    assert '"--port", "8080"' in dockerfile
    assert ":8080/api/v1/health" in str(services["server"]["healthcheck"])
    assert "--server http://server:8080 " in str(services["agent"]["command"])


@pytest.mark.parametrize("name", IMAGES)
def test_images_are_non_root_from_the_lock(name: str, services: dict[str, dict[str, Any]]) -> None:
    lines = IMAGES[name].read_text().splitlines()
    build = services[name]["build"]
    assert (build["context"], build["dockerfile"]) == (".", f"{name}/Dockerfile")
    assert build["args"].keys() == {line.split()[1] for line in lines if line.startswith("ARG ")}
    assert not lines[0].startswith("# syntax")
    assert {line.split()[1] for line in lines if line.startswith("FROM")} == {"python:3.11-slim-bookworm"}
    assert [line for line in lines if line.startswith("USER")] == ["USER nalm"]
    own = next(line for line in lines if line.strip().startswith("-c requirements.lock"))
    assert "--build-constraints requirements.lock" in own
    installs = [line for line in lines if "uv pip install" in line]
    assert installs and all("--verify-hashes" in line for line in installs)
    copied = [part for line in lines if line.startswith("COPY ") for part in line.split()[1:2]]
    for path in copied:
        assert path.startswith("--from") or (ROOT / path).exists(), path


def test_compose_accepts_it_where_there_is_one(tmp_path: Path) -> None:
    """Compose refuses the file without .env, and accepts it with one. Without compose: its variables only."""
    compose = next(
        (
            command
            for command in (["docker", "compose"], ["docker-compose"])
            if shutil.which(command[0])
            and subprocess.run([*command, "version"], capture_output=True, check=False).returncode == 0
        ),
        None,
    )
    if compose is None:
        expected = set(re.findall(r"\$\{(\w+):\?", COMPOSE.read_text()))
        assert expected == env_names(), (
            "docs/operate.md makes exactly the variables that compose.yaml demands"
        )
        return
    config = [*compose, "-f", str(COMPOSE), "--project-directory", str(tmp_path), "config", "-q"]
    bare = {key: value for key, value in os.environ.items() if key in ("PATH", "HOME")}
    assert subprocess.run(config, env=bare, capture_output=True, check=False).returncode != 0
    with_env = bare | dict.fromkeys(env_names(), "/" + "x" * 40)
    done = subprocess.run(config, env=with_env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def env_command() -> str:
    """The documented command that makes .env."""
    found = re.search(r"```sh\n([^`]*> \.env[^`]*)```", OPERATE.read_text())
    assert found, "docs/operate.md has a block that makes .env"
    return found[1]


def env_names() -> set[str]:
    return set(re.findall(r"^\s*(?:printf|echo) '?([A-Z_]+)=", env_command(), re.MULTILINE))


def test_documented_command_makes_a_private_env_with_usable_secrets(tmp_path: Path) -> None:
    subprocess.run(["sh", "-ec", env_command()], cwd=tmp_path, check=True)
    made = tmp_path / ".env"
    assert made.stat().st_mode & 0o777 == 0o600
    values = dict(line.split("=", 1) for line in made.read_text().splitlines())
    assert set(values) == env_names()
    assert len(set(values.values())) == len(values)
    assert all(len(values[name]) >= 40 for name in SECRETS)
    assert all(re.fullmatch(r"\w+", values[name]) for name in SECRETS), "go into addresses"
    Settings(agent_token=values["NALM_AGENT_TOKEN"])


def test_documented_trial_certificate_is_readable_by_the_proxy(
    tmp_path: Path, services: dict[str, dict[str, Any]]
) -> None:
    """In the shell that made .env, whose umask must not apply to the directory of the certificate."""
    found = re.search(r"```sh\n([^`]*openssl req[^`]*)```", OPERATE.read_text())
    assert found
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "chown").write_text(f'#!/bin/sh\necho "$*" >>{tools}/log\n')
    (tools / "chown").chmod(0o755)
    environment = os.environ | {"PATH": f"{tools}:{os.environ['PATH']}"}
    subprocess.run(
        ["sh", "-ec", env_command() + found[1]],
        cwd=tmp_path,
        env=environment,
        umask=0o022,
        check=True,
        capture_output=True,
    )
    user = services["proxy"]["user"].split(":")[0]
    assert (tools / "log").read_text() == f"{user} tls/privkey.pem\n"
    modes = {one.name: one.stat().st_mode & 0o777 for one in (tmp_path / "tls").iterdir()}
    assert modes == {"fullchain.pem": 0o644, "privkey.pem": 0o600}
    assert (tmp_path / "tls").stat().st_mode & 0o777 == 0o755


@pytest.mark.parametrize("name", ["migrate", "server", "worker", "beat"])
def test_each_setting_can_be_given_in_env(name: str, services: dict[str, dict[str, Any]]) -> None:
    environment = services[name]["environment"]
    fields = {settings_loading.variable_of(field) for field in Settings.model_fields}
    assert set(environment) | OUTSIDE_CONTAINERS | SERVED_ON == fields | SERVED_ON
    passed_on = {
        variable
        for variable, value in environment.items()
        if value is None or str(value).startswith(f"${{{variable}:")
    }
    assert set(environment) - passed_on == SET_BY_COMPOSE
    page = OPERATE.read_text()
    [fixed] = re.findall(r"(?s)\n- compose\.yaml itself sets (.*?)\n- ", page)
    assert set(re.findall(r"NALM_\w+", fixed)) == SET_BY_COMPOSE | {"NALM_STATIC_DIR"}


def directives(path: Path) -> list[str]:
    """Those that begin a line."""
    return re.findall(r"(?m)^\s*([a-z_0-9]+)(?= |;)", path.read_text())


def test_nginx_of_a_host_gets_only_servers() -> None:
    """Debian's nginx.conf includes the file in `http`, with its own pid, user, gzip and ssl_protocols."""
    host = DEPLOY / "nginx-host.conf"
    assert set(re.findall(r"(?m)^(\w+)", host.read_text())) == {"limit_conn_zone", "server"}
    assert re.findall(r"listen (\d+)", host.read_text()) == ["80", "443"]
    assert "proxy_pass http://127.0.0.1:8080;" in host.read_text()
    shared = directives(DEPLOY / "nginx-proxy.conf")
    assert {"proxy_set_header", "client_max_body_size", "ssl_protocols"} <= set(shared)
    assert not {"pid", "user", "limit_conn_zone", "listen"} & set(shared)


@pytest.mark.parametrize("name", ["nginx.conf", "nginx-host.conf"])
def test_nginx_accepts_its_file(name: str, tmp_path: Path) -> None:
    """Hosts without nginx check that the files that it includes are there."""
    text = (DEPLOY / name).read_text()
    included = set(re.findall(r"include (\S+);", text))
    assert included <= {"/etc/nginx/nalm-proxy.conf", "/tmp/redirect.conf"}
    if shutil.which("nginx", path=SBIN) is None:
        return
    (tmp_path / "tls").mkdir()
    key = ["-keyout", f"{tmp_path}/tls/privkey.pem", "-out", f"{tmp_path}/tls/fullchain.pem"]
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=nalm", *key],
        check=True,
        capture_output=True,
    )
    (tmp_path / "redirect.conf").write_text('map "" $nalm_public_url { default "https://nalm"; }\n')
    text = re.sub(r"listen \[::\].*", "", text)
    text = re.sub(r"listen \d+", lambda found: f"listen 127.0.0.1:{free_port()}", text)
    text = text.replace("/tmp/", "/etc/nginx/")
    text = text.replace("/etc/nginx/nalm-proxy.conf", str(DEPLOY / "nginx-proxy.conf"))
    text = text.replace("/etc/nginx/", f"{tmp_path}/")
    if name == "nginx-host.conf":
        (tmp_path / "nalm.conf").write_text(text)
        text = DEBIANS_NGINX.format(place=tmp_path)
    (tmp_path / "nginx.conf").write_text(text)
    done = subprocess.run(
        ["nginx", "-t", "-q", "-p", tmp_path, "-c", tmp_path / "nginx.conf", "-e", tmp_path / "error.log"],
        env=os.environ | {"PATH": SBIN},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr


def test_operators_page_lists_every_setting() -> None:
    listed = set(re.findall(r"^- `(NALM_[A-Z0-9_]+)` \(", OPERATE.read_text(), re.MULTILINE))
    assert listed == settings_loading.known()


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_systemd_accepts_the_units(unit: Path, tmp_path: Path) -> None:
    """With a program that exists here; hosts without systemd-analyze check that each line is a setting."""
    text = re.sub(r"ExecStart=\S+", "ExecStart=/bin/true", unit.read_text())
    copy = tmp_path / unit.name
    copy.write_text(re.sub(r"(?m)^User=.*", "User=root", text))
    if shutil.which("systemd-analyze") is None:
        lines = [line for line in text.splitlines() if line and line[0] not in "#["]
        assert all(re.match(r"[A-Z]\w+=", line) for line in lines)
        return
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False
    )
    assert unit.name not in done.stderr, done.stderr
    assert done.returncode == 0, done.stderr


def test_servers_image_has_git_and_the_databases_client(services: dict[str, dict[str, Any]]) -> None:
    """The worker resolves pushes in mirrors of its own; backups need pg_dump of the server's version."""
    dockerfile = IMAGES["server"].read_text().replace("\\\n", "")
    [packages] = re.findall(r"apt-get install ([^&]*)", dockerfile)
    installed = packages.split()
    assert {"git", "util-linux"} <= set(installed)
    version = re.search(r"postgres:(\d+)", services["postgres"]["image"])
    assert version and f"postgresql-client-{version[1]}" in installed
