# SPDX-License-Identifier: Apache-2.0
"""The token of the environment, which no build and no NF may read: both run as the user who runs nalm."""

from __future__ import annotations

import ctypes
import os

TOKEN = "NALM_TOKEN"
_PR_SET_DUMPABLE = 4
_hidden: list[str] = []
"""What `hide_token` found, if it found one."""


def hide_token() -> None:
    """Removes the token from the environment, and closes this process's memory to others of the user.

    /proc/PID/environ shows the memory in which the kernel placed the variables when the process began, and
    which unsetting one leaves as it is. A process without core dumps can be traced and read by root alone; a
    program that it starts is an ordinary process again.
    """
    if TOKEN not in os.environ:
        return
    libc = ctypes.CDLL(None)
    libc.prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
    libc.getenv.restype = ctypes.c_void_p
    if place := libc.getenv(TOKEN.encode()):
        ctypes.memset(place, 0, len(ctypes.string_at(place)))
    _hidden[:] = [os.environ.pop(TOKEN)]


def given_token() -> str:
    """The token of the environment; empty if there is none."""
    return os.environ.get(TOKEN) or next(iter(_hidden), "")
