# SPDX-License-Identifier: Apache-2.0
"""An interrupt ends a command also where Python would drop it, and where cleaning up never ends."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
from nalm_agent.runtime.stop_signals import INTERRUPTED
from tiny import loaded_nalm
from waiting import until

COMMAND = """
import signal, sys, threading, time, typer
from types import SimpleNamespace
from nalm_agent.measure import counting
from nalm_agent.runtime import stop_signals
from nalm_agent.shell.app import run_app
from nalm_agent.runtime.signal_guard import SignalGuard
stop_signals.GRACE_SECONDS = {grace}
app = typer.Typer()

def wait_for_the_signal():
    print("here", flush=True)
    while signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # until the handler has run
        time.sleep(0.01)

class Slow:
    def __del__(self):
        print("here", flush=True)
        threading.Event().wait(60)

@app.command()
def command():
    try:
        {body}
    finally:
        {end}

run_app(app)
"""
IN_A_DESTRUCTOR = "Slow(); threading.Event().wait(60)"
ON_A_BUSY_HOST = f"""
        repeat, calls = signal.setitimer, []
        def repeat_slowly(*given):
            calls.append(given)
            repeat(*given)
            while len(calls) < 2:  # until the repeated signal has come
                pass
        signal.setitimer = repeat_slowly
        {IN_A_DESTRUCTOR}"""
IN_A_STEP = """
        with SignalGuard():
            wait_for_the_signal()
            with SignalGuard():
                pass
            print("whole", file=sys.stderr)
        print("never", file=sys.stderr)"""
AS_A_THREAD_STARTS = """
        start = threading.Thread.start
        def start_slowly(thread):
            start(thread)
            wait_for_the_signal()
        threading.Thread.start = start_slowly
        here = SimpleNamespace(cores=SimpleNamespace(cpus=[0]))
        began, ended = [], []
        def count(arm, cpu):
            began.append(arm)
            sum(range(10**7))  # goes on for a while, whatever is asked
            ended.append(arm)
        counting._of_each_arm(here, ["base", "head"], count)"""
AT_ONCE = "print('here', flush=True); threading.Event().wait(60)"


def interrupted(folder: Path, body: str, end: str, grace: float) -> tuple[int, str]:
    """Exit code and errors of a command that is told to end once it is there."""
    program, output, errors = (folder / name for name in ("command.py", "out", "err"))
    program.write_text(COMMAND.format(body=body, end=end, grace=grace))
    process = loaded_nalm().start([program], environment=os.environ, output=output, errors=errors)
    try:
        assert until(lambda: output.exists() and output.read_text() == "here\n")
        process.send_signal(signal.SIGTERM)
        code = process.wait(timeout=50)
    finally:
        process.kill()
    return code, errors.read_text()


def test_a_step_is_not_cut_in_two(tmp_path: Path) -> None:
    code, errors = interrupted(tmp_path, IN_A_STEP, "print('undone', file=sys.stderr)", grace=40)
    assert (code, errors) == (INTERRUPTED, "whole\nundone\nnalm: interrupted; nothing is left running\n")


def test_what_a_starting_thread_counts_is_awaited(tmp_path: Path) -> None:
    code, errors = interrupted(
        tmp_path, AS_A_THREAD_STARTS, "print(began == ended != [], file=sys.stderr)", grace=40
    )
    assert (code, errors) == (INTERRUPTED, "True\nnalm: interrupted; nothing is left running\n")


@pytest.mark.parametrize("body", [IN_A_DESTRUCTOR, ON_A_BUSY_HOST])
def test_a_signal_during_a_destructor_is_not_lost(tmp_path: Path, body: str) -> None:
    code, errors = interrupted(tmp_path, body, "pass", grace=40)
    assert (code, errors) == (INTERRUPTED, "nalm: interrupted; nothing is left running\n")


def test_a_clean_up_that_hangs_is_ended_and_says_where(tmp_path: Path) -> None:
    taken = "lock = threading.Lock(); lock.acquire(); lock.acquire()"
    code, errors = interrupted(tmp_path, AT_ONCE, taken, grace=0.2)
    assert code == INTERRUPTED
    assert "still cleaning up after 0.2 s; please report this trace" in errors
    assert 'command.py", line' in errors and "in command" in errors
