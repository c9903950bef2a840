# SPDX-License-Identifier: Apache-2.0
"""Layouts: the same functions at other places, linked for real by ninja's command; and why some builds have
none."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from building import Builder, toml
from nalm_agent.artifacts import function_digest
from nalm_agent.build import relink
from nalm_agent.build.build import Built
from nalm_agent.build.relink import CannotRelinkError, layout_script, links_of, relinked
from nalm_agent.store.home import WorkDir
from tiny import NfRepository

NINJA = """rule cc
  command = gcc -O2 -g {options} -I/nalm/source -c $in -o $out
rule link
  command = {link}
build tiny.o: cc /nalm/source/tiny_nf.c
build tiny_nf: link tiny.o
"""
SCRIPT = "cp build.ninja.in $1/build.ninja\nninja -C $1\n"


@pytest.fixture
def builder(nf_repository: NfRepository, tmp_path: Path) -> Builder:
    return Builder(nf_repository, tmp_path)


def built(builder: Builder, options: str = "-ffunction-sections", link: str = "gcc -o $out $in") -> Built:
    builder.repository.write("build.ninja.in", NINJA.format(options=options, link=link))
    text = toml("").replace('"build.sh"]', '"build.sh", "build.ninja.in"]')
    builder.repository.commit("by ninja", build__sh=SCRIPT, nalm__toml=text)
    return builder.again()


def addresses(path: Path) -> dict[str, int]:
    """Functions of a program by name."""
    lines = subprocess.run(["nm", path], capture_output=True, text=True, check=True).stdout.splitlines()
    rows = [line.split() for line in lines]
    return {row[2]: int(row[0], 16) for row in rows if len(row) == 3 and row[1] in "tT"}


def order(path: Path, names: set[str]) -> list[str]:
    found = addresses(path)
    return sorted(names, key=lambda name: found[name])


def test_a_layout_has_the_same_functions_at_other_places(builder: Builder, work: WorkDir) -> None:
    one = built(builder)
    (link,) = links = links_of(builder.home, work, one)
    names = {section.removeprefix(".text.") for _, section in link.sections}
    assert len(names) > 3
    placed = [relinked(builder.home, one, links, number) for number in (1, 2)]
    programs = [one.directory / "tiny_nf", *(each.directory / "tiny_nf" for each in placed)]
    orders = [order(program, names) for program in programs]
    assert orders[0] != orders[1] != orders[2]
    offsets = {address % 64 for program in programs[1:] for address in addresses(program).values()}
    assert len(offsets) > 2
    as_built = function_digest.table([programs[0]])
    for program in programs[1:]:
        moved = function_digest.table([program])
        assert as_built is not None and moved is not None
        assert not names & set(function_digest.changed_functions(as_built, moved))
    assert (placed[0].directory / "build.ninja").samefile(one.directory / "build.ninja")


def test_a_layout_is_linked_once_and_is_the_same_again(builder: Builder, work: WorkDir) -> None:
    one = built(builder)
    links = links_of(builder.home, work, one)
    first = relinked(builder.home, one, links, 3)
    assert relinked(builder.home, one, links, 3).directory == first.directory
    assert relinked(builder.home, one, links, 0) is one
    assert layout_script(links[0].sections, 3) == layout_script(links[0].sections, 3)


def test_without_sections_of_functions_objects_move(builder: Builder, work: WorkDir) -> None:
    one = built(builder, options="")
    (link,) = links_of(builder.home, work, one)
    assert link.sections == (("tiny.o", ".text"),)
    moved = relinked(builder.home, one, [link], 1).directory / "tiny_nf"
    assert addresses(moved)["churn"] % 4096 != addresses(one.directory / "tiny_nf")["churn"] % 4096


DRIVERS = """rule cc
  command = gcc -O2 -fPIC -ffunction-sections {define} -c $in -o $out
rule link
  command = gcc -shared -o $out $in
rule program
  command = gcc -o $out $in -Wl,-rpath,'$$ORIGIN/drivers'
rule alias
  command = ln -sf $$(basename $in) $out
build tiny.o: cc /nalm/source/tiny_nf.c
build one.o: cc /nalm/source/one.c
build tiny_nf: program tiny.o drivers/libone.so
build drivers/lib{name}.so.1: link one.o
build drivers/libone.so: alias drivers/lib{name}.so.1
"""


def test_artifacts_by_pattern_are_those_that_each_build_made(builder: Builder, work: WorkDir) -> None:
    """Head's library has another name than base's; each is reached by a link without its version."""
    text = toml("").replace('"build.sh"]', '"build.sh", "build.ninja.in", "one.c"]')
    text = text.replace('artifacts = ["tiny_nf"]', 'artifacts = ["drivers/*.so"]')
    builder.repository.write("one.c", "int one(int a) { return a + 1; }\nint two(int a) { return a * 3; }\n")
    builder.repository.write("build.ninja.in", DRIVERS.format(name="old", define=""))
    builder.repository.commit("a driver", build__sh=SCRIPT, nalm__toml=text)
    base = builder.again()
    builder.repository.write("build.ninja.in", DRIVERS.format(name="new", define="-DNEW"))
    builder.repository.commit("under another name")
    head = builder.again()
    for one, library in ((base, "drivers/libold.so.1"), (head, "drivers/libnew.so.1")):
        (link,) = links = links_of(builder.home, work, one)
        assert link.artifact == library
        assert {section for _, section in link.sections} >= {".text.one", ".text.two"}
        placed = relinked(builder.home, one, links, 1).directory / "drivers" / "libone.so"
        assert placed.resolve() != (one.directory / library).resolve(), (
            "the layout has the library's link, too"
        )
        assert addresses(placed)["one"] != addresses(one.directory / library)["one"]


@pytest.mark.parametrize(
    ("link", "reason"),
    [
        ("gcc -o $out $in && true", "more than one command"),
        ("gcc $in -o ./$out", "does not end in -o tiny_nf"),
    ],
)
def test_link_commands_that_nalm_does_not_repeat(
    builder: Builder, work: WorkDir, link: str, reason: str
) -> None:
    one = built(builder, link=link)
    with pytest.raises(CannotRelinkError, match=reason):
        links_of(builder.home, work, one)


def test_a_command_that_a_signal_stopped_is_tried_again(
    builder: Builder, work: WorkDir, monkeypatch: pytest.MonkeyPatch
) -> None:
    one = built(builder)
    with monkeypatch.context() as stopped:
        stopped.setattr(relink, "run", lambda *_, **__: 137)
        with pytest.raises(CannotRelinkError, match=r"failed \(137\)"):
            links_of(builder.home, work, one)
    assert len(links_of(builder.home, work, one)) == 1


def test_a_build_without_ninja_cannot_be_linked_again(builder: Builder, work: WorkDir) -> None:
    one = builder.script("echo no ninja")
    with pytest.raises(CannotRelinkError, match=r"no build\.ninja"):
        links_of(builder.home, work, one)
