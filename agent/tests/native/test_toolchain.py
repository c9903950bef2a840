# SPDX-License-Identifier: Apache-2.0
"""Another version of a program that makes a build is another address of the build, and a compiler that
commands name is part of the report's compiler."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from building import COMMANDS, Builder
from nalm_agent.build.build import build_address
from nalm_agent.config.nalm_toml import parse
from nalm_agent.native.compilers import compiler_stamps, file_of, program_stamps, words_of
from nalm_agent.native.development_files import READABLE, development_digest
from nalm_agent.native.toolchain import compilers_of, forget_toolchain, toolchain
from nalm_agent.runtime.errors import BuildError, UsageError
from nalm_agent.source.git import Repository
from tiny import NALM_TOML, NfRepository

OTHER = "[['meson', 'setup', '{build}'], ['sh', '-c', 'CC=tcc ninja']]"


@pytest.fixture
def looking_again() -> Iterator[None]:
    """The test finds its own tools, and later ones those of the host."""
    forget_toolchain()
    yield
    forget_toolchain()


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, looking_again: None) -> Path:
    """A folder before all others of PATH. The host's headers are not looked at, and cannot count."""
    folder = tmp_path / "tools"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    monkeypatch.delenv("CC", raising=False)
    monkeypatch.setattr("nalm_agent.native.toolchain.development_digest", lambda: "")
    return folder


def install(folder: Path, name: str, version: str) -> None:
    path = folder / name
    path.write_text(f"#!/bin/sh\necho '{name} {version}'\n")
    path.chmod(0o755)


def address_of(nf: NfRepository, folder: Path, commands: str) -> str:
    """Of the build of HEAD by an agent that looks at its programs now."""
    forget_toolchain()
    repository = Repository(nf.path, folder / "scratch")
    return build_address(repository, repository.resolve("HEAD"), parse(NALM_TOML.replace(COMMANDS, commands)))


@pytest.mark.parametrize(
    ("commands", "program"),
    [
        (COMMANDS, "g++"),
        (COMMANDS, "ld"),
        (COMMANDS, "rustc"),
        (COMMANDS, "clang-99"),
        (OTHER, "go"),
        (OTHER, "meson"),
        (OTHER, "tcc"),
    ],
)
def test_an_upgraded_program_makes_other_builds(
    nf_repository: NfRepository, tools: Path, tmp_path: Path, *, commands: str, program: str
) -> None:
    install(tools, program, "1.0")
    before = address_of(nf_repository, tmp_path, commands)
    assert address_of(nf_repository, tmp_path, commands) == before
    install(tools, program, "1.0.1")
    assert address_of(nf_repository, tmp_path, commands) != before


CHOICES = [
    ({}, {"CXX": "clang++-99"}),
    ({}, {"CC": "gcc -m32"}),
    ({"CC": "gcc -O1"}, {"CC": "gcc -O2"}),
    ({}, {"PKG_CONFIG_PATH": "/opt/dpdk/lib/pkgconfig"}),
]


