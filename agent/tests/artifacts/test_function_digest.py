# SPDX-License-Identifier: Apache-2.0
"""Functions that only moved or were renamed are the same; anything they do otherwise is not."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nalm_agent.artifacts.code_digest import code_digest
from nalm_agent.artifacts.function_digest import Table, changed_functions, load, placement_only, save, table

HEAD = """#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define APART __attribute__((noinline))
struct packet { int length; int port; long when; char name[16]; };
static int counters[8] = {1, 2, 3};
int seen;
int work(int, struct packet *);
"""
STEP = """APART static int step(struct packet *p) { return p->port * 3 + counters[p->length & 7]; }
"""
OTHER = """APART static int other(struct packet *p) { return p->port * 3 - counters[p->length & 7]; }
"""
SAY = """APART static void say(int n) { printf("%d packets\\n", n); seen += n; if (n < 0) abort(); }
"""
WORK = """APART int work(int kind, struct packet *p) {
    switch (kind) {
    case 0: return p->length + seen; case 1: return step(p); case 2: puts("two"); return 7;
    case 3: return p->port ^ seen;
    case 4: puts("four"); return rand(); case 5: return other(p); case 6: return p->length * p->port;
    case 7: say(3); return 1; default: return 9;
    }
}
"""
TABLE = """static int (*const kinds[])(struct packet *) = {step, other};
static const char *const words[] = {"alpha", "beta", "gamma"};
APART static int chosen(struct packet *p) { return kinds[p->port & 1](p) + words[p->length % 3][0]; }
"""
MAIN = """int main(int argc, char **argv) { struct packet p = {argc, atoi(argv[0]), 3, ""};
    say(chosen(&p)); return work(argc, &p) + step(&p) + other(&p) + (int)(p.when * 1.5); }
"""
WHOLE = HEAD + STEP + OTHER + SAY + WORK + TABLE + MAIN
DECLARED = (
    HEAD + "static int step(struct packet *); static int other(struct packet *); static void say(int);\n"
)


def built(folder: Path, source: str, *options: str) -> Path:
    folder.mkdir()
    (folder / "nf.c").write_text(source)
    expected = [
        "-O2",
        "-fno-reorder-functions",
        "-fno-toplevel-reorder",
        "-fno-ipa-ra",
        "-fno-optimize-sibling-calls",
        *options,
    ]
    subprocess.run(["gcc", *expected, "-o", "nf", "nf.c"], cwd=folder, check=True)
    return folder / "nf"


@pytest.fixture
def pair(tmp_path: Path) -> Pair:
    return Pair(tmp_path)


class Pair:
    """The whole program, and another one beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def tables(self, source: str, *options: str) -> tuple[Table, Table]:
        return self._read(
            built(self.folder / "a", WHOLE, *options), built(self.folder / "b", source, *options)
        )

    def linked(self, option: str) -> tuple[Table, Table]:
        """The program, and the same one linked with an option."""
        return self._read(built(self.folder / "a", WHOLE), built(self.folder / "b", WHOLE, option))

    @staticmethod
    def _read(first: Path, second: Path) -> tuple[Table, Table]:
        assert code_digest([first]) != code_digest([second])
        tables = table([first]), table([second])
        assert tables[0] is not None
        assert tables[1] is not None
        return tables[0], tables[1]


MOVED = {
    "functions moved": DECLARED + TABLE + WORK + OTHER + SAY + STEP + MAIN,
    "main first": DECLARED
    + "static int chosen(struct packet *);\n"
    + MAIN
    + WORK
    + STEP
    + SAY
    + OTHER
    + TABLE,
    "moved and renamed": (DECLARED + WORK + TABLE + SAY + STEP + OTHER + MAIN)
    .replace("step", "advance")
    .replace("words", "names"),
}


@pytest.mark.parametrize("source", MOVED.values(), ids=MOVED.keys())
@pytest.mark.parametrize(
    "options",
    [(), ("-falign-functions=64",), ("-g", "-fcf-protection=none"), ("-Wl,-z,pack-relative-relocs",)],
)
def test_placement(pair: Pair, source: str, options: tuple[str, ...]) -> None:
    first, second = pair.tables(source, *options)
    assert changed_functions(first, second) == []
    assert placement_only(first, second)


CHANGED = {
    "constant": (WHOLE.replace("p->port * 3 + c", "p->port * 5 + c"), ["step"]),
    "structure offset": (
        WHOLE.replace("int length; int port; long", "int length; long room; int port; long"),
        None,
    ),
    "callee": (WHOLE.replace("case 5: return other(p)", "case 5: return step(p)"), ["work"]),
    "callees swapped": (
        WHOLE.replace("return step(p)", "return X(p)")
        .replace("return other(p)", "return step(p)")
        .replace("X(p)", "other(p)"),
        ["work"],
    ),
    "library function": (WHOLE.replace("return rand()", "return getchar()"), ["work"]),
    "string": (WHOLE.replace('"four"', '"five"'), ["work"]),
    "strings swapped": (
        WHOLE.replace('"two"', '"X"').replace('"four"', '"two"').replace('"X"', '"four"'),
        ["work"],
    ),
    "data": (WHOLE.replace("{1, 2, 3}", "{1, 2, 4}"), ["other", "step"]),
    "size of data": (WHOLE.replace("counters[8]", "counters[9]"), ["other", "step"]),
    "pointers swapped": (WHOLE.replace("{step, other}", "{other, step}"), []),
    "cases swapped": (
        WHOLE.replace("case 0:", "case X:").replace("case 3:", "case 0:").replace("X:", "3:"),
        ["work"],
    ),
    "number": (WHOLE.replace("* 1.5", "* 1.25"), ["main"]),
    "function added": (WHOLE.replace("int main", "int more(int n) { return n / 7; }\nint main"), ["more"]),
}


