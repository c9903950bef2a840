# SPDX-License-Identifier: Apache-2.0
"""The agent's side of the probe's control channel: opens and closes the gate where the NF's lcores wait."""

from __future__ import annotations

import ctypes
import platform
from enum import IntEnum

from nalm_agent.nf.probe import ProbeFile

_SYS_FUTEX = {"x86_64": 202, "aarch64": 98}.get(platform.machine())
_FUTEX_WAKE = 1
_EVERYONE = 2**31 - 1


class GateState(IntEnum):
    CLOSED = 0
    OPEN = 1
    FINISH = 2


class _Control(ctypes.Structure):
    """struct nalm_control."""

    _fields_ = (
        ("gate", ctypes.c_uint32),
        ("turn", ctypes.c_uint32),
        ("turn_packets", ctypes.c_uint64),
        ("bare", ctypes.c_uint32),
        ("reserved_word", ctypes.c_uint32),
        ("long_cycles", ctypes.c_uint64),
        ("reserved", ctypes.c_uint8 * 32),
    )


class Gate:
    """Writes one NF's control block. Call `release` before the probe file is closed."""

    def __init__(self, probe: ProbeFile) -> None:
        self._control: _Control | None = _Control.from_buffer(probe.map, probe.control_offset)
        self._libc = ctypes.CDLL(None, use_errno=True)

    @property
    def turn(self) -> int:
        """Number of the last opened turn; 0 before the first."""
        assert self._control is not None
        return int(self._control.turn)

    def open(self, packets: int = 0, *, bare: bool = False) -> int:
        """Begins a turn and returns its number. Each lcore ends it after `packets`; with 0, at `close`.

        bare: without marks, in an NF that has such turns.
        """
        assert self._control is not None
        self._control.bare = int(bare)
        self._control.turn_packets = packets
        self._control.turn += 1
        self._set(GateState.OPEN)
        return self.turn

    def count_lengths(self, cycles: int) -> None:
        """From the next turn on, marks of at least so many cycles are counted by length; 0: none."""
        assert self._control is not None
        self._control.long_cycles = cycles

    def close(self) -> None:
        """Makes lcores park at their next iteration."""
        self._set(GateState.CLOSED)

    def finish(self) -> None:
        """Makes lcores leave their loop, which ends the NF."""
        self._set(GateState.FINISH)

    def release(self) -> None:
        """Drops the reference to the mapping."""
        self._control = None

    def _set(self, state: GateState) -> None:
        assert self._control is not None
        self._control.gate = state
        self.wake()

    def wake(self) -> None:
        """Wakes lcores that wait at the gate.

        One that ended its turn by packets waits while the gate is open. If the gate closes and opens again
        before the kernel lets it wait, it sees no change, and sleeps through the wake: wake it again.
        """
        assert self._control is not None
        if _SYS_FUTEX is not None:  # elsewhere the NF checks the gate once a second
            at = ctypes.c_void_p(ctypes.addressof(self._control))
            self._libc.syscall(_SYS_FUTEX, at, _FUTEX_WAKE, _EVERYONE, None, None, 0)
