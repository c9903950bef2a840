# SPDX-License-Identifier: Apache-2.0
"""Sections of code in object files, which a linker can place in any order."""

from __future__ import annotations

from pathlib import Path

from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile

from nalm_agent.artifacts.artifact_file import open_file

COLD = (".text.unlikely", ".text.startup", ".text.exit")
"""Code that runs rarely: the linker keeps it apart."""


def text_sections(objects: list[Path]) -> list[tuple[str, str]]:
    """(object, section) of all code of object files in their order, without rarely run code.

    Raises BuildError for what is no file, ELFError for what is no object file.
    """
    found = []
    for path in objects:
        with open_file(path) as file:
            found += [
                (str(path), str(section.name))
                for section in ELFFile(file).iter_sections()
                if section["sh_flags"] & SH_FLAGS.SHF_EXECINSTR
                and section["sh_size"]
                and section.name.startswith(".text")
                and not section.name.startswith(COLD)
            ]
    return found
