# SPDX-License-Identifier: Apache-2.0
"""--tune and --untune: on kernel files in a directory, and on those of this host that it lets root change."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from fake_host import CPU, files, metal
from filelock import FileLock
from nalm_agent.host import tune
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import (
    HUGE_PAGES,
    SETTINGS,
    THP,
    WATCHDOG,
    Change,
    changes_for,
    read,
    settings_of,
)
from nalm_agent.runtime.errors import HostError, StoppedError, UsageError
from nalm_agent.shell.app import app
from nalm_agent.store.home import Home
from nalm_agent.store.process_stamp import stamp
from tiny import Nalm
from typer.testing import CliRunner

GOVERNOR = f"/{CPU}/cpu3/cpufreq/scaling_governor"
IRQ = "/proc/irq/24/smp_affinity_list"


@dataclass(frozen=True)
class Kernel(System):
    """Takes writes as the kernel does: some refused, some made another value, THP shown among its choices."""

    refused: dict[str, OSError] = field(default_factory=dict)
    made: dict[str, str] = field(default_factory=dict)
    order: list[str] = field(default_factory=list)
    dies_at: str | None = None

    def write(self, path: str, value: str) -> None:
        if path == self.dies_at:
            raise KeyboardInterrupt
        if path in self.refused:
            raise self.refused[path]
        self.order.append(path)
        value = self.made.get(path, value)
        if path == THP:
            value = " ".join(f"[{one}]" if one == value else one for one in ("always", "madvise", "never"))
        super().write(path, "")
        self.at(path).write_text(value + "\n")


@pytest.fixture
def kernel(tmp_path: Path) -> Kernel:
    return Kernel(metal(tmp_path / "root").root)


@pytest.fixture
def own(tmp_path: Path) -> Home:
    return Home(tmp_path / "home")


def all_values(system: System) -> dict[str, str | None]:
    return {
        change.path: read(system, change.path) for change in changes_for(metal(system.root), (3,), (0, 1, 2))
    }


def changes(system: System) -> list[Change]:
    return changes_for(system, (3,), (0, 1, 2))


def test_what_a_server_wants_changed(kernel: Kernel) -> None:
    found = {change.path: (change.before, change.target) for change in changes(kernel)}
    assert found == {
        GOVERNOR: ("powersave", "performance"),
        f"/{CPU}/intel_pstate/no_turbo": ("0", "1"),
        f"/{CPU}/cpu3/cpuidle/state2/disable": ("0", "1"),
        IRQ: ("0-3", "0,1,2"),
        "/proc/irq/25/smp_affinity_list": ("3", "0,1,2"),
        THP: ("always", "madvise"),
        "/proc/sys/kernel/numa_balancing": ("1", "0"),
        HUGE_PAGES: ("0", "384"),
        "/proc/sys/kernel/nmi_watchdog": ("1", "0"),
        "/proc/sys/kernel/watchdog": ("1", "0"),
    }


def test_a_setting_that_cannot_be_changed_has_its_reason(kernel: Kernel, tmp_path: Path) -> None:
    assert [(one.name, one.unavailable) for one in settings_of(kernel, (3,), (0, 1, 2))] == [
        (name, None) for name in SETTINGS
    ]
    hidden = settings_of(System(tmp_path / "nothing"), (3,), (0, 1, 2))
    assert [one.name for one in hidden] == list(SETTINGS)
    assert all(not one.changes and "the kernel shows no /" in (one.unavailable or "") for one in hidden)
    files(
        kernel.root, {THP[1:]: "always madvise [never]", IRQ[1:]: "0", "proc/irq/25/smp_affinity_list": "1"}
    )
    files(kernel.root, {f"{CPU}/cpu3/cpuidle/state2/latency": "1", "proc/meminfo": "MemAvailable: 1 kB"})
    reasons = {one.name: one.unavailable for one in settings_of(kernel, (3,), (0, 1, 2))}
    assert reasons["thp"] == f"it is so already: {THP} is never"
    assert "no device interrupt may come" in (reasons["interrupts"] or "")
    assert "no idle state" in (reasons["idle-states"] or "")
    assert "too much of the free memory" in (reasons["huge-pages"] or "")


def test_nothing_is_taken_that_is_not_to_spare(kernel: Kernel) -> None:
    files(kernel.root, {"proc/meminfo": "MemAvailable: 1048576 kB\nHugepagesize: 2048 kB"})
    assert HUGE_PAGES not in {change.path for change in changes(kernel)}
    files(kernel.root, {"proc/sys/vm/nr_hugepages": "4000"})
    assert HUGE_PAGES not in {change.path for change in changes(kernel)}
    only_one = {change.path for change in changes_for(kernel, (0, 1, 2, 3), ())}
    assert not any("/proc/irq" in path for path in only_one)


def test_everything_is_put_back_newest_first(kernel: Kernel, own: Home) -> None:
    before = {change.path: change.before for change in changes(kernel)}
    done = tune.tune(kernel, own, changes(kernel))
    assert [one.refused for one in done] == [None] * len(before) and changes(kernel) == []
    written = list(kernel.order)
    assert all(one.refused is None for one in tune.untune(kernel, own))
    assert {path: read(kernel, path) for path in before} == before
    assert kernel.order == written + written[::-1]
    assert not (own.root / tune.FILE).exists() and tune.untune(kernel, own) == []


def test_a_second_tune_keeps_what_was_first(kernel: Kernel, own: Home) -> None:
    tune.tune(kernel, own, changes(kernel))
    files(kernel.root, {GOVERNOR[1:]: "schedutil"})
    tune.tune(kernel, own, changes(kernel))
    assert read(kernel, GOVERNOR) == "performance"
    tune.untune(kernel, own)
    assert read(kernel, GOVERNOR) == "powersave"


@pytest.mark.parametrize("number", range(10))
def test_a_crash_in_the_middle_loses_nothing(kernel: Kernel, own: Home, number: int) -> None:
    before = {change.path: change.before for change in changes(kernel)}
    dying = Kernel(kernel.root, dies_at=changes(kernel)[number].path)
    with pytest.raises(KeyboardInterrupt):
        tune.tune(dying, own, changes(kernel))
    assert len(dying.order) == number
    # Killed again while putting back, at the oldest change:
    halfway = Kernel(kernel.root, dies_at=changes(metal(own.root / "x"))[0].path)
    with pytest.raises(KeyboardInterrupt):
        tune.untune(halfway, own)
    tune.untune(kernel, own)
    assert {path: read(kernel, path) for path in before} == before


def test_what_was_is_on_disk_before_it_is_changed(own: Home, kernel: Kernel) -> None:
    @dataclass(frozen=True)
    class Watching(Kernel):
        def write(self, path: str, value: str) -> None:
            record = json.loads((own.root / tune.FILE).read_text())
            assert record["before"][-1] == {"path": path, "value": read(self, path)}
            super().write(path, value)

    watching = Watching(kernel.root)
    tune.tune(watching, own, changes(watching))
    assert len(watching.order) == 10


def test_refusals_are_reported_and_only_what_changed_is_recorded(kernel: Kernel, own: Home) -> None:
    refusing = Kernel(kernel.root, refused={IRQ: OSError(5, "Input/output error")}, made={HUGE_PAGES: "100"})
    done = {one.path: one for one in tune.tune(refusing, own, changes(refusing))}
    assert done[IRQ].refused == "Input/output error" and done[IRQ].after == "0-3"
    assert done[HUGE_PAGES].refused == "the kernel set it to 100"
    recorded = {one["path"] for one in json.loads((own.root / tune.FILE).read_text())["before"]}
    assert IRQ not in recorded and HUGE_PAGES in recorded and len(recorded) == 9
    stuck = Kernel(kernel.root, refused={GOVERNOR: OSError(13, "Permission denied")})
    back = {one.path: one.refused for one in tune.untune(stuck, own)}
    assert back[GOVERNOR] == "Permission denied" and back[HUGE_PAGES] is None
    assert [one.path for one in tune.untune(kernel, own)] == [GOVERNOR]
    assert read(kernel, GOVERNOR) == "powersave" and read(kernel, HUGE_PAGES) == "0"


def test_a_restart_of_the_host_put_everything_back_already(kernel: Kernel, own: Home) -> None:
    tune.tune(kernel, own, changes(kernel))
    files(kernel.root, {"proc/sys/kernel/random/boot_id": "boot-2"})
    assert tune.untune(kernel, own) == [] and read(kernel, GOVERNOR) == "performance"


@pytest.mark.parametrize("error", [ValueError, StoppedError])
def test_settings_of_a_context_are_reverted_however_it_ends(
    kernel: Kernel, own: Home, error: type[BaseException]
) -> None:
    before = {path: read(kernel, path) for path in all_values(kernel)}
    with pytest.raises(error), tune.changed(kernel, own, changes(kernel), stamp()) as done:
        assert len(done) == 10 and changes(kernel) == []
        raise error
    assert {path: read(kernel, path) for path in before} == before
    assert not (own.root / tune.FILE).exists()


def test_a_setting_that_cannot_be_reverted_is_an_error(kernel: Kernel, own: Home) -> None:
    owner = stamp()
    tune.tune(kernel, own, changes(kernel), owner)
    stuck = Kernel(kernel.root, refused={GOVERNOR: OSError(13, "Permission denied")})
    with pytest.raises(HostError, match="could not be reverted") as caught:
        tune.revert(stuck, own, owner)
    assert caught.value.log == f"{GOVERNOR}: Permission denied"
    assert read(kernel, THP) == "always"
    tune.revert(kernel, own, owner)
    assert read(kernel, GOVERNOR) == "powersave"


def test_tune_and_an_experiment_exclude_each_other(kernel: Kernel, own: Home) -> None:
    tune.require_untouched(kernel, own)
    tune.tune(kernel, own, changes(kernel))
    with pytest.raises(HostError, match="has the settings of `nalm doctor --tune`"):
        tune.require_untouched(kernel, own)
    with pytest.raises(HostError, match="nalm doctor --tune"), tune.changed(kernel, own, [], stamp()):
        pass
    assert read(kernel, GOVERNOR) == "performance", "those of --tune stay"
    assert tune.revert_abandoned(kernel, own) == []
    tune.untune(kernel, own)
    with tune.changed(kernel, own, changes(kernel), stamp()):
        for attempt in (
            lambda: tune.tune(kernel, own, []),
            lambda: tune.untune(kernel, own),
            lambda: tune.require_untouched(kernel, own),
        ):
            with pytest.raises(HostError, match="varies this host's settings now"):
                attempt()
        assert tune.revert_abandoned(kernel, own) == []


def test_another_users_lock_stops_no_command(
    kernel: Kernel, own: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    class OthersLock(FileLock):
        def _acquire(self) -> None:
            raise PermissionError(13, "Permission denied", self.lock_file)

    tune.tune(kernel, own, changes(kernel), "nalm-1-1-abcd0123")
    monkeypatch.setattr(tune, "FileLock", OthersLock)
    monkeypatch.setenv("NALM_HOME", str(own.root))
    monkeypatch.setattr("nalm_agent.host.kernel_files.System", lambda: kernel)
    done = CliRunner().invoke(app, ["store"])
    assert done.exit_code == 0 and "belongs to another user" in done.stderr


HELD_OPEN = """
import sys
from pathlib import Path
from nalm_agent.host.kernel_files import System
from nalm_agent.host.tunables import WATCHDOG, Change
from nalm_agent.host.tune import changed
from nalm_agent.store.home import Home
from nalm_agent.store.process_stamp import stamp
with changed(System(Path(sys.argv[1])), Home(Path(sys.argv[2])), [Change(WATCHDOG, "1", "0", "")], stamp()):
    print("changed", flush=True)
    sys.stdin.read()
