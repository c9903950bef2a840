# SPDX-License-Identifier: Apache-2.0
"""An interrupt ends a command also where Python would drop it, and where cleaning up never ends."""

from __future__ import annotations

import signal
import subprocess
import sys

from nalm_agent.stopping import INTERRUPTED

COMMAND = """
import threading, typer
from nalm_agent import stopping
from nalm_agent.cli import run_app
stopping.GRACE_SECONDS = {grace}
app = typer.Typer()

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
AT_ONCE = "print('here', flush=True); threading.Event().wait(60)"


def interrupted(body: str, end: str, grace: float) -> tuple[int, str]:
    """Exit code and errors of a command that is told to end once it is there."""
    program = COMMAND.format(body=body, end=end, grace=grace)
    process = subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "here\n"
    process.send_signal(signal.SIGTERM)
    try:
        _, errors = process.communicate(timeout=50)
    finally:
        process.kill()
    return process.returncode, errors


def test_a_signal_during_a_destructor_is_not_lost() -> None:
    code, errors = interrupted(IN_A_DESTRUCTOR, "pass", grace=40)
    assert (code, errors) == (INTERRUPTED, "nalm: interrupted; nothing is left running\n")


def test_a_clean_up_that_hangs_is_ended_and_says_where() -> None:
    taken = "lock = threading.Lock(); lock.acquire(); lock.acquire()"
    code, errors = interrupted(AT_ONCE, taken, grace=0.2)
    assert code == INTERRUPTED
    assert "not done with cleaning up after 0.2 s; please report where" in errors
    assert 'File "<string>", line' in errors and "in command" in errors