@pytest.mark.parametrize(("source", "names"), CHANGED.values(), ids=CHANGED.keys())
def test_changes(pair: Pair, source: str, names: list[str] | None) -> None:
    first, second = pair.tables(source)
    assert not placement_only(first, second)
    if names is not None:
        assert changed_functions(first, second) == names


def test_a_change_is_named_among_moved_functions(pair: Pair) -> None:
    moved = DECLARED + TABLE + WORK + OTHER + SAY + STEP + MAIN
    first, second = pair.tables(moved.replace("p->port ^ seen", "p->port | seen"))
    assert not placement_only(first, second)
    assert changed_functions(first, second) == ["work"]


TWINS = """#include <stdio.h>
static unsigned long mine, others;
static volatile int lock_of_rx, lock_of_tx;
__attribute__((noinline)) static void rx(void) { while (lock_of_rx) ; mine++; }
__attribute__((noinline)) static void tx(void) { while (lock_of_tx) ; others++; }
int main(int argc, char **argv)
{
    (void)argv;
    lock_of_rx = lock_of_tx = argc > 9;
    rx();
    tx();
    return printf("%lu %lu\\n", mine, others) < 0;
}
"""


@pytest.mark.parametrize(
    ("one", "other"),
    [("while (lock_of_tx)", "while (lock_of_rx)"), ("others++", "mine++")],
    ids=["another lock", "another counter"],
)
def test_data_of_the_same_contents_are_not_confused(tmp_path: Path, one: str, other: str) -> None:
    """Two functions that use two locks, or one: every lock has the same bytes."""
    assert one in TWINS
    first, second = (
        table([built(tmp_path / name, source)])
        for name, source in (("a", TWINS), ("b", TWINS.replace(one, other)))
    )
    assert not placement_only(first, second)


@pytest.mark.parametrize("option", ["-Wl,-z,norelro", "-Wl,-z,pack-relative-relocs"])
def test_addresses_that_the_loader_writes_play_a_part(tmp_path: Path, option: str) -> None:
    """They are in a table of their own with DT_RELR."""
    source = """int first = 7, other = 8, *volatile chosen = &first;
    __attribute__((noinline)) int is_it(int *given) { return given == &first ? 3 : 5; }
    int main(void) { return is_it(chosen); }
    """
    options = ("-fPIC", "-pie", option)
    one, two = (
        table([built(tmp_path / name, text, *options)])
        for name, text in (("a", source), ("b", source.replace("== &first", "== &other")))
    )
    assert one is not None and not placement_only(one, two)


def test_the_names_of_exports_play_a_part(tmp_path: Path) -> None:
    """Two functions of a library that change names: who calls one by name gets the other."""
    first = "int first(int n) { return n * 3; }\nint other(int n) { return n * 5; }\n"
    swapped = first.replace("first", "X").replace("other", "first").replace("X", "other")
    moved = "".join(reversed(first.splitlines(keepends=True)))
    shared = ("-shared", "-fPIC", "-Wl,-z,noexecstack")
    one, two, three = (
        table([built(tmp_path / str(number), source, *shared)])
        for number, source in enumerate([first, swapped, moved])
    )
    assert not placement_only(one, two)
    assert placement_only(one, three)


@pytest.mark.parametrize(
    "option", ["-Wl,-rpath,/opt/other", "-Wl,--dynamic-linker=/lib/other.so", "-Wl,-z,now"]
)
def test_how_the_loader_links_plays_a_part(pair: Pair, option: str) -> None:
    """The same functions, with libraries of another directory."""
    first, second = pair.linked(option)
    assert changed_functions(first, second) == []
    assert not placement_only(first, second)


def test_a_table_is_kept(tmp_path: Path) -> None:
    found = table([built(tmp_path / "a", WHOLE)])
    save(found, tmp_path / "functions.json")
    assert load(tmp_path / "functions.json") == found
    save(None, tmp_path / "functions.json")
    assert load(tmp_path / "functions.json") is None
    assert load(tmp_path / "absent.json") is None


@pytest.mark.parametrize("option", ["-s", "-no-pie"])
def test_files_that_do_not_tell(tmp_path: Path, option: str) -> None:
    unclear = table([built(tmp_path / "a", WHOLE, option)])
    assert unclear is None
    assert not placement_only(unclear, unclear)