"""


def test_the_next_command_reverts_what_a_killed_process_changed(
    kernel: Kernel, own: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = [sys.executable, "-c", HELD_OPEN, str(kernel.root), str(own.root)]
    held_open = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert held_open.stdout is not None and held_open.stdout.readline() == "changed\n"
    monkeypatch.setenv("NALM_HOME", str(own.root))
    monkeypatch.setattr("nalm_agent.host.kernel_files.System", lambda: kernel)
    CliRunner().invoke(app, ["store"])
    assert read(kernel, WATCHDOG) == "0", "the process lives"
    held_open.kill()
    held_open.communicate()
    refusing = Kernel(kernel.root, refused={WATCHDOG: OSError(30, "Read-only file system")})
    monkeypatch.setattr("nalm_agent.host.kernel_files.System", lambda: refusing)
    done = CliRunner().invoke(app, ["store"])
    assert done.exit_code == 0, done.output
    assert f"remains: {WATCHDOG}: Read-only file system" in done.stderr
    monkeypatch.setattr("nalm_agent.host.kernel_files.System", lambda: kernel)
    done = CliRunner().invoke(app, ["store"])
    assert done.exit_code == 0, done.output
    assert f"reverted a setting of an experiment that was killed: {WATCHDOG}" in done.stderr
    assert read(kernel, WATCHDOG) == "1" and not (own.root / tune.FILE).exists()


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("/etc/passwd", "x"),
        ("/proc/irq/24/../../sysrq-trigger", "b"),
        ("/proc/sys/kernel/core_pattern", "x"),
        (GOVERNOR, "x\ny z"),
    ],
)
def test_a_record_can_not_make_root_write_elsewhere(kernel: Kernel, own: Home, path: str, value: str) -> None:
    record = {"boot_id": "boot-1", "before": [{"path": path, "value": value}]}
    (own.folder(".") / tune.FILE).write_text(json.dumps(record))
    with pytest.raises(HostError, match="which nalm never changes"):
        tune.untune(kernel, own)
    assert kernel.order == []


def test_a_torn_record_is_named(kernel: Kernel, own: Home) -> None:
    (own.folder(".") / tune.FILE).write_text('{"boot_id": "boo')
    with pytest.raises(HostError, match="is not a record"):
        tune.untune(kernel, own)


def test_only_root_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(UsageError, match="only root"):
        tune.require_root()


@pytest.fixture
def restored() -> Iterator[System]:
    """This host's own settings, put back whatever a test does."""
    system = System()
    before = {path: read(system, path) for path in (THP, HUGE_PAGES)}
    try:
        yield system
    finally:
        for path, value in before.items():
            if value is not None and read(system, path) != value:
                system.write(path, value)


