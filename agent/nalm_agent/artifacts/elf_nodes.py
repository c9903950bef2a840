# SPDX-License-Identifier: Apache-2.0
"""Splits an ELF image into functions and pieces of data, independent of their positions, with their
references.

A piece's content is its bytes without the operands and pointers that hold positions of other pieces; those
are its references, in order. In doubt (bytes that do not disassemble, data without a name or a reference) the
plain bytes count, so that doubtful pieces differ.
"""

from __future__ import annotations

import re
import struct
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256

from capstone import CS_ARCH_X86, CS_MODE_64, Cs
from nalm_core.text.symbol_names import without_clone

from nalm_agent.artifacts.elf_image import FUNCTION, IFUNC, OBJECT, R_COPY, TLS, Image, Section, Symbol

_DATA_KINDS = {"SHT_PROGBITS", "SHT_NOBITS", "SHT_INIT_ARRAY", "SHT_FINI_ARRAY", "SHT_PREINIT_ARRAY"}
_DERIVED = {".eh_frame", ".eh_frame_hdr", ".got", ".got.plt", ".interp"}
"""Sections that the linker derives from the rest of the file."""
_STUBS = {".plt", ".plt.sec", ".plt.got"}
_GOT = {".got", ".got.plt"}
_START_FILES = {"deregister_tm_clones", "register_tm_clones"}
"""Of the compiler's start files, run once: they refer to where the linker ended a section."""
_PADDING = frozenset(b"\x90\xcc\x00\x66\x2e\x0f\x1f\x40\x44\x80\x84")
_RIP = re.compile(r"\[rip(?: ([+-]) (0x[0-9a-f]+|\d+))?\]")
_SHORT = frozenset([0xEB, 0xE0, 0xE1, 0xE2, 0xE3, *range(0x70, 0x80)])
POINTER_BYTES, ENTRY_BYTES = 8, 4


@dataclass(frozen=True)
class Reference:
    """One operand or pointer that holds a position."""

    target: int | None
    """Index of the piece it points into; None if that is not in the file."""
    label: str
    """The kind of reference, and the name of a target outside the file."""
    offset: int
    """Bytes from the target's start."""


@dataclass
class Node:
    """A function or a piece of data."""

    kind: str
    """"function", or the name of the data section."""
    name: str
    """Name without compilers' clone suffixes; empty for unnamed data."""
    start: int
    end: int
    content: bytes = b""
    """Digest of the position-independent bytes."""
    references: list[Reference] = field(default_factory=list)

    @property
    def is_function(self) -> bool:
        return self.kind == "function"


@dataclass(frozen=True)
class _Code:
    """A disassembled function: its bytes with positions zeroed, and the addresses at these positions."""

    body: bytes
    targets: list[tuple[int, bool]]
    """Address, and whether the code loads it (instead of a call or jump)."""
    jumps_indirectly: bool


def nodes(image: Image) -> list[Node]:
    """All functions and pieces of data of an image, by address."""
    return _Reader(image).read()


