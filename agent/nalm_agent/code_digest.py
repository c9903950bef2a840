# SPDX-License-Identifier: Apache-2.0
"""Digest of what an ELF file puts into memory: equal digests run the same.

Taken: loaded code and data sections (SHF_ALLOC, with contents), and the size of those without (.bss).
Left out: what names or links the code without being run by it: notes (build id), dynamic symbols, hashes,
versions, relocation tables. Debug information is not loaded.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from nalm_agent.artifact_file import open_file
from nalm_agent.errors import BuildError

_WITH_CONTENTS = {"SHT_PROGBITS", "SHT_INIT_ARRAY", "SHT_FINI_ARRAY", "SHT_PREINIT_ARRAY"}


def code_digest(artifacts: Iterable[Path]) -> str:
    """Digest over ELF files, in the order given. Raises BuildError for one that is missing or no ELF."""
    total = hashlib.sha256()
    for path in artifacts:
        try:
            with open_file(path) as file:
                _add(total, ELFFile(file))
        except ELFError as error:
            raise BuildError(
                f"{path.name} is not an ELF file: {error}",
                hint="[build] artifacts in nalm.toml names executables and shared libraries",
            ) from error
    return total.hexdigest()


def _add(total: hashlib._Hash, elf: ELFFile) -> None:
    for section in elf.iter_sections():
        if not section["sh_flags"] & SH_FLAGS.SHF_ALLOC:
            continue
        kind, size = section["sh_type"], section["sh_size"]
        if kind in _WITH_CONTENTS:
            total.update(f"{section.name}\0{size}\0".encode())
            total.update(section.data())
        elif kind == "SHT_NOBITS":
            total.update(f"{section.name}\0{size}\0zero\0".encode())