def writable(system: System, path: str) -> bool:
    value = read(system, path)
    try:
        system.write(path, value or "")
    except OSError:
        return False
    return True


def test_this_hosts_own_settings(restored: System, own: Home) -> None:
    """What of them root may write here; none where nothing may be written (a container)."""
    values = {THP: "never" if read(restored, THP) != "never" else "madvise"}
    pages = read(restored, HUGE_PAGES)
    if pages is not None:
        values[HUGE_PAGES] = str(int(pages) + 1)
    here = {path: value for path, value in values.items() if writable(restored, path)}
    before = {path: read(restored, path) or "" for path in here}
    requested = [Change(path, before[path], value, "a test") for path, value in here.items()]
    done = tune.tune(restored, own, requested)
    assert {one.path: one.after for one in done if one.refused is None} == {
        path: read(restored, path) for path, value in here.items() if read(restored, path) == value
    }
    assert len(done) == len(here)
    tune.untune(restored, own)
    assert {path: read(restored, path) for path in before} == before


def test_the_command_shows_without_changing(nalm: Nalm, tmp_path: Path) -> None:
    thp, pages = (read(System(), path) for path in (THP, HUGE_PAGES))
    shown = nalm.run("doctor", "--tune", "--dry-run", "--json", cwd=tmp_path)
    assert shown.returncode == 0, shown.stderr
    assert all(set(one) == {"path", "before", "target", "wanted", "why"} for one in json.loads(shown.stdout))
    assert (thp, pages) == tuple(read(System(), path) for path in (THP, HUGE_PAGES))
    both = nalm.run("doctor", "--tune", "--noise", cwd=tmp_path)
    assert both.returncode == 2 and "exclude each other" in both.stderr
