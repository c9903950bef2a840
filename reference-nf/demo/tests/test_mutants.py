# SPDX-License-Identifier: BSD-3-Clause
"""Every commit of the demo builds and is correct, and its code changes only if its header says so. Each other
mutant compiles."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from elftools.elf.constants import SH_FLAGS
from elftools.elf.elffile import ELFFile
from made_history import NF, Demo
from nalm_agent.mutants.read import all_patches


def code_digest(binary: Path) -> str:
    """Name and content of every loaded section."""
    digest = hashlib.sha256()
    with binary.open("rb") as file:
        for section in ELFFile(file).iter_sections():
            if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & SH_FLAGS.SHF_ALLOC:
                digest.update(section.name.encode() + section.data())
    return digest.hexdigest()


class Workshop:
    """One checkout and one build folder for all commits.

    Compiler and paths are those of `make nf`, so that ccache has its results.
    """

    def __init__(self, demo: Demo, folder: Path) -> None:
        self.source = folder / "source"
        self.build = self.source / "build"
        subprocess.run(["git", "clone", "-q", str(demo.folder), str(self.source)], check=True)

    def git(self, *arguments: str) -> str:
        """Output of git on the checkout."""
        return subprocess.run(
            ["git", "-C", str(self.source), *arguments], check=True, capture_output=True, text=True
        ).stdout

    def at(self, revision: object) -> Path:
        """Checks out and builds; returns the binary."""
        self.git("checkout", "-q", "--force", str(revision))
        if not self.build.exists():
            subprocess.run(
                ["meson", "setup", str(self.build), str(self.source), "--buildtype=release"],
                env={**os.environ, "CC": "ccache gcc", "CXX": "ccache g++"},
                check=True,
                stdout=subprocess.DEVNULL,
            )
        subprocess.run(["ninja", "-C", str(self.build), "nalm-nf"], check=True, stdout=subprocess.DEVNULL)
        return self.build / "nalm-nf"

    def errors_of(self, patch: Path) -> str:
        """What the compiler says of the patch's sources, and of those beside a header that it changes."""
        self.git("checkout", "-q", "--force", ".")
        self.git("apply", str(patch))
        changed = {self.source / name for name in self.git("diff", "--name-only").split()}
        folders = {path.parent for path in changed if path.suffix == ".h"}
        said = []
        for unit in json.loads((self.build / "compile_commands.json").read_text()):
            source = (self.build / unit["file"]).resolve()
            if source in changed or source.parent in folders:
                command = f"{unit['command']} -fsyntax-only"
                done = subprocess.run(
                    command, shell=True, cwd=self.build, capture_output=True, text=True, check=False
                )
                said.append(done.stderr if done.returncode else "")
        return "".join(said)

    def golden_tests(self, merge: dict[str, object]) -> list[str]:
        """The commit's golden tests of the chains and of each stage whose code the merge changes."""
        changed = self.git(
            "diff", "--name-only", str(merge["parent"]), str(merge["sha"]), "--", "src"
        ).split()
        stages = {path.split("/")[1] for path in changed if path.count("/") > 1}
        tests = self.source / "spec" / "tests"
        return [
            str(path)
            for name in sorted({"chains"} | stages)
            for path in sorted(tests.glob(f"test_golden_{name}*.py"))
        ]

    def passes_golden_tests(self, binary: Path, tests: list[str]) -> None:
        """Runs the golden tests on the commit's binary."""
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "pytest",
                "-q",
                "-n",
                "4",
                "-p",
                "no:cacheprovider",
                "--import-mode=importlib",
                *tests,
            ],
            env={**os.environ, "NALM_NF": str(binary), "NALM_NF_ASAN": ""},
            cwd=self.source,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout

    def has_a_clean_hot_path(self, binary: Path) -> None:
        """The commit's own hot path check: no call, log, allocation or lock per packet."""
        script = self.source / "scripts" / "check_hot_path.sh"
        done = subprocess.run([str(script), str(binary)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout


@pytest.fixture
def workshop(demo: Demo, tmp_path: Path) -> Workshop:
    """A place for building the demo's commits."""
    return Workshop(demo, tmp_path)


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_demo_commits_are_correct_and_change_code_as_they_say(demo: Demo, workshop: Workshop) -> None:
    headers = {patch.name: patch for patch in all_patches(NF / "mutants")}
    before = code_digest(workshop.at(demo.merges[0]["parent"]))
    for merge in demo.merges:
        binary = workshop.at(merge["sha"])
        after = code_digest(binary)
        says = headers[str(merge["patch"])].code
        assert ("equal" if after == before else "differs") == says, merge["patch"]
        if after != before:
            workshop.passes_golden_tests(binary, workshop.golden_tests(merge))
            workshop.has_a_clean_hot_path(binary)
        before = after


@pytest.mark.nightly
@pytest.mark.timeout(1200)
def test_every_mutant_that_applies_alone_compiles(demo: Demo, workshop: Workshop) -> None:
    workshop.at(demo.merges[0]["parent"])
    alone = sorted((NF / "mutants").glob("*/*.patch"))
    assert len(alone) > 90
    assert {patch.name: said for patch in alone if (said := workshop.errors_of(patch))} == {}
