# SPDX-License-Identifier: Apache-2.0
"""Commands end with all their descendants, also those in sessions of their own, and with no other process."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from nalm_agent.runtime.process import run, start, start_console, stop, stop_all, tail
from waiting import until

ENVIRONMENT = dict(os.environ)
FLEES = "import os, signal, sys\n" + "if os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n"
FORGETS = (
    f"{FLEES}        os.execve('/bin/sleep', ['sleep', sys.argv[1]], {{}})\n    os._exit(0)\nos.wait()\n"
)
"""Runs a sleeper as daemons do: forked twice, in a session of its own, with an empty environment."""
_marks = iter(range(31_540_000, 31_541_000))


def sleepers(mark: str) -> set[int]:
    found = set()
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if path.read_bytes().split(b"\0")[1:2] == [mark.encode()]:
                found.add(int(path.parent.name))
        except OSError:
            continue
    return found


@pytest.fixture
def mark() -> Iterator[str]:
    """The argument of the sleepers of one test, which finds them; those that it left are killed."""
    own = f"{next(_marks)}.{os.getpid()}"
    yield own
    for pid in sleepers(own):
        os.kill(pid, signal.SIGKILL)


def fleeing(mark: str, then: str = "") -> list[str]:
    return [sys.executable, "-c", FORGETS + then, mark]


def test_a_daemon_ends_with_its_command(tmp_path: Path, mark: str) -> None:
    child = start(fleeing(mark, "signal.pause()\n"), cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
    assert until(lambda: len(sleepers(mark)) == 1)
    assert child.poll() is None
    stop(child)
    assert (sleepers(mark), child.returncode) == (set(), -signal.SIGKILL)


def test_a_daemon_ends_that_outlived_its_command(tmp_path: Path, mark: str) -> None:
    code = run(
        fleeing(mark, "sys.exit(3)\n"),
        cwd=tmp_path,
        env=ENVIRONMENT,
        log=tmp_path / "log",
        limit_seconds=60,
    )
    assert (code, sleepers(mark)) == (3, set())


def test_daemons_live_until_their_command_is_stopped(tmp_path: Path, mark: str) -> None:
    child = start(fleeing(mark), cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
    assert child.wait(60) == 0
    assert until(lambda: len(sleepers(mark)) == 1)
    stop(child)
    assert sleepers(mark) == set()


def test_many_generations_in_sessions_of_their_own(tmp_path: Path, mark: str) -> None:
    nested = f"{FLEES}        pass\n    else: os._exit(0)\nelse: sys.exit(0)\n" * 4
    command = [sys.executable, "-c", f"{nested}os.execv('/bin/sleep', ['sleep', sys.argv[1]])\n", mark]
    child = start(command, cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
    assert until(lambda: len(sleepers(mark)) == 1), tail(tmp_path / "log")
    stop(child)
    assert sleepers(mark) == set()


def test_other_processes_live_on(tmp_path: Path, mark: str) -> None:
    with subprocess.Popen(["sleep", mark], start_new_session=True) as foreign:
        other = start(["sleep", mark], cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "other")
        child = start(fleeing(mark), cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
        assert until(lambda: len(sleepers(mark)) == 3)
        stop(child)
        assert sleepers(mark) == {foreign.pid, other.pid}
        stop_all()
        assert other.wait(60) == -signal.SIGKILL
        stop(other)
        assert foreign.poll() is None
        foreign.kill()


def test_ended_orphans_are_reaped_while_the_command_runs(tmp_path: Path, mark: str) -> None:
    ends = f"{FLEES}        os._exit(0)\n    os._exit(0)\nos.wait()\n"
    says = "print('made', flush=True)\nsignal.pause()\n"
    command = [sys.executable, "-c", ends + says, mark]
    child = start(command, cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
    assert until(lambda: "made" in tail(tmp_path / "log"))
    reaper = int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[1])

    def children() -> list[str]:
        return Path(f"/proc/{reaper}/task/{reaper}/children").read_text().split()

    assert until(lambda: children() == [str(child.pid)])
    stop(child)


AGENT = """
import os, sys
from pathlib import Path
from nalm_agent.runtime.process import start
child = start(sys.argv[2:], cwd=Path(sys.argv[1]), env=dict(os.environ), log=Path(sys.argv[1], "log"))
print(child.pid, flush=True)
child.wait()
"""


def test_a_daemon_ends_with_a_killed_agent(tmp_path: Path, mark: str) -> None:
    command = [sys.executable, "-c", AGENT, str(tmp_path), *fleeing(mark, "signal.pause()\n")]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as agent:
        assert until(lambda: len(sleepers(mark)) == 1)
        agent.kill()
    assert until(lambda: sleepers(mark) == set())


def test_the_command_ends_with_a_killed_reaper(tmp_path: Path, mark: str) -> None:
    child = start(["sleep", mark], cwd=tmp_path, env=ENVIRONMENT, log=tmp_path / "log")
    assert until(lambda: len(sleepers(mark)) == 1)
    os.kill(int(Path(f"/proc/{child.pid}/stat").read_text().rpartition(")")[2].split()[1]), signal.SIGKILL)
    assert child.wait(60) == -signal.SIGKILL
    assert until(lambda: sleepers(mark) == set())
    stop(child)


def test_a_command_is_started_as_in_a_shell_of_its_own(tmp_path: Path) -> None:
    says = (
        "import os, signal, sys\n"
        "print(os.getcwd(), os.getsid(0) == os.getpid(), dict(os.environ)['A'], sys.argv[1])\n"
        "print({signal.getsignal(one) for one in (signal.SIGHUP, signal.SIGTERM)} == {signal.SIG_DFL})\n"
        "print(sorted(os.listdir('/proc/self/fd'))[:4], os.read(0, 1))\n"
    )
    code = run(
        [sys.executable, "-c", says, "an argument"],
        cwd=tmp_path,
        env={"A": "b c", "PATH": os.environ["PATH"]},
        log=tmp_path / "log",
        limit_seconds=60,
    )
    first, second, third = tail(tmp_path / "log").splitlines()
    assert (code, first, second) == (0, f"{tmp_path} True b c an argument", "True")
    assert third == "['0', '1', '2', '3'] b''"  # the last one is the list's own


def test_a_directory_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="gone"):
        start(["true"], cwd=tmp_path / "gone", env=ENVIRONMENT, log=tmp_path / "log")


def test_a_console_answers() -> None:
    console = start_console(["cat"])
    console.stdin.write(b"hello\n")
    console.stdin.flush()
    assert console.stdout.read(6) == b"hello\n"
    console.stdin.close()
    assert console.child.wait(60) == 0
    stop(console.child)
    console.stdout.close()
