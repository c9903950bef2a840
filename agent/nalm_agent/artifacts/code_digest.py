# SPDX-License-Identifier: Apache-2.0
"""Digest of the loaded contents of ELF files: files with equal digests run the same.

Included are all loaded sections (SHF_ALLOC): code, data, and the data of the loader (dynamic symbols,
versions, relocations, names of libraries), because calls of different functions by name have the same bytes;
and the size of sections without contents (.bss). Notes (build id) are excluded. Debug information is not
loaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.dynamic import DynamicSection
from elftools.elf.elffile import ELFFile

from nalm_agent.artifacts.artifact_file import open_file
from nalm_agent.artifacts.elf_image import linked_by
from nalm_agent.runtime.errors import BuildError

_LEFT_OUT = {"SHT_NOTE", "SHT_NULL"}


def code_digest(artifacts: Iterable[Path]) -> str:
    """Digest over ELF files in the given order. Raises BuildError if one is missing or not ELF."""
    total = hashlib.sha256()
    for path in artifacts:
        try:
            with open_file(path) as file:
                total.update(digest_of_loaded(file, ELFFile(file)).encode())
        except ELFError as error:
            raise BuildError(
                f"{path.name} is not an ELF file: {error}",
                hint="[build] artifacts in nalm.toml names executables and shared libraries",
            ) from error
    return total.hexdigest()


def digest_of_loaded(file: BinaryIO, elf: ELFFile) -> str:
    """Digest of one open ELF file. Raises BuildError if its sections are larger than the file."""
    total = hashlib.sha256(f"{elf['e_machine']} {elf['e_type']}\0".encode())
    size = file.seek(0, 2)
    for section in elf.iter_sections():
        if not section["sh_flags"] & SH_FLAGS.SHF_ALLOC or section["sh_type"] in _LEFT_OUT:
            continue
        if isinstance(section, DynamicSection):
            total.update(repr([linked_by(tag) for tag in section.iter_tags()]).encode())
            continue
        total.update(f"{section.name}\0{section['sh_size']}\0{section['sh_flags']}\0".encode())
        if section["sh_type"] == "SHT_NOBITS":
            total.update(b"zero\0")
        elif section["sh_offset"] + section["sh_size"] > size:
            raise BuildError(f"section {section.name} of {Path(file.name).name} is larger than the file")
        else:
            total.update(section.data())
    return total.hexdigest()
