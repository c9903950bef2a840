# SPDX-License-Identifier: Apache-2.0
"""Tests try every known way out of a build's sandbox: each is closed, and each is seen where it is open."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import mkdtemp

import pytest
from nalm_agent.build import sandbox
from nalm_agent.build.isolation import build_user
from nalm_agent.build.isolation.build_user import BuildUser
from nalm_agent.build.isolation.cgroup import Group, without_group
from nalm_agent.build.sandbox import Places
from nalm_agent.doctor import escapes
from nalm_agent.doctor.finding import Finding, Level
from nalm_agent.store.disk_use import remove_written
from nalm_agent.store.home import Home

NOBODY = BuildUser(65534, 65534)
AS_ROOT = os.geteuid() == 0
USERS = ["root", "another user"] if AS_ROOT else ["this user"]
NAMES = [f"escape: {one.name}" for one in (escapes._ROOT, *escapes.ESCAPES)]


@pytest.fixture
def home() -> Iterator[Home]:
    """One that every user can enter."""
    folder = Path(mkdtemp(prefix="nalm-escapes-"))
    folder.chmod(0o755)
    yield Home(folder)
    remove_written(folder)


def as_builds_do(command: Sequence[str], places: Places, env: Mapping[str, str]) -> list[str]:
    return sandbox.wrap(command, places, env, memory_bytes=1 << 30)


def as_another_user(
    command: Sequence[str], places: Places, env: Mapping[str, str], monkeypatch: pytest.MonkeyPatch
) -> list[str]:
    """As an agent that is not root starts it."""
    NOBODY.own(places.build, places.temporary, places.temporary / "home")
    places.build.parent.chmod(0o755)
    with monkeypatch.context() as one:
        one.setattr(sandbox, "build_user", lambda: None)
        own = sandbox.wrap(command, places, env, memory_bytes=1 << 30)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--", *own]


@pytest.mark.parametrize("user", USERS)
def test_every_way_out_is_closed(home: Home, user: str, monkeypatch: pytest.MonkeyPatch) -> None:
    wrap = as_builds_do
    if user == "another user":
        monkeypatch.setattr(sys, "base_prefix", "/usr")  # that user cannot enter root's own Python

        def wrap(command: Sequence[str], places: Places, env: Mapping[str, str]) -> list[str]:
            return as_another_user(command, places, env, monkeypatch)

    found = escapes.try_escapes(home, wrap)
    assert [one.name for one in found] == [*NAMES, "escape: memory", "escape: left_behind"]
    held = [one for one in found if one.name != "escape: memory" or without_group() is None]
    assert {one.name: one.value for one in held if one.level is not Level.OK} == {}


@dataclass(frozen=True)
class Weakness:
    """A sandbox that lacks something, and the try that has to see it."""

    name: str
    lacks: tuple[tuple[str, ...], ...] = ()
    """Words taken from its command line."""
    places: Callable[[Places], Places] = lambda places: places
    dropped: bool = True
    """The build user is another than root."""


def hidden(places: Places) -> Places:
    return replace(places, readable=(*places.readable, str(places.build.parent.parent.parent)))


def filled(places: Places) -> Places:
    changed = replace(places, fills_cache=True)
    changed.hand_over()
    return changed


WEAK = [
    Weakness("system", (("--remount-ro", "/"),)),
    Weakness("homes", places=hidden),
    Weakness("loopback", (("--unshare-net",),)),
    Weakness("abstract_socket", (("--unshare-net",),)),
    Weakness("user_namespace", (("--disable-userns",),)),
    Weakness("memory_file_system", (("--size", str(escapes.SHARED_MEMORY_BYTES)),)),
    Weakness("processes", ((f"--nproc={sandbox.PROCESSES}",),)),
    Weakness("cache", places=filled),
    Weakness("left_behind", (("--unshare-pid",), ("--as-pid-1",))),
    *(
        [
            Weakness("root", dropped=False),
            Weakness("settings", (("--ro-bind", "/proc/sys", "/proc/sys"),), dropped=False),
        ]
        if AS_ROOT
        else []
    ),
]


def without(command: list[str], words: tuple[str, ...]) -> list[str]:
    """Takes the first run of words out. Fails if there is none."""
    size = len(words)
    at = next(n for n in range(len(command)) if tuple(command[n : n + size]) == words)
    return command[:at] + command[at + size :]


@pytest.fixture
def nothing_left() -> Iterator[None]:
    yield
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(FileNotFoundError, ProcessLookupError):
            if escapes._LEFT.encode() in (folder / "cmdline").read_bytes():
                os.kill(int(folder.name), signal.SIGKILL)


@pytest.mark.usefixtures("nothing_left")
@pytest.mark.parametrize("weak", WEAK, ids=lambda weak: weak.name)
def test_a_weak_sandbox_is_seen(home: Home, weak: Weakness, monkeypatch: pytest.MonkeyPatch) -> None:
    if not weak.dropped:
        monkeypatch.setattr(sandbox, "build_user", lambda: None)

    def wrap(command: Sequence[str], places: Places, env: Mapping[str, str]) -> list[str]:
        made = as_builds_do(command, weak.places(places), env)
        for words in weak.lacks:
            made = without(made, words)
        return made

    assert _of(escapes.try_escapes(home, wrap), weak.name).value.startswith("open: ")


def test_a_secret_in_etc_is_seen(home: Home, tmp_path: Path) -> None:
    secret = tmp_path / "nalm.env"
    secret.write_text("token\n")
    secret.chmod(0o640)
    if user := build_user.build_user():
        user.own(secret)

    def wrap(command: Sequence[str], places: Places, env: Mapping[str, str]) -> list[str]:
        made = as_builds_do(command, replace(places, readable=(*places.readable, str(secret))), env)
        at = len(made) - 1 - made[::-1].index("--remount-ro") - 1  # where the last of `readable` is put
        assert made[at] == str(secret)
        made[at] = "/etc/nalm.env"
        return made

    assert _of(escapes.try_escapes(home, wrap), "etc").value == "open: /etc/nalm.env can be read"


def test_memory_of_all_processes_together(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(escapes, "without_group", lambda: None)
    monkeypatch.setattr(escapes, "build_group", lambda _limits: _NoGroup())
    found = _of(escapes.try_escapes(home, as_builds_do), "memory")
    assert found.value == "open: the group's memory limit was exceeded"
    monkeypatch.setattr(escapes, "without_group", lambda: "no control group can be made here")
    found = _of(escapes.try_escapes(home, as_builds_do), "memory")
    assert found.value == "open: no control group can be made here"
    assert "Delegate" in (found.cure or "")


class _NoGroup:
    def __enter__(self) -> Group:
        return Group([])

    def __exit__(self, *_: object) -> None:
        pass


def test_tries_that_cannot_be_made_say_so(home: Home) -> None:
    def wrap(command: Sequence[str], _places: Places, _env: Mapping[str, str]) -> list[str]:
        return ["sh", "-c", "echo no python here >&2; exit 1", *command]

    found = escapes.try_escapes(home, wrap)
    assert {one.level for one in found if one.name != "escape: memory"} == {Level.UNKNOWN}
    assert _of(found, "loopback").value == "not tried: the tries could not be made: no python here"


def _of(found: list[Finding], name: str) -> Finding:
    return next(one for one in found if one.name == f"escape: {name}")
