# SPDX-License-Identifier: Apache-2.0
"""Position-independent digests of functions: they show whether code only moved, and which functions changed.

Two builds have equal digests if their functions and data can be paired so that each pair has the same
machine code or bytes, and refers to paired ones and is referred to by them (colour refinement: every piece's
digest combines its content and the digests of both, until no more pieces are distinguished). Names do not
matter, except exported ones; nor does the order in the file. What the loader gets to know (libraries, where
they are) counts.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from nalm_core.text.symbol_names import plain_name

from nalm_agent.artifacts.elf_image import read_image
from nalm_agent.artifacts.elf_nodes import nodes, thread_local_shape
from nalm_agent.runtime.errors import BuildError
from nalm_agent.store.atomic_file import put

if TYPE_CHECKING:  # reading ELF files loads a disassembler, so only when necessary
    from nalm_agent.artifacts.elf_image import Image
    from nalm_agent.artifacts.elf_nodes import Node, Reference

VERSION = 3
_NOWHERE = bytes(32)
"""In place of the digest of a target outside of the file."""


@dataclass(frozen=True)
class Function:
    name: str
    """Name without clone suffixes, so that several functions may have the same name."""
    by_name: str
    """Digest of its code, the names of the functions and the contents of the data it refers to."""
    by_shape: str
    """As by_name, with the functions' code instead of their names."""


@dataclass(frozen=True)
class Table:
    """The functions of one build's artifacts."""

    digest: str
    functions: tuple[Function, ...]


def table(artifacts: Iterable[Path]) -> Table | None:
    """The table of a build; None if functions of an artifact are unknown (stripped, not x86-64, at fixed
    addresses, damaged)."""
    total, functions = sha256(), list[Function]()
    for path in artifacts:
        try:
            image = read_image(path)
            found = nodes(image) if image is not None else None
        except BuildError:
            raise
        except Exception:  # a damaged file makes the reader fail anywhere
            return None
        if image is None or found is None:
            return None
        total.update(_refined(image, found))
        functions += _described(found)
    return Table(total.hexdigest(), tuple(functions))


def placement_only(first: Table | None, second: Table | None) -> bool:
    """True if two builds have the same functions and data, regardless of places and names."""
    return first is not None and second is not None and first.digest == second.digest


def changed_functions(first: Table, second: Table) -> list[str]:
    """Names of functions whose code, or the data they refer to, differ; also added and removed functions.

    Functions that only moved, were renamed, or call a changed function are not included.
    """
    left, right = list(first.functions), list(second.functions)
    _cancel(left, right, lambda one: (one.name, one.by_name))
    _cancel(left, right, lambda one: (one.name, one.by_shape))
    _cancel(left, right, lambda one: one.by_shape)
    return sorted({plain_name(one.name) for one in (*left, *right)})


def save(found: Table | None, path: Path) -> None:
    """Writes a table, or a mark that there is none."""
    rows = [[one.name, one.by_name, one.by_shape] for one in found.functions] if found else None
    document = {"version": VERSION, "digest": found.digest if found else None, "functions": rows}
    put(path, json.dumps(document).encode(), mode=0o666)


def load(path: Path) -> Table | None:
    """Reads a table; None if there is none, or if it has another version."""
    try:
        document = json.loads(path.read_text())
    except FileNotFoundError:
        return None
    if document["version"] != VERSION or document["digest"] is None:
        return None
    return Table(document["digest"], tuple(Function(*row) for row in document["functions"]))


def _cancel(left: list[Function], right: list[Function], key: object) -> None:
    """Removes pairs with equal keys."""
    assert callable(key)
    both = Counter(map(key, left)) & Counter(map(key, right))
    for side in (left, right):
        spare, kept = both.copy(), list[Function]()
        for one in side:
            if spare[key(one)] > 0:
                spare[key(one)] -= 1
            else:
                kept.append(one)
        side[:] = kept


def _refined(image: Image, found: list[Node]) -> bytes:
    """One digest for all pieces and how they refer to each other."""
    colours = [_digest(one.kind, one.content) for one in found]
    leading = [[(_kind(one), one.target) for one in piece.references] for piece in found]
    coming: list[list[tuple[bytes, int]]] = [[] for _ in found]
    for source, references in enumerate(leading):
        for kind, target in references:
            if target is not None:
                coming[target].append((kind, source))
    classes = len(set(colours))
    while True:
        colours = [
            _digest(
                own,
                b"".join(kind + (_NOWHERE if target is None else colours[target]) for kind, target in to),
                b"".join(sorted(kind + colours[source] for kind, source in by)),
            )
            for own, to, by in zip(colours, leading, coming, strict=True)
        ]
        finer = len(set(colours))
        if finer == classes:
            linked = (image.linked, _exported(image, found, colours))
            return _digest(repr(thread_local_shape(image)), repr(linked), *sorted(colours))
        classes = finer


def _exported(image: Image, found: list[Node], colours: list[bytes]) -> list[tuple[str, str, int]]:
    """Exported names, with the piece and the offset of each."""
    starts, exported = [one.start for one in found], list[tuple[str, str, int]]()
    for symbol in image.exports:
        index = bisect_right(starts, symbol.start) - 1
        inside = index >= 0 and symbol.start < max(found[index].end, found[index].start + 1)
        colour = colours[index].hex() if inside else "nowhere"
        exported.append((symbol.name, colour, symbol.start - found[index].start if inside else 0))
    return sorted(exported)


def _kind(reference: Reference) -> bytes:
    """A reference without its target, in as many bytes as any other."""
    return _digest(reference.label, str(reference.offset))


def _described(found: list[Node]) -> Iterable[Function]:
    contents = [_digest(one.kind, one.content) for one in found]
    for one in found:
        if not one.is_function:
            continue
        names, shapes = list[str | bytes](), list[str | bytes]()
        for reference in one.references:
            target = None if reference.target is None else found[reference.target]
            shape = b"" if reference.target is None else contents[reference.target]
            called = target is not None and target.is_function
            offset = str(reference.offset)
            names += [reference.label, target.name if target and called else shape, offset]
            shapes += [reference.label, shape, offset]
        yield Function(one.name, _short(one.content, names), _short(one.content, shapes))


def _short(content: bytes, parts: list[str | bytes]) -> str:
    return _digest(content, *parts).hex()[:16]


def _digest(*parts: str | bytes) -> bytes:
    total = sha256()
    for part in parts:
        data = part.encode() if isinstance(part, str) else part
        total.update(len(data).to_bytes(4, "little"))
        total.update(data)
    return total.digest()
