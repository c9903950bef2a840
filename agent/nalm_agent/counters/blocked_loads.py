# SPDX-License-Identifier: Apache-2.0
"""Loads that a recent store cannot be forwarded to: they read more bytes than it wrote, and wait until it is
in the cache (Intel 64 and IA-32 Architectures Optimization Reference Manual, "Store Forwarding")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from capstone import CS_AC_READ, CS_AC_WRITE, Cs, CsInsn
from capstone.x86 import X86_OP_MEM

BLOCKED = "wide load of a narrow store"
NEAR = 16
"""Number of instructions by which the load follows the store at most."""
_EXTENDED = re.compile(r"r(\d+)[bwd]?")
_OLD = re.compile(r"[er]?([abcd])[xlh]|[er]?(sp|bp|si|di)l?")


@dataclass(frozen=True)
class _Place:
    """Bytes of memory, by the registers of their address."""

    registers: tuple[str, str, int]
    """Base, index, scale."""
    first: int
    size: int

    def reads_beyond(self, store: _Place) -> bool:
        """True if it takes bytes of the store and others."""
        if self.registers != store.registers:
            return False
        overlaps = self.first < store.first + store.size and store.first < self.first + self.size
        inside = store.first <= self.first and self.first + self.size <= store.first + store.size
        return overlaps and not inside


def blocked_loads(reader: Cs, code: Sequence[CsInsn]) -> set[int]:
    """Indices of loads that read beyond one of the stores before them.

    Only of one path: a store counts up to the next jump or call, as long as the registers of its address are
    not written.
    """
    found: set[int] = set()
    stores: dict[int, _Place] = {}
    for index, one in enumerate(code):
        stores = {at: place for at, place in stores.items() if index - at <= NEAR}
        places = [
            (operand.access, _place(reader, one, operand))
            for operand in one.operands
            if operand.type == X86_OP_MEM
        ]
        if one.mnemonic != "lea" and any(
            access & CS_AC_READ and place.reads_beyond(store)
            for access, place in places
            for store in stores.values()
        ):
            found.add(index)
        written = {_whole(reader.reg_name(register) or "") for register in one.regs_access()[1]}
        stores = {at: place for at, place in stores.items() if not written & set(place.registers[:2])}
        for access, place in places:
            if access & CS_AC_WRITE:
                stores = {at: other for at, other in stores.items() if not _covers(place, other)}
                stores[index] = place
        if one.mnemonic.startswith(("j", "call", "ret")):
            stores = {}
    return found


def _covers(place: _Place, other: _Place) -> bool:
    return (
        place.registers == other.registers
        and place.first <= other.first
        and other.first + other.size <= place.first + place.size
    )


def _place(reader: Cs, one: CsInsn, operand: object) -> _Place:
    memory = operand.mem  # type: ignore[attr-defined]
    base, index = (_whole(reader.reg_name(register) or "") for register in (memory.base, memory.index))
    first = memory.disp + (one.address + one.size if base == "rip" else 0)
    return _Place((base, index, memory.scale), first, operand.size)  # type: ignore[attr-defined]


def _whole(register: str) -> str:
    """The 64-bit register of which it is a part."""
    if found := _EXTENDED.fullmatch(register):
        return f"r{found[1]}"
    if found := _OLD.fullmatch(register):
        return f"r{found[1]}x" if found[1] else f"r{found[2]}"
    return register
