# SPDX-License-Identifier: Apache-2.0
"""Regular two-level fractions of resolution IV: no main effect is confounded with another or with a pair.

Construction (Box & Hunter, Technometrics 3 (1961); a fold-over): the runs are all r-bit words. A factor is an
r-bit word of odd weight, and is on in the runs that share an even number of ones with it. The sum of three
words of odd weight is odd, and therefore never 0: no main effect is confounded with a pair. r bits give
2^(r-1) factors in 2^r runs. Pairs of factors are confounded with each other, except the requested ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Pair = tuple[int, int]


def resolution_iv(factors: int, pairs: Sequence[Pair] = ()) -> list[tuple[bool, ...]]:
    """Runs with a level for each factor; in the first run all are on. The pairs can be estimated, too."""
    bits = 2
    while (words := _words(factors, pairs, bits)) is None:
        bits += 1
    return [tuple((run & word).bit_count() % 2 == 0 for word in words) for run in range(1 << bits)]


def _words(factors: int, pairs: Sequence[Pair], bits: int) -> list[int] | None:
    """A word for each factor, such that the sums of all pairs differ; None if there are too few words."""
    odd = [word for word in range(1 << bits) if word.bit_count() % 2]
    if factors > len(odd) or len(pairs) >= 1 << (bits - 1):
        return None
    return next(_extended([], factors, pairs, odd), None)


def _extended(
    chosen: list[int], factors: int, pairs: Sequence[Pair], odd: Sequence[int]
) -> Iterator[list[int]]:
    """All assignments of words to the other factors, depth first."""
    if len(chosen) == factors:
        yield chosen
        return
    for word in odd:
        if word not in chosen and _apart([*chosen, word], pairs):
            yield from _extended([*chosen, word], factors, pairs, odd)


def _apart(chosen: Sequence[int], pairs: Sequence[Pair]) -> bool:
    sums = [chosen[a] ^ chosen[b] for a, b in pairs if max(a, b) < len(chosen)]
    return len(set(sums)) == len(sums)