@pytest.mark.parametrize(("before", "after"), CHOICES)
def test_another_choice_of_compilers_and_libraries_makes_other_builds(
    nf_repository: NfRepository,
    tools: Path,
    tmp_path: Path,
    *,
    before: dict[str, str],
    after: dict[str, str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("clang++-99", "g++", "gcc"):
        install(tools, name, "1.0")
    addresses = []
    for chosen in (before, after):
        with monkeypatch.context() as patched:
            for name, value in chosen.items():
                patched.setenv(name, value)
            addresses.append(address_of(nf_repository, tmp_path, COMMANDS))
    assert addresses[0] != addresses[1]


@pytest.mark.parametrize("variable", ["CC", "CXX"])
def test_an_upgraded_compiler_that_a_variable_names_makes_other_builds(
    nf_repository: NfRepository,
    tools: Path,
    tmp_path: Path,
    *,
    variable: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    own = tools / "own"
    own.mkdir()
    monkeypatch.setenv(variable, f"{own}/my-compiler -O2")
    install(own, "my-compiler", "1.0")
    before = address_of(nf_repository, tmp_path, COMMANDS)
    assert address_of(nf_repository, tmp_path, COMMANDS) == before
    install(own, "my-compiler", "1.0.1")
    assert address_of(nf_repository, tmp_path, COMMANDS) != before


@pytest.mark.parametrize("variable", ["CC", "CXX"])
def test_a_variable_that_is_no_command_is_a_mistake(
    tools: Path, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, '"')
    with pytest.raises(UsageError, match=f'the variable {variable} is no command: "'):
        toolchain()


def test_a_program_that_makes_no_code_and_is_not_named_makes_no_other_builds(
    nf_repository: NfRepository, tools: Path, tmp_path: Path
) -> None:
    install(tools, "meson", "1.0")
    before = address_of(nf_repository, tmp_path, COMMANDS)
    install(tools, "meson", "1.0.1")
    assert address_of(nf_repository, tmp_path, COMMANDS) == before


def test_a_long_process_looks_again(tools: Path) -> None:
    install(tools, "gcc", "1.0")
    assert toolchain().compiler == "gcc 1.0", "cc is another one, and builds get gcc"
    install(tools, "gcc", "1.0.1")
    assert toolchain().compiler == "gcc 1.0"
    forget_toolchain()
    assert toolchain().compiler == "gcc 1.0.1"


def test_one_name_of_the_c_compiler_is_that_of_earlier_reports(tools: Path) -> None:
    install(tools, "cc", "(Some 12.2.0) 12.2.0")
    install(tools, "gcc", "(Some 12.2.0) 12.2.0")
    assert toolchain().compiler == "cc (Some 12.2.0) 12.2.0"


def test_compilers_of_commands_are_named(tools: Path) -> None:
    for name in ("cc", "gcc", "rustc", "cargo", "clang-99"):
        install(tools, name, "1.0")
    assert compilers_of([["gcc", "-O2"], ["make", "CXX=g++"]]) == "cc 1.0"
    cargo = [["sh", "-c", "cd {source} && cargo build --release"], ["env", "CC=clang-99", "make"]]
    assert compilers_of(cargo) == "cc 1.0; rustc 1.0; clang-99 1.0"
    assert compilers_of([["clang-98", "-O2"]]) == "cc 1.0", "it is not installed"


def test_programs_behind_ccache_and_rustup(tools: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tools, "ccache", "4.0")
    (tools / "clang-99").symlink_to("ccache")
    later = tools / "later"
    later.mkdir()
    install(later, "clang-99", "1.0")
    monkeypatch.setenv("PATH", f"{tools}:{later}:{os.environ['PATH']}")
    assert file_of("clang-99") == later / "clang-99" and file_of("ccache") == tools / "ccache"

    monkeypatch.setenv("RUSTUP_HOME", str(tools / "own"))
    install(tools, "rustup", "1.0")
    (tools / "rustc").symlink_to("rustup")
    folder = tools / "own/toolchains/stable/bin"
    folder.mkdir(parents=True)
    install(folder, "rustc", "1.0")
    files = {path for name, path, _, _ in compiler_stamps() if name == "rustc"}
    assert files == {str(tools / "rustup"), str(folder / "rustc")}


@pytest.mark.parametrize(
    "name",
    [
        *("arm-none-eabi-gcc", "riscv64-unknown-linux-gnu-g++-12", "x86_64-w64-mingw32-gcc-12-win32"),
        *("musl-gcc", "icpx", "clang-cl", "tcc", "llc-16", "opt", "nvcc", "zig", "llvm-ar", "ld.lld-16"),
    ],
)
def test_compilers_that_a_makefile_starts_are_seen(
    name: str, tools: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tools, name, "1.0")
    monkeypatch.setenv("PATH", str(tools))
    assert [found for found, *_ in compiler_stamps()] == [name]


def test_words_of_commands_that_are_no_programs() -> None:
    commands = [["sh", "-c", "a/b {build}/c \0 /nowhere . ''"], ["x" * 5000]]
    assert list(words_of(commands)) == ["sh", "-c", "a/b", "/nowhere", ".", "x" * 5000]
    assert [name for name, *_ in program_stamps(commands)] == ["sh"]


def test_a_kept_build_is_made_again_by_an_upgraded_compiler(
    nf_repository: NfRepository, tools: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(READABLE, str(tools))
    install(tools, "rustc", "1.0")
    builder = Builder(nf_repository, tmp_path)
    first = builder.script("rustc > $1/by", data='["by"]')
    assert builder.again().build.tree == first.build.tree
    install(tools, "rustc", "1.0.1")
    forget_toolchain()
    second = builder.again()
    assert second.build.tree != first.build.tree
    assert (second.directory / "by").read_text() == "rustc 1.0.1\n"


HEADER_OF_HOST = """
[ -e {sdk}/include ] && cp {sdk}/include/rounds.h $1/rounds || echo none > $1/rounds
"""


def test_a_kept_build_is_made_again_with_a_changed_header_of_the_host(
    nf_repository: NfRepository, looking_again: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else base would have the old header, and head the new one: a change of the host, judged as head's."""
    sdk = tmp_path / "sdk"
    (sdk / "include").mkdir(parents=True)
    header = sdk / "include" / "rounds.h"
    header.write_text("enum { ROUNDS = 10 };\n")
    monkeypatch.setenv(READABLE, str(sdk))
    builder = Builder(nf_repository, tmp_path)
    first = builder.script(HEADER_OF_HOST.format(sdk=sdk), data='["rounds"]')
    forget_toolchain()
    assert builder.again().build.tree == first.build.tree
    header.write_text("enum { ROUNDS = 9 };\n")
    forget_toolchain()
    second = builder.again()
    assert second.build.tree != first.build.tree
    assert (second.directory / "rounds").read_text() == "enum { ROUNDS = 9 };\n"


def test_a_failed_build_is_tried_again_once_it_may_read_more(
    nf_repository: NfRepository, looking_again: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdk = tmp_path / "sdk"
    sdk.mkdir()
    (sdk / "own.h").write_text("")
    builder = Builder(nf_repository, tmp_path)
    with pytest.raises(BuildError):
        builder.script(f"cat {sdk}/own.h")
    monkeypatch.setenv(READABLE, str(sdk))
    forget_toolchain()
    assert builder.again().build.build_seconds is not None


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A directory of PKG_CONFIG_PATH."""
    folder = tmp_path / "pkgconfig"
    folder.mkdir()
    monkeypatch.setenv("PKG_CONFIG_PATH", f"{tmp_path}/nowhere:{folder}")
    return folder


@pytest.mark.parametrize(("name", "counts"), [("own.pc", True), ("libown.a", True), ("own.so.1", False)])
def test_which_files_of_a_library_make_another_build(packages: Path, name: str, *, counts: bool) -> None:
    """A run loads the shared library of its own host, so a build does not depend on it."""
    before = development_digest()
    assert development_digest() == before
    (packages / name).write_text("1")
    assert (development_digest() != before) == counts


def test_links_in_a_circle_and_files_that_are_gone(packages: Path) -> None:
    before = development_digest()
    (packages / "again").symlink_to(packages)
    (packages / "gone.h").symlink_to(packages / "nothing")
    (packages / "itself.h").symlink_to("itself.h")
    (packages / "own.so").symlink_to("/bin/true")
    assert development_digest() == before
    elsewhere = packages.with_name("elsewhere")
    elsewhere.mkdir()
    (elsewhere / "own.h").write_text("1")
    (packages / "linked").symlink_to(elsewhere)
    linked = development_digest()
    assert linked != before
    (elsewhere / "own.h").write_text("22")
    assert development_digest() != linked
