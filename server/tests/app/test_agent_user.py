# SPDX-License-Identifier: Apache-2.0
"""`up` as root runs its agent as a user who cannot read the server's files, or says that it does not."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp

import pytest
from nalm_server.app.embedded import agent_user, up
from nalm_server.app.embedded.agent_user import AgentUser, agent_start
from nalm_server.app.embedded.failure import StartError
from nalm_server.base.settings import Settings
from nalm_server.git.branch_filters.filters import ForkPullRequests, stricter

AS_ROOT = os.geteuid() == 0
SECRETS = ("admin.token", "secret.key", "nalm.db", "agent.token")


@pytest.fixture
def state() -> Iterator[Path]:
    """A state directory in a place that every user can enter, as /var/lib is."""
    folder = Path(mkdtemp(prefix="nalm-up-"))
    folder.chmod(0o755)
    made = folder / "server"
    made.mkdir()
    for name in SECRETS:
        (made / name).write_text(f"of {name}\n")
    (made / "secret.key").chmod(0o600)
    up._make_private(made)
    yield made
    subprocess.run(["rm", "-rf", str(folder)], check=True)


@pytest.fixture
def nalm(state: Path) -> str:
    """Stands in for the agent's command."""
    program = state.parent / "bin" / "nalm"
    program.parent.mkdir()
    program.parent.chmod(0o755)
    program.write_text("#!/bin/sh\necho nalm 0\n")
    program.chmod(0o755)
    return str(program)


def test_state_is_the_owners_alone(state: Path) -> None:
    for path in (state, *state.iterdir()):
        assert path.stat().st_mode & 0o077 == 0


def test_a_home_that_was_given_in_part_is_given_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The owner of the home says whether all below it was given."""
    given = list[Path]()
    monkeypatch.setattr(os, "chown", lambda path, *_, **__: given.append(Path(path)))
    for name in ("store", "work"):
        (tmp_path / name / "below").mkdir(parents=True)
    agent_user._give(tmp_path, AgentUser(os.geteuid() + 1, 0, "agent"))
    assert given[-1] == tmp_path and {tmp_path / "store", tmp_path / "work" / "below"} < set(given)


def as_agent(settings: Settings, nalm: str, script: str) -> str:
    """What a program prints that runs as the agent is run: what a measured NF can do."""
    start = agent_start(settings, nalm, settings.state_dir / "agent.token")
    done = subprocess.run(
        [*start.prefix, "sh", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        env=os.environ | start.environment,
    )
    return done.stdout


READ_ALL = "for name in {names}; do cat {state}/$name 2>/dev/null; done; cat $NALM_HOME/server.token"


def test_what_a_measured_nf_reads(state: Path, nalm: str) -> None:
    settings = Settings(state_dir=state)
    read = as_agent(settings, nalm, READ_ALL.format(names=" ".join(SECRETS), state=state)).splitlines()
    start = agent_start(settings, nalm, state / "agent.token")
    assert start.apart is AS_ROOT
    if AS_ROOT:
        assert read == ["of agent.token"]
        assert "but not this server's" in start.about
    else:
        assert read[:3] == [f"of {name}" for name in SECRETS[:3]]
        assert "admin.token, secret.key and nalm.db" in start.about


def test_root_that_shares_its_user_says_so(state: Path, nalm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NALM_HOME", raising=False)
    settings = Settings(state_dir=state, agent_user="root")
    start = agent_start(settings, nalm, state / "agent.token")
    assert (start.apart, start.prefix, start.token_file) == (False, [], state / "agent.token")
    assert "can run programs as" in start.about
    assert up._restricted(settings, start).fork_pull_requests == "never"
    requested = settings.model_copy(update={"fork_pull_requests": "approve"})
    assert up._restricted(requested, start).fork_pull_requests == "approve"


def test_the_stricter_rule_holds() -> None:
    assert stricter(ForkPullRequests.ALWAYS, None) is ForkPullRequests.ALWAYS
    assert stricter(ForkPullRequests.ALWAYS, "approve") is ForkPullRequests.APPROVE
    assert stricter(ForkPullRequests.NEVER, "always") is ForkPullRequests.NEVER


def test_a_user_that_is_not_there(state: Path, nalm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    settings = Settings(state_dir=state, agent_user="nobody-of-that-name")
    with pytest.raises(StartError, match="NALM_AGENT_USER=nobody-of-that-name: there is no such user"):
        agent_start(settings, nalm, state / "agent.token")


def test_a_home_of_something_else_is_left_alone(
    state: Path, nalm: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = state.parent / "precious"
    other.mkdir()
    (other / "file").write_text("")
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("NALM_HOME", str(other))
    monkeypatch.setattr(agent_user, "agent_user", lambda _: AgentUser(65534, 65534, "nobody"))
    with pytest.raises(StartError, match="holds other files"):
        agent_start(Settings(state_dir=state), nalm, state / "agent.token")
    assert (other / "file").stat().st_uid == os.getuid()


@pytest.mark.skipif(not AS_ROOT, reason="only root can drop to another user")
def test_an_installation_that_is_closed_to_others(state: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As one in /root: the agent's program is shown, and nothing beside it."""
    closed = state.parent / "closed"
    program = closed / "venv" / "bin" / "nalm"
    program.parent.mkdir(parents=True)
    for folder in (closed / "venv", program.parent):
        folder.chmod(0o755)
    program.write_text("#!/bin/sh\necho nalm 0\n")
    program.chmod(0o755)
    (closed / "secret").write_text("secret\n")
    closed.chmod(0o700)
    monkeypatch.delenv("NALM_HOME", raising=False)
    listed = as_agent(Settings(state_dir=state), str(program), f"ls {closed}; {program}")
    assert listed.split("\n") == ["venv", "nalm 0", ""]


@pytest.mark.skipif(not AS_ROOT, reason="only root can drop to another user")
def test_what_measuring_keeps_of_root(state: Path, nalm: str) -> None:
    said = as_agent(
        Settings(state_dir=state), nalm, "id -u; nice -n -20 nice; grep NoNewPrivs /proc/self/status"
    )
    uid, priority, privileges = said.splitlines()
    assert uid != "0"
    assert int(priority) == max(-20, os.nice(0) - 20)
    assert privileges.split() == ["NoNewPrivs:", "1"]
    none = as_agent(Settings(state_dir=state, agent_capabilities=""), nalm, "grep CapEff /proc/self/status")
    assert int(none.split()[1], 16) == 0
