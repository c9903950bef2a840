# SPDX-License-Identifier: Apache-2.0
"""Sizes of a program's functions, from its symbols."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from nalm_agent.artifacts.artifact_file import open_file
from nalm_agent.artifacts.elf_image import held_bytes
from nalm_agent.runtime.errors import BuildError

CODE = ("STT_FUNC", "STT_LOOS")
"""Kinds of symbols of functions; the second is that of functions which the loader selects for the CPU."""


def code_sizes(path: Path) -> list[tuple[str, int]] | None:
    """(symbol, bytes) of each function that the file defines, those of one name each; None without symbols,
    or if it is not a valid ELF file."""
    try:
        with open_file(path) as file:
            elf = ELFFile(file)
            table = elf.get_section_by_name(".symtab")
            if held_bytes(elf) > file.seek(0, 2) or not isinstance(table, SymbolTableSection):
                return None
            places = {
                (symbol.name, symbol["st_value"]): symbol["st_size"]
                for symbol in table.iter_symbols()
                if symbol["st_info"]["type"] in CODE and symbol["st_shndx"] != "SHN_UNDEF"
            }
    except BuildError:
        raise
    except Exception:  # a damaged file makes the reader fail in any of its places
        return None
    return [(name, size) for (name, _), size in places.items()]
