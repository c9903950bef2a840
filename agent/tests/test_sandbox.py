# SPDX-License-Identifier: Apache-2.0
"""What a build can see, write and take: real builds in real namespaces."""

from __future__ import annotations

import shutil
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest
from building import Builder
from nalm_agent import sandbox
from nalm_agent.errors import BuildError, HostError
from nalm_agent.sandbox import Isolation, isolation
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


@pytest.mark.parametrize("network", [False, True])
def test_network(builder: Builder, *, network: bool) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        connect = f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}' 2>/dev/null && echo reached || echo alone"
        built = builder.script(connect, network=network)
    assert builder.log(built).strip() == ("reached" if network else "alone")


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


def test_without_isolation(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(sandbox.ISOLATION, "none")
    built = builder.script("pwd")
    assert built.build.isolation == "none"
    assert builder.log(built).strip() == f"{builder.home.root}/build/tiny/source"
    assert not (builder.home.root / "build" / "tiny").exists()
    monkeypatch.setenv(sandbox.ISOLATION, "auto")
    assert builder.again().build.tree != built.build.tree


@pytest.mark.usefixtures("untried")
def test_isolation_that_cannot_be_had(builder: Builder, monkeypatch: pytest.MonkeyPatch) -> None:
    found = shutil.which
    monkeypatch.setattr(
        shutil, "which", lambda name, **more: None if name == "bwrap" else found(name, **more)
    )
    assert sandbox.available() == "bwrap is not installed (apt-get install bubblewrap)"
    assert builder.script("true").build.isolation == "none"
    monkeypatch.setenv(sandbox.ISOLATION, "required")
    with pytest.raises(HostError, match="builds cannot be isolated here, and NALM_ISOLATION is required"):
        builder.again()
    monkeypatch.setenv(sandbox.ISOLATION, "sometimes")
    with pytest.raises(HostError, match="NALM_ISOLATION=sometimes is not known"):
        builder.again()


@pytest.mark.usefixtures("untried")
def test_a_kernel_that_refuses_is_quoted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refusing = tmp_path / "bwrap"
    refusing.write_text("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
    refusing.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert sandbox.available() == (
        "the kernel lets this user make no namespaces: bwrap: setting up uid map: Permission denied"
    )
