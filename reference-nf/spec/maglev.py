# SPDX-License-Identifier: BSD-3-Clause
"""Consistent hashing after Eisenbud et al., Maglev, NSDI 2016, section 3.4; turns go by weight."""

from collections.abc import Iterator, Sequence
from itertools import count
from typing import Final

MASK: Final = (1 << 64) - 1


def mix64(value: int) -> int:
    """The finalizer of SplitMix64 (Steele, Lea, Flood 2014)."""
    value = (value + 0x9E3779B97F4A7C15) & MASK
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


Weighted = tuple[int, int, int]  # address, port, weight


def table(size: int, backends: Sequence[Weighted]) -> list[tuple[int, int]]:
    """The back end of each of `size` slots, a prime; empty without back ends.

    Back ends are sorted by address and port. In each round every back end gains its weight as credit. When
    its credit reaches the heaviest weight, it takes the next free slot of its own permutation.
    """
    if not backends:
        return []
    slots: list[tuple[int, int] | None] = [None] * size
    ordered = sorted(backends)
    heaviest = max(weight for _, _, weight in ordered)
    wishes = [_permutation(size, address, port) for address, port, _ in ordered]
    credit = [0] * len(ordered)
    left = size
    while True:
        for number, (address, port, weight) in enumerate(ordered):
            credit[number] += weight
            if credit[number] < heaviest:
                continue
            credit[number] -= heaviest
            slot = next(slot for slot in wishes[number] if slots[slot] is None)
            slots[slot] = address, port
            left -= 1
            if left == 0:
                return [end for end in slots if end is not None]


def _permutation(size: int, address: int, port: int) -> Iterator[int]:
    """Every slot once, in the order in which a back end prefers them."""
    name = mix64(address << 16 | port)
    offset, skip = name % size, mix64(name) % (size - 1) + 1
    return ((offset + step * skip) % size for step in count())


def slot(size: int, protocol: int, client: tuple[int, int], service: tuple[int, int]) -> int:
    """The slot of a new connection by its 5-tuple."""
    addresses = client[0] << 32 | service[0]
    ports = protocol << 32 | client[1] << 16 | service[1]
    return mix64(mix64(addresses) ^ ports) % size
