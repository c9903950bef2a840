# SPDX-License-Identifier: Apache-2.0
"""The demo, run once as a user runs it, and a browser.

DEMO_MERGES=1,4 takes these merges of the demo's history through the service, instead of all.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from demo_process import ROOT, Demo, require_unused
from figures_service import figures_service
from nalm_agent.build.compiler_cache import cache_name
from nalm_server_harness import Service
from playwright.sync_api import Browser, BrowserContext, Page
from service_browser import LastingPage, administrator, chromium, fresh_context, lasting_page, sign_in
from service_process import Service as ServiceProcess

DEMO_SECONDS = 900
MEASURED = "SUITE_MEASURED"
"""tests/run_suites.py waits for the file that this names, then it runs other suites beside this one."""
STATE = ROOT / ".cache" / "demo" / "state"
REPOSITORY = STATE / "agent" / "mirrors" / "nalm-reference-nf.git"
COMPILED = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "nalm-demo"
"""The compiler cache of the last demo of any clone of this user: a build sees the same paths in each."""


@pytest.fixture(scope="session")
def state() -> Path:
    """A new state at the place of the last one, of which the agent's compiler cache is left, which is that of
    a repository at this path. Its counts of instructions are left, too, as long as nalm's code is the same,
    and not if WHOLE is set. To compile and to count takes as long as all the rest of the demo."""
    require_unused(STATE)
    agent = STATE / "agent"
    counts, code = agent / "store" / "counts", STATE.parent / "counted_by"
    now = digest_of(ROOT / "core" / "nalm_core", ROOT / "agent" / "nalm_agent")
    same = not os.environ.get("WHOLE") and code.exists() and code.read_text() == now
    remove_all_but(STATE.parent, [agent / "ccache", *([counts] if same else [])])
    STATE.mkdir(parents=True, exist_ok=True)
    take_compiled(agent)
    code.write_text(now)
    return STATE


def take_compiled(agent: Path) -> None:
    """Gives the agent of a clone without a compiler cache that of another clone."""
    with compiled() as kept:
        if agent.exists() or not kept.exists():
            return
        subprocess.run(["cp", "-a", kept, agent], check=True)
    (cache,) = (agent / "ccache").iterdir()
    cache.rename(agent / "ccache" / cache_name(REPOSITORY))


def keep_compiled(agent: Path) -> None:
    cache = agent / "ccache" / cache_name(REPOSITORY)
    if not cache.exists():
        return
    with compiled() as kept:
        shutil.rmtree(kept, ignore_errors=True)
        kept.mkdir()
        subprocess.run(["cp", "-a", "--parents", f"ccache/{cache.name}", kept], cwd=agent, check=True)
        shutil.copystat(agent, kept)
        owner = agent.stat()
        os.chown(kept, owner.st_uid, owner.st_gid)


@contextmanager
def compiled() -> Iterator[Path]:
    """The folder, while no other test run uses it."""
    COMPILED.mkdir(parents=True, exist_ok=True)
    with (COMPILED / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield COMPILED / "agent"


def digest_of(*folders: Path) -> str:
    """Of the Python files and their names."""
    digest = hashlib.sha256()
    for path in sorted(path for folder in folders for path in folder.rglob("*.py")):
        content = path.read_bytes()
        digest.update(f"{path.relative_to(ROOT)} {len(content)}\n".encode() + content)
    return digest.hexdigest()


def remove_all_but(folder: Path, kept: Sequence[Path]) -> None:
    """Empties a folder, if it exists, except for these folders in it."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if any(path in one.parents for one in kept):
            remove_all_but(path, kept)
        elif path.is_dir() and path not in kept:
            shutil.rmtree(path)
        elif path not in kept:
            path.unlink()


@pytest.fixture(scope="session")
def demo(state: Path) -> Iterator[Demo]:
    """The demo after its verdicts, which still serves."""
    running = Demo(state, merges=os.environ.get("DEMO_MERGES") or None)
    try:
        running.wait_for(r"^open http://127", DEMO_SECONDS)
        if MEASURED in os.environ:
            Path(os.environ[MEASURED]).touch()
        yield running
    finally:
        running.end()
        keep_compiled(state / "agent")


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """A service with some of everything, and its address; tests do not change the project `empty`."""
    with figures_service(tmp_path_factory.mktemp("figures")) as served:
        yield served


@pytest.fixture(scope="module")
def running(figures: tuple[Service, str]) -> tuple[Service, str]:
    """The service of the module's pages, and its address."""
    return figures


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServiceProcess]:
    """A server as a process of its own, without projects."""
    process = ServiceProcess(tmp_path_factory.mktemp("service") / "state")
    try:
        yield process
    finally:
        process.end()


@pytest.fixture(scope="module")
def signed_in(browser: Browser, service: ServiceProcess) -> dict[str, Any]:
    """Options of a context at the process, of its administrator after sign-in."""
    return {"base_url": service.url, "storage_state": sign_in(browser, service)}


@pytest.fixture(scope="module")
def options(running: tuple[Service, str]) -> dict[str, Any]:
    """Of the module's context; a module whose pages are elsewhere has others."""
    return administrator(running)


@pytest.fixture(scope="module")
def context(browser: Browser, options: dict[str, Any]) -> Iterator[BrowserContext]:
    """A context of an administrator."""
    with fresh_context(browser, **options) as context:
        yield context


@pytest.fixture(scope="module")
def lasting(context: BrowserContext) -> Iterator[LastingPage]:
    """The page of the module's context that its tests use one after another."""
    with lasting_page(context) as page:
        yield page


@pytest.fixture
def page(lasting: LastingPage) -> Iterator[Page]:
    """The module's page, with nothing open."""
    with lasting.used() as page:
        yield page