class _Reader:
    def __init__(self, image: Image) -> None:
        self._image = image
        self._engine = Cs(CS_ARCH_X86, CS_MODE_64)
        self._nodes: list[Node] = []
        self._starts: list[int] = []
        self._stubs: Mapping[int, int] = {}
        """Address of a stub to the slot it jumps through."""

    def read(self) -> list[Node]:
        self._stubs = self._read_stubs()
        functions = self._functions()
        code = {node.start: self._disassemble(node) for node in functions}
        named = self._objects()
        aimed = {target for one in code.values() for target, _ in one.targets}
        aimed |= {pointer.target for pointer in self._image.pointers.values() if pointer.target is not None}
        data = [*named, *self._unnamed(named, sorted(aimed))]
        self._nodes = sorted([*functions, *data], key=lambda node: node.start)
        self._starts = [node.start for node in self._nodes]
        for node in functions:
            self._finish_function(node, code[node.start])
        tables = self._jump_tables(functions, code)
        for node in data:
            self._finish_data(node, tables.get(node.start))
        return self._nodes

    # --- functions

    def _functions(self) -> list[Node]:
        found: list[Node] = []
        for section in self._image.sections:
            if not section.executable or section.name in _STUBS:
                continue
            symbols = self._named_in(section, {FUNCTION, IFUNC})
            starts = [symbol.start for symbol in symbols]
            position = section.start
            for index, symbol in enumerate(symbols):
                following = starts[index + 1] if index + 1 < len(symbols) else section.end
                end = symbol.start + symbol.size if symbol.size else following
                found += self._between(section, position, symbol.start)
                found.append(Node("function", without_clone(symbol.name), symbol.start, end))
                position = end
            found += self._between(section, position, section.end)
        return found

    @staticmethod
    def _between(section: Section, start: int, end: int) -> Iterator[Node]:
        """Unnamed code between two functions, if it is more than padding."""
        if not _PADDING.issuperset(section.data[start - section.start : end - section.start]):
            yield Node("function", "", start, end)

    def _named_in(self, section: Section, kinds: set[int]) -> list[Symbol]:
        """Symbols of a section, one per address, without symbols inside others."""
        inside = [
            symbol
            for symbol in self._image.symbols
            if symbol.kind in kinds and symbol.defined and section.start <= symbol.start < section.end
        ]
        inside.sort(key=lambda symbol: (symbol.start, -symbol.size, symbol.name))
        kept: list[Symbol] = []
        for symbol in inside:
            if not kept or (symbol.start >= kept[-1].start + kept[-1].size and symbol.start > kept[-1].start):
                kept.append(symbol)
        return kept

    def _disassemble(self, node: Node) -> _Code:
        section = self._image.section_at(node.start)
        assert section is not None
        raw = section.data[node.start - section.start : node.end - section.start]
        body, targets, indirect, done = bytearray(raw), list[tuple[int, bool]](), False, 0
        for address, size, mnemonic, operands in self._engine.disasm_lite(raw, node.start):
            at = address - node.start
            done = at + size
            if "rip" in operands:
                found = _RIP.search(operands)
                if found is not None:
                    offset = int(f"{found[1] or '+'}{found[2] or '0'}", 0)
                    _blank(body, at, size, offset)
                    targets.append((address + size + offset, True))
            elif operands.startswith("0x") and _is_branch(mnemonic):
                target = int(operands, 16)
                if not node.start <= target < node.end:
                    width = 1 if raw[at] in _SHORT else 4
                    body[done - width : done] = bytes(width)
                    targets.append((target, False))
            elif mnemonic.endswith("jmp") and "[" not in operands:
                indirect = True
        trimmed = bytes(body[:done]).rstrip(b"\x90\xcc") if not node.name else bytes(body)
        return _Code(trimmed, targets, indirect)

    def _finish_function(self, node: Node, code: _Code) -> None:
        node.content = sha256(code.body).digest()
        if node.name in _START_FILES:
            return
        for address, loaded in code.targets:
            node.references.append(self._reference(address, "load" if loaded else "go", node))

    # --- data

    def _data_sections(self) -> Iterable[Section]:
        for section in self._image.sections:
            if section.kind in _DATA_KINDS and not section.executable and section.name not in _DERIVED:
                yield section

    def _objects(self) -> list[Node]:
        return [
            Node(section.name, without_clone(symbol.name), symbol.start, symbol.start + symbol.size)
            for section in self._data_sections()
            if not section.thread_local
            for symbol in self._named_in(section, {OBJECT})
            if symbol.size
        ]

    def _unnamed(self, named: list[Node], aimed: list[int]) -> Iterator[Node]:
        """Data between named objects, split where pointers point to."""
        for section in self._data_sections():
            if section.thread_local:
                yield Node(section.name, "", section.start, section.end)
                continue
            position = section.start
            inside = [node for node in named if section.start <= node.start < section.end]
            for start, end in [*((node.start, node.end) for node in inside), (section.end, section.end)]:
                cuts = aimed[bisect_right(aimed, position) : bisect_right(aimed, start - 1)]
                for low, high in zip([position, *cuts], [*cuts, start], strict=True):
                    if low < high:
                        yield Node(section.name, "", low, high)
                position = end

    def _finish_data(self, node: Node, owner: Node | None) -> None:
        section = self._image.section_at(node.start)
        assert section is not None
        if section.kind == "SHT_NOBITS":
            copied = self._image.pointers.get(node.start)
            said = copied.name if copied is not None and copied.kind == R_COPY else ""
            size = node.end - node.start if node.name else 0
            node.content = sha256(f"zero {size} {said}".encode()).digest()
            return
        raw = section.data[node.start - section.start : node.end - section.start]
        content = sha256()
        if owner is not None:
            count = self._take_entries(node, raw, owner)
            content.update(repr([(one.label, one.offset) for one in node.references]).encode())
            raw = raw[count * ENTRY_BYTES :]
        body = bytearray(raw)
        for at in range((-node.start) % POINTER_BYTES, len(raw) - POINTER_BYTES + 1, POINTER_BYTES):
            pointer = self._image.pointers.get(node.end - len(raw) + at)
            if pointer is not None:
                body[at : at + POINTER_BYTES] = bytes(POINTER_BYTES)
                node.references.append(self._slot(node.end - len(raw) + at, f"pointer at {at}", node))
        content.update(bytes(body) if node.name or section.thread_local else bytes(body).rstrip(b"\0"))
        node.content = content.digest()

    def _jump_tables(self, functions: list[Node], code: Mapping[int, _Code]) -> dict[int, Node]:
        """Addresses of data that may begin with offsets into the one function that loads its address."""
        users: dict[int, set[str]] = defaultdict(set)
        owners: dict[int, Node] = {}
        for node in functions:
            for address, loaded in code[node.start].targets:
                if loaded:
                    users[address].add(node.name)
                    if code[node.start].jumps_indirectly and node.name:
                        owners[address] = node
        return {address: owner for address, owner in owners.items() if users[address] == {owner.name}}

    def _take_entries(self, node: Node, raw: bytes, owner: Node) -> int:
        """Reads leading 4-byte offsets from the table's start to code of its function. Returns how many."""
        count = 0
        for (entry,) in struct.iter_unpack("<i", raw[: len(raw) // ENTRY_BYTES * ENTRY_BYTES]):
            target = self._at(node.start + entry)
            if target is None or not target.is_function or target.name != owner.name:
                break
            node.references.append(self._reference(node.start + entry, "case", node))
            count += 1
        return count

    # --- references

    def _at(self, address: int) -> Node | None:
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self._nodes[index].end:
            return self._nodes[index]
        return None

    def _reference(self, address: int, label: str, origin: Node) -> Reference:
        if origin.start <= address < origin.end:
            return Reference(None, f"{label} self", address - origin.start)
        section = self._image.section_at(address)
        if section is not None and section.name in _STUBS and address in self._stubs:
            return self._slot(self._stubs[address], f"{label} stub", origin)
        if section is not None and section.name in _GOT:
            return self._slot(address, f"{label} slot", origin)
        index = bisect_right(self._starts, address) - 1
        if index >= 0 and address < self._nodes[index].end:
            return Reference(index, label, address - self._nodes[index].start)
        if section is not None:
            return Reference(None, f"{label} {section.name}", address - section.start)
        return Reference(None, f"{label} nowhere", address)

    def _slot(self, slot: int, label: str, origin: Node) -> Reference:
        """The reference of a slot that the loader fills."""
        pointer = self._image.pointers.get(slot)
        if pointer is None:
            return Reference(None, f"{label} empty", 0)
        if pointer.target is None:
            return Reference(None, f"{label} {pointer.kind} {pointer.name}", 0)
        return self._reference(pointer.target, f"{label} {pointer.kind}", origin)

    def _read_stubs(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for section in self._image.sections:
            if section.name not in _STUBS:
                continue
            width = section.entry_size or 16
            for address, size, mnemonic, operands in self._engine.disasm_lite(section.data, section.start):
                through = _RIP.search(operands) if mnemonic.endswith("jmp") else None
                if through is not None:
                    start = section.start + (address - section.start) // width * width
                    offset = int(f"{through[1] or '+'}{through[2] or '0'}", 0)
                    found.setdefault(start, address + size + offset)
        return found


def thread_local_shape(image: Image) -> list[tuple[str, int, int]]:
    """Relative positions of thread-local variables, by which code refers to them."""
    variables = [(one.name, one.start, one.size) for one in image.symbols if one.kind == TLS and one.defined]
    return sorted([*variables, *((section.name, 0, section.size) for section in image.thread_local)])


def _is_branch(mnemonic: str) -> bool:
    word = mnemonic.rpartition(" ")[2]
    return word[0] == "j" or word == "call" or word.startswith("loop") or word == "xbegin"


def _blank(body: bytearray, at: int, size: int, offset: int) -> None:
    """Zeroes the displacement of an instruction: four bytes after a ModRM byte that says rip-relative."""
    packed = struct.pack("<i", offset)
    for position in range(at + 1, at + size - 3):
        if body[position : position + 4] == packed and body[position - 1] & 0xC7 == 0x05:
            body[position : position + 4] = bytes(4)
            return
