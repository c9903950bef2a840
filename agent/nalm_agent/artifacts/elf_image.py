# SPDX-License-Identifier: Apache-2.0
"""Sections, symbols and pointers of an x86-64 position-independent ELF file, for the digest of its
functions."""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.dynamic import DynamicSection, DynamicTag
from elftools.elf.elffile import ELFFile
from elftools.elf.sections import Section as ElfSection
from nalm_core.text.plain_text import plain_line

from nalm_agent.artifacts.artifact_file import open_file

_SYMBOL = struct.Struct("<IBBHQQ")
_RELA = struct.Struct("<QQq")
_WORD = struct.Struct("<Q")
_PACKED = ("SHT_RELR", 19)
"""By name, and by number where pyelftools does not know the name."""
R_RELATIVE, R_COPY = 8, 5
FUNCTION, OBJECT, TLS, IFUNC = 2, 1, 6, 10
_WITHOUT_BYTES = ("SHT_NOBITS", "SHT_NULL")
_EXPORTED = {FUNCTION, OBJECT, IFUNC}
_LINKED_BY = ("DT_NEEDED", "DT_RPATH", "DT_RUNPATH", "DT_FLAGS", "DT_FLAGS_1")
"""Entries of the dynamic section that count; the others are positions in the file."""


@dataclass(frozen=True)
class Section:
    name: str
    kind: str
    start: int
    size: int
    data: bytes
    """Empty for sections that occupy no space in the file."""
    executable: bool
    thread_local: bool
    entry_size: int

    @property
    def end(self) -> int:
        return self.start + self.size


@dataclass(frozen=True)
class Symbol:
    name: str
    kind: int
    start: int
    size: int
    defined: bool


@dataclass(frozen=True)
class Pointer:
    """The address that the loader writes into a slot: of a symbol of another file, or of this file."""

    kind: int
    """Relocation type."""
    target: int | None
    """Address in this file, None for a symbol of another."""
    name: str


@dataclass(frozen=True)
class Image:
    sections: list[Section]
    """Loaded sections by address, without thread-local zeros, which have no address of their own."""
    thread_local: list[Section]
    symbols: list[Symbol]
    pointers: dict[int, Pointer]
    """By the address of the slot."""
    exports: list[Symbol]
    """Functions and data that other files find by name."""
    linked: list[tuple[str, str | int]]
    """The loader, the libraries that it loads with the file, where it looks for them, and how it binds."""

    def section_at(self, address: int) -> Section | None:
        """The section that contains an address."""
        index = bisect_right(self.sections, address, key=lambda section: section.start) - 1
        if index >= 0 and address < self.sections[index].end:
            return self.sections[index]
        return None


def read_image(path: Path) -> Image | None:
    """Reads a file; None if its functions are unknown: stripped, not x86-64, fixed addresses, or with
    sections that no linker makes.

    Code at fixed addresses has immediate operands that are not marked as addresses.
    """
    with open_file(path) as file:
        elf = ELFFile(file)
        if held_bytes(elf) > file.seek(0, 2):
            return None
        table = elf.get_section_by_name(".symtab")
        if elf["e_machine"] != "EM_X86_64" or elf["e_type"] != "ET_DYN" or table is None:
            return None
        loaded = [_section(one) for one in elf.iter_sections() if one["sh_flags"] & SH_FLAGS.SHF_ALLOC]
        symbols = list(symbols_of(elf, table))
        pointers: dict[int, Pointer] = {}
        for rela in elf.iter_sections("SHT_RELA"):
            if rela["sh_flags"] & SH_FLAGS.SHF_ALLOC:
                dynamic = elf.get_section(rela["sh_link"])
                names = elf.get_section(dynamic["sh_link"]).data() if rela["sh_link"] else b""
                known = list(_symbols(dynamic.data(), names)) if names else []
                pointers.update(_pointers(rela.data(), known))
        for packed in elf.iter_sections():
            if packed["sh_type"] in _PACKED:
                pointers.update(_packed_pointers(packed.data(), loaded))
        exports = list[Symbol]()
        for section in elf.iter_sections("SHT_DYNSYM"):
            found = symbols_of(elf, section)
            exports += [one for one in found if one.defined and one.kind in _EXPORTED]
        linked = _linked(elf)
    placed = [one for one in loaded if not (one.thread_local and one.kind == "SHT_NOBITS")]
    return Image(
        sorted(placed, key=lambda section: section.start),
        [one for one in loaded if one.thread_local],
        symbols,
        pointers,
        exports,
        linked,
    )


