# SPDX-License-Identifier: Apache-2.0
"""The sandbox limits what a build reads, writes and uses: real builds in real namespaces."""

from __future__ import annotations

import os
import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from building import Builder
from nalm_agent.build import build, sandbox
from nalm_agent.build.compiler_cache import cache_name
from nalm_agent.build.isolation import build_user, cgroup
from nalm_agent.build.isolation.build_user import UNUSED_UID, BuildUser
from nalm_agent.build.isolation.network import Network, network_prefix
from nalm_agent.build.sandbox import Isolation, isolation
from nalm_agent.runtime.errors import BuildError, ConfigError, HostError
from tiny import NfRepository


@pytest.fixture
def builder(nf_repository: NfRepository, tmp_path: Path) -> Builder:
    return Builder(nf_repository, tmp_path)


@pytest.fixture
def untried() -> Iterator[None]:
    """Forgets, before and after, whether builds can be isolated here."""
    sandbox.available.cache_clear()
    yield
    sandbox.available.cache_clear()


def test_this_host_isolates() -> None:
    assert sandbox.available() is None
    assert isolation() is Isolation.BUBBLEWRAP


def test_places_and_environment(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORGE_TOKEN", "secret")
    script = f"""echo "at $PWD for $1, home $HOME"
        echo "$(env | grep -c TOKEN || true) tokens, root is $(ls /)"
        [ "$(ls /proc | grep -c '^[0-9]')" -lt 9 ] || echo sees processes
        [ ! -e {builder.home.root} ] || echo sees store
        [ ! -e /var ] && [ ! -e /root ] && [ ! -e /home ] || echo sees homes
        [ -z "$(cat /etc/shadow)" ] || echo sees secrets"""
    built = builder.script(script)
    assert built.build.isolation == "bubblewrap"
    lines = builder.log(built).splitlines()
    assert lines[0] == "at /nalm/source for /nalm/build, home /tmp/home"
    assert lines[1].startswith("0 tokens")
    assert not [line for line in lines if line.startswith("sees ")]
    assert not (built.directory.parent / "tmp").exists()


def test_what_can_be_written(builder: Builder) -> None:
    script = """for place in /nalm/source /nalm /usr /etc / /nalm/build /tmp /nalm/ccache "$HOME"; do
        touch $place/new 2>/dev/null && echo "writes $place"; done; true"""
    written = [line for line in builder.log(builder.script(script)).splitlines() if line.startswith("writes")]
    assert written == ["writes /nalm/build", "writes /tmp", "writes /nalm/ccache", "writes /tmp/home"]


def test_writing_to_the_sources_is_explained(builder: Builder) -> None:
    with pytest.raises(BuildError, match=r"build command failed") as caught:
        builder.script("touch /nalm/source/made.h")
    assert "sources are read-only: let the build write to {build}" in (caught.value.hint or "")


def test_a_network_is_the_hosts_to_grant(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        connect = f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached || echo alone"
        assert builder.log(builder.script(connect)).strip() == "alone"
        with pytest.raises(ConfigError, match=r"\[build\] network = true .* grants to no build") as caught:
            builder.script(connect, network=True)
        assert "NALM_BUILD_NETWORK" in (caught.value.hint or "")
        monkeypatch.setenv("NALM_BUILD_NETWORK", "host")
        assert builder.log(builder.again()).strip() == "reached"
    monkeypatch.setenv("NALM_BUILD_NETWORK", "perhaps")
    with pytest.raises(HostError, match="NALM_BUILD_NETWORK=perhaps is not known"):
        builder.again()


def test_a_network_without_this_hosts_own(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Refused without pasta; what pasta is asked for is looked at, since few hosts have it."""
    monkeypatch.setenv("NALM_BUILD_NETWORK", "outside")
    found = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "pasta" else found(name, **more)
    )
    with pytest.raises(HostError, match="needs pasta") as caught:
        builder.script("true", network=True)
    assert caught.value.hint == "apt-get install passt"
    prefix = network_prefix(Network.OUTSIDE)
    assert prefix[:3] == ["pasta", "--config-net", "--no-map-gw"]
    assert prefix.count("none") == 4


def test_builds_do_not_run_as_root(builder: Builder) -> None:
    built = builder.script("id -u; touch $1/mine; chmod 4777 $1/mine; mkdir $1/shut; chmod 777 $1/shut")
    assert builder.log(built).strip() == "1000"
    made = (built.directory / "mine").stat()
    assert (made.st_uid, made.st_mode & 0o7022) == (os.geteuid(), 0)
    assert (built.directory / "shut").stat().st_mode & 0o022 == 0


@pytest.mark.parametrize("name", ["nobody-of-that-name", "root", "0"])
def test_build_users_that_cannot_be(builder: Builder, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    monkeypatch.setenv("NALM_BUILD_USER", name)
    with pytest.raises(HostError, match=f"NALM_BUILD_USER={name}"):
        build_user.build_user()


def test_what_root_cannot_drop_is_refused(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without namespaces, in a home that the build user cannot enter."""
    builder.home.root.mkdir()
    builder.home.root.chmod(0o700)
    monkeypatch.setenv(sandbox.ISOLATION, "none")
    monkeypatch.setattr(build, "build_user", lambda: BuildUser(65534, 65534))
    with pytest.raises(HostError, match="do not run as root but as user 65534") as caught:
        builder.script("true")
    assert "NALM_HOME" in (caught.value.hint or "")


def test_what_a_build_writes_is_limited(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_BUILD_DISK_MB", "20")
    for place in ("$1", "/tmp", "/nalm/ccache"):
        with pytest.raises(BuildError, match="the build wrote more than 20 MB") as caught:
            builder.script(f"dd if=/dev/zero of={place}/large bs=1M count=40 2>/dev/null; sleep 600")
        assert "NALM_BUILD_DISK_MB" in (caught.value.hint or "")
    with pytest.raises(BuildError, match="the build wrote more than 20 MB"):
        builder.script("cd $1; for i in $(seq 6000); do : >$i; done")
    monkeypatch.setenv("NALM_BUILD_DISK_MB", "80")
    builder.script("dd if=/dev/zero of=$1/large bs=1M count=40 2>/dev/null")


def test_directories_that_cannot_be_walked(builder: Builder) -> None:
    deep = "cd $1; for i in $(seq 1500); do mkdir d; cd d; done; cd /nalm/source"
    with pytest.raises(BuildError, match="nested more than 100 directories"):
        builder.script(deep)
    assert not list(builder.home.folder("store").glob("builds/.new-*"))


def test_a_build_that_takes_too_long_for_the_host(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_BUILD_SECONDS", "1")
    with pytest.raises(BuildError, match="took longer than 1 s"):
        builder.script("sleep 600")
    with pytest.raises(ConfigError, match=r"build\.limit_seconds = 2 s .* 1 s \(NALM_BUILD_SECONDS\)"):
        builder.script("true", limit_seconds=2)


def test_memory_of_a_build_together(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_BUILD_MEMORY_MB", "200")
    hold = "import signal; held = bytearray(b'x') * (90 << 20); signal.alarm(9); signal.pause()"
    if cgroup.without_group() is None:
        with pytest.raises(BuildError, match="together took more than 200 MB of memory"):
            builder.script(f'for i in 1 2 3; do python3 -c "{hold}" & done; wait; exit 3')
    with pytest.raises(ConfigError, match=r"build\.memory_mb = 300 MB .* 200 MB \(NALM_BUILD_MEMORY_MB\)"):
        builder.script("true", memory_mb=300)


def test_memory(builder: Builder) -> None:
    hungry = "python3 -c 'bytearray(600 << 20); print(\"fits\")'"
    with pytest.raises(BuildError) as caught:
        builder.script(hungry, memory_mb=300)
    assert "each of its processes may take 300 MB; raise [build] memory_mb" in (caught.value.hint or "")
    assert "fits" in builder.log(builder.script(hungry))


def test_directories_beside_the_systems(
    builder: Builder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tools = tmp_path / "tools"
    tools.mkdir()
    shutil.copy("/bin/echo", tools / "shout")
    script = f"{tools}/shout heard"
    with pytest.raises(BuildError):
        builder.script(script)
    monkeypatch.setenv(sandbox.READABLE, str(tools))
    assert builder.log(builder.again(rebuild=True)).strip() == "heard"
    monkeypatch.setenv(sandbox.READABLE, "/nowhere")
    with pytest.raises(HostError, match=r"could not be isolated: bwrap: Can't find source path /nowhere"):
        builder.script(f"{script} again")


def test_nothing_of_a_build_outlives_it(builder: Builder) -> None:
    built = builder.script("sleep 4321 & echo $!")
    assert builder.log(built)
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
    assert not [command for command in commands if b"4321" in command]


@pytest.mark.usefixtures("enterable")
def test_without_isolation(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox.ISOLATION, "none")
    built = builder.script("pwd; id -u")
    assert built.build.isolation == "none"
    place = builder.home.root / "build" / cache_name(builder.repository.path)
    assert builder.log(built).split() == [
        str(place / "source"),
        str(UNUSED_UID if os.geteuid() == 0 else os.getuid()),
    ]
    assert built.directory.stat().st_uid == os.geteuid()
    assert not place.exists()
    monkeypatch.setenv(sandbox.ISOLATION, "auto")
    assert builder.again().build.tree != built.build.tree


@pytest.mark.usefixtures("untried", "enterable")
def test_isolation_that_cannot_be_had(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "bwrap" else found(name, **more)
    )
    assert sandbox.available() == "bwrap is not installed (apt-get install bubblewrap)"
    assert builder.script("true").build.isolation == "none"
    monkeypatch.setenv(sandbox.ISOLATION, "required")
    with pytest.raises(HostError, match="NALM_ISOLATION is required, and this host cannot isolate builds"):
        builder.again()
    monkeypatch.setenv(sandbox.ISOLATION, "sometimes")
    with pytest.raises(HostError, match="NALM_ISOLATION=sometimes is not known"):
        builder.again()


@pytest.mark.usefixtures("untried")
@pytest.mark.parametrize("stopped", ["kill -9 $$", "echo 'touch: No space left on device' >&2; exit 1"])
def test_a_try_that_something_stopped_is_made_again(monkeypatch: pytest.MonkeyPatch, stopped: str) -> None:
    """As for lack of memory: an agent that kept it would refuse all later jobs."""
    with monkeypatch.context() as stopping:
        stopping.setattr(sandbox, "_inside", lambda *_, **__: ["sh", "-c", stopped])
        with pytest.raises(HostError, match="could not be tried out"):
            sandbox.available()
    assert sandbox.available() is None


@pytest.mark.usefixtures("untried")
def test_a_kernel_that_refuses_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setattr(sandbox, "_inside", lambda *_, **__: [str(refusing)])
    assert sandbox.available() == (
        "the kernel lets this user make no namespaces: bwrap: setting up uid map: Permission denied"
    )
