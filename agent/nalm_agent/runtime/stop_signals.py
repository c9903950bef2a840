# SPDX-License-Identifier: Apache-2.0
"""SIGINT and SIGTERM end a command reliably and undo the work in progress.

The signal becomes a StoppedError in the main thread, after the current step of a SignalGuard, if any. Two
situations can stop the exception. If the signal arrives while Python runs a destructor (`__del__`, a weak
reference's callback), Python drops the exception; then it is raised once more. If the exception leaves a
library's lock taken, cleaning up hangs; then the command ends after GRACE_SECONDS and prints where it hung.
The next command removes what it left (`Home.work`).
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
"""Exit code: 128 + SIGINT, as in shells."""
STOPPING = (signal.SIGINT, signal.SIGTERM)
AGAIN_SECONDS = 0.01
GRACE_SECONDS = 30.0
"""Time limit for cleaning up."""


def stop_on_signals() -> None:
    """Makes SIGINT and SIGTERM raise StoppedError in the main thread, which calls this."""
    for number in STOPPING:
        signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> None:
    """Handles the first signal only, so that a second interrupt does not stop the cleaning up."""
    for one in STOPPING:
        signal.signal(one, signal.SIG_IGN)
    signal.signal(signal.SIGALRM, _raise)
    sys.unraisablehook = _raise_again
    _thread.start_new_thread(_end_without, ())  # threading.Thread may be what holds the lock
    SignalGuard.stop()


def _raise(number: int, frame: FrameType | None) -> None:
    while frame is not None and frame.f_code is not _raise_again.__code__:
        frame = frame.f_back
    if frame is None:
        SignalGuard.stop()
    else:  # on a busy host: the hook has not returned, and Python would drop an exception here, too
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)


def _raise_again(dropped: sys.UnraisableHookArgs) -> None:
    if isinstance(dropped.exc_value, StoppedError):
        signal.setitimer(signal.ITIMER_REAL, AGAIN_SECONDS)
    else:
        sys.__unraisablehook__(dropped)


def _end_without() -> None:
    time.sleep(GRACE_SECONDS)
    print(
        f"nalm: interrupted, but still cleaning up after {GRACE_SECONDS:g} s; please report this trace:",
        file=sys.stderr,
    )
    faulthandler.dump_traceback()
    stop_all()
    os._exit(INTERRUPTED)