def symbols_of(elf: ELFFile, table: ElfSection) -> Iterator[Symbol]:
    """Symbols of a table of a 64-bit file. Many times faster than those of pyelftools."""
    return _symbols(table.data(), elf.get_section(table["sh_link"]).data())


def held_bytes(elf: ELFFile) -> int:
    """Size of all sections together. Sections made by a linker do not overlap, so they fit into the file."""
    return sum(one["sh_size"] for one in elf.iter_sections() if one["sh_type"] not in _WITHOUT_BYTES)


def loaded_bytes(elf: ELFFile) -> int:
    """Size of the loaded sections that occupy space in the file."""
    return sum(
        one["sh_size"]
        for one in elf.iter_sections()
        if one["sh_flags"] & SH_FLAGS.SHF_ALLOC and one["sh_type"] not in _WITHOUT_BYTES
    )


def needed_libraries(elf: ELFFile) -> list[str]:
    """Names of the libraries that the loader loads with a file, in the loader's order."""
    return [
        getattr(tag, "needed")  # noqa: B009 - pyelftools gives a tag the attributes of its kind
        for section in elf.iter_sections()
        if isinstance(section, DynamicSection)
        for tag in section.iter_tags("DT_NEEDED")
    ]


def linked_by(tag: DynamicTag) -> tuple[str, str | int] | None:
    """An entry of the dynamic section that decides what is loaded and how; None for another one."""
    kind = tag.entry.d_tag
    if kind not in _LINKED_BY:
        return None
    names = {"DT_NEEDED": "needed", "DT_RPATH": "rpath", "DT_RUNPATH": "runpath"}
    return kind, getattr(tag, names[kind]) if kind in names else tag.entry.d_val


def _linked(elf: ELFFile) -> list[tuple[str, str | int]]:
    found, loader = list[tuple[str, str | int]](), elf.get_section_by_name(".interp")
    if loader is not None:
        found.append(("loader", loader.data().hex()))
    for section in elf.iter_sections():
        if isinstance(section, DynamicSection):
            found += [entry for tag in section.iter_tags() if (entry := linked_by(tag)) is not None]
    return found


def _section(found: object) -> Section:
    header = found.header  # type: ignore[attr-defined]
    flags, kind = header["sh_flags"], header["sh_type"]
    return Section(
        name=found.name,  # type: ignore[attr-defined]
        kind=kind,
        start=header["sh_addr"],
        size=header["sh_size"],
        data=b"" if kind == "SHT_NOBITS" else found.data(),  # type: ignore[attr-defined]
        executable=bool(flags & SH_FLAGS.SHF_EXECINSTR),
        thread_local=bool(flags & SH_FLAGS.SHF_TLS),
        entry_size=header["sh_entsize"],
    )


def _symbols(table: bytes, names: bytes) -> Iterator[Symbol]:
    for name, info, _, section, value, size in _SYMBOL.iter_unpack(table):
        text = plain_line(names[name : names.index(b"\0", name)].decode(errors="replace"))
        yield Symbol(text, info & 0xF, value, size, section != 0)


def _packed_pointers(table: bytes, loaded: list[Section]) -> Iterator[tuple[int, Pointer]]:
    """Pointers into this file by DT_RELR: an address, then bitmaps of the 63 words after it, and so on. The
    slots themselves hold where they point."""
    at = 0
    for (entry,) in _WORD.iter_unpack(table):
        if entry & 1:
            slots = [at + _WORD.size * bit for bit in range(63) if entry >> bit + 1 & 1]
            at += _WORD.size * 63
        else:
            slots = [entry]
            at = entry + _WORD.size
        for slot in slots:
            for section in loaded:
                if section.start <= slot <= section.start + len(section.data) - _WORD.size:
                    (target,) = _WORD.unpack_from(section.data, slot - section.start)
                    yield slot, Pointer(R_RELATIVE, target, "")


def _pointers(table: bytes, known: list[Symbol]) -> Iterator[tuple[int, Pointer]]:
    for slot, info, addend in _RELA.iter_unpack(table):
        kind, symbol = info & 0xFFFFFFFF, info >> 32
        if kind == R_RELATIVE:
            yield slot, Pointer(kind, addend, "")
        elif symbol and known[symbol].defined and kind != R_COPY and known[symbol].kind != TLS:
            yield slot, Pointer(kind, known[symbol].start + addend, "")
        else:
            name = known[symbol].name if symbol else ""
            yield slot, Pointer(kind, None, f"{name}+{addend}")
