# SPDX-License-Identifier: Apache-2.0
"""Whether the kernel loads and runs an XDP program, as its page needs."""

from __future__ import annotations

import ctypes
import os
import platform
import struct

_BPF_OF = {"x86_64": 321, "aarch64": 280}
"""The number of the system call bpf(2), by machine."""
_PROG_LOAD, _PROG_TEST_RUN, _XDP = 5, 10, 6
_RETURN_XDP_PASS = struct.pack("<BBhiBBhi", 0xB7, 0, 0, 2, 0x95, 0, 0, 0)
"""r0 = XDP_PASS; exit."""
_ATTRIBUTES_BYTES = 128
_PACKET = bytes(64)


def bpf_refusal() -> str | None:
    """Why an XDP program cannot be loaded or run by BPF_PROG_TEST_RUN here, in words; None if it can."""
    if platform.machine() not in _BPF_OF:
        return f"bpf(2) has another number on {platform.machine()}"
    program, words, packet = (
        ctypes.create_string_buffer(content, len(content))
        for content in (_RETURN_XDP_PASS, b"GPL\0", _PACKET)
    )
    loaded = struct.pack("<IIQQ", _XDP, 2, ctypes.addressof(program), ctypes.addressof(words))
    descriptor = _bpf(_PROG_LOAD, loaded)
    if isinstance(descriptor, str):
        return f"the kernel loads no XDP program: {descriptor}"
    try:
        test = struct.pack("<IIIIQQ", descriptor, 0, len(_PACKET), 0, ctypes.addressof(packet), 0)
        run = _bpf(_PROG_TEST_RUN, test)
    finally:
        os.close(descriptor)
    return f"the kernel runs no XDP program on a given packet: {run}" if isinstance(run, str) else None


def _bpf(command: int, attributes: bytes) -> int | str:
    """What bpf(2) returns, or its error in words."""
    libc = ctypes.CDLL(None, use_errno=True)
    given = ctypes.create_string_buffer(attributes, _ATTRIBUTES_BYTES)
    result = int(libc.syscall(_BPF_OF[platform.machine()], command, given, _ATTRIBUTES_BYTES))
    return os.strerror(ctypes.get_errno()) if result < 0 else result
