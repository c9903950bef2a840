# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM end a command, surely: whatever is under way is undone on the way out.

The signal becomes a StoppedError in the main thread, after the step that a SignalGuard protects, if there is
one. Two things can keep it from getting out. It may come while Python runs a destructor (`__del__`, a weak
reference's callback), where exceptions are dropped: then it is raised once more. And it may leave a library's
lock taken for ever: then the command ends without cleaning up, after a time, and says where it hung; the next
one removes what it leaves (`Home.work`).
"""

from __future__ import annotations

import _thread
import faulthandler
import os
import signal
import sys
import time
from types import FrameType

from nalm_agent.runtime.errors import StoppedError
from nalm_agent.runtime.process import stop_all
from nalm_agent.runtime.signal_guard import SignalGuard

INTERRUPTED = 130
"""As shells say it: 128 + SIGINT."""
STOPPING = (signal.SIGINT, signal.SIGTERM)
AGAIN_SECONDS = 0.01
GRACE_SECONDS = 30.0
"""For cleaning up."""


def stop_on_signals() -> None:
    """Makes SIGINT and SIGTERM raise StoppedError in the main thread, which calls this."""
    for number in STOPPING:
        signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Once: who is impatient and interrupts again must not stop the cleaning up."""
    for one in STOPPING:
        signal.signal(one, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, _raise)
    sys.unraisablehook = _raise_again
    _thread.start_new_thread(_end_without, ())  # threading.Thread may be what holds the lock
    SignalGuard.stop()


def _raise(number: int, frame: FrameType | None) -> None:
    SignalGuard.stop()


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    if isinstance(dropped.exc_value, StoppedError):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(dropped)


def _end_without() -> None:
    time.sleep(GRACE_SECONDS)
    print(
        f"nalm: interrupted, and not done with cleaning up after {GRACE_SECONDS:g} s; please report where:",
        file=sys.stderr,
    )
    faulthandler.dump_traceback()
    stop_all()
    os._exit(INTERRUPTED)
