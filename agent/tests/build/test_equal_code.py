# SPDX-License-Identifier: Apache-2.0
"""Two builds are the same if a run loads the same files: real builds, libraries and processes."""

from __future__ import annotations

import os
import signal
import subprocess
from pathlib import Path

import pytest
from building import toml
from nalm_agent.artifacts import unnamed_data
from nalm_agent.artifacts.contents import Contents
from nalm_agent.artifacts.loadable import loadable_files
from nalm_agent.build.build import Built
from nalm_agent.build.equal_code import changed_functions, data_alone, not_compared
from nalm_agent.nf.mapped_files import mapped_files, processes_of
from nalm_agent.runtime.process import start, stop
from nalm_core.report.run_report import Arm, Build, RunReport, RunStatus
from nalm_core.report.serialization import parse_report
from tiny import Nalm, NfRepository
from waiting import until

BUILD_SH = """set -e
cd "$(dirname "$0")"
shared="gcc -O2 -shared -fPIC"
mkdir "$1/plugins"
$shared -o "$1/liblinked.so" linked.c
$shared -o "$1/plugins/opened.so" opened.c
$shared -o "$1/plugins/unused.so" unused.c
cp rules.txt table.txt other.txt "$1"
gcc -O2 -g -I. -o "$1/tiny_nf" tiny_nf.c -L"$1" -llinked -Wl,-rpath,'$ORIGIN'
"""
WORK_H = """#include <dlfcn.h>
#include <stdlib.h>
int linked_step(int n);
__attribute__((constructor)) static void begin(void)
{
	if (linked_step(1) == 0 || dlopen("$ORIGIN/plugins/opened.so", RTLD_NOW) == NULL)
		abort();
}
"""
LINKED, OPENED, UNUSED = (
    f"int {name}_step(int n) {{ return n * 3; }}\n" for name in ("linked", "opened", "unused")
)
PATHS = '["tiny_nf.c", "nalm_probe.h", "work.h", "build.sh"]'
ALL_PATHS = PATHS.replace("]", ', "linked.c", "opened.c", "unused.c", "rules.txt", "table.txt", "other.txt"]')
NALM_TOML = (
    toml("script", data='["table.*"]')
    .replace(PATHS, ALL_PATHS)
    .replace('"{traffic}"]', '"{traffic}", "--rules={build}/rules.txt"]')
)


@pytest.fixture
def repository(nf_repository: NfRepository) -> NfRepository:
    texts = {f"{name}__txt": "first\n" for name in ("rules", "table", "other")}
    sources = {"linked__c": LINKED, "opened__c": OPENED, "unused__c": UNUSED}
    nf_repository.commit(
        "with libraries", nalm__toml=NALM_TOML, build__sh=BUILD_SH, work__h=WORK_H, **sources, **texts
    )
    return nf_repository


def checked(repository: NfRepository, nalm: Nalm, folder: Path, *options: str) -> tuple[RunReport, str]:
    """A check of the working tree, and what it printed."""
    out = folder / "run.json"
    done = nalm.run("check", *options, "--json", str(out), cwd=repository.path)
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    return parse_report(out.read_bytes()), done.stdout


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("linked.c", LINKED.replace("3", "5")),
        ("opened.c", OPENED.replace("3", "5")),
        ("rules.txt", "second\n"),
        ("table.txt", "second\n"),
    ],
    ids=["a linked library", "an opened plug-in", "data in the command", "data that is named"],
)
def test_what_the_run_loads_counts(
    repository: NfRepository, nalm: Nalm, *, tmp_path: Path, file: str, text: str
) -> None:
    repository.write(file, text)
    report, _ = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.MEASURED
    builds = [report.arms[arm].build for arm in (Arm.BASE, Arm.HEAD)]
    assert builds[0].code_digest != builds[1].code_digest
    assert builds[0].functions == builds[1].functions  # the executable, the only artifact, is the same
    if file.endswith(".c"):
        assert report.changed_functions == [f"{file.removesuffix('.c')}_step"]


def test_what_is_not_loaded_is_noted(repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    repository.write("unused.c", UNUSED.replace("3", "5"))
    report, printed = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.UNCHANGED
    assert "not loaded by either arm, and different in head: plugins/unused.so" in printed
    assert report.arms[Arm.BASE].build.code_digest != report.arms[Arm.HEAD].build.code_digest


def test_data_that_nobody_names_or_reads_is_not_the_runs(
    repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    repository.write("other.txt", "second\n")
    report, printed = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.UNCHANGED and "other.txt" not in printed


READS = """#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int linked_step(int n);
__attribute__((constructor)) static void begin(void)
{
	char path[4096] = {0}, text[16];
	if (readlink("/proc/self/exe", path, sizeof(path) - 16) < 0 || linked_step(1) == 0)
		abort();
	strcpy(strrchr(path, '/'), "/other.txt");
	int file = open(path, O_RDONLY);
	if (read(file, text, sizeof(text)) <= 0 || close(file) != 0)
		abort();
}
"""


@pytest.mark.parametrize(
    "more", [{}, {"unused__c": UNUSED.replace("3", "5")}], ids=["alone", "with a plug-in"]
)
def test_data_that_the_program_reads_by_itself_counts(
    repository: NfRepository, nalm: Nalm, *, tmp_path: Path, more: dict[str, str]
) -> None:
    """No command names the file, and it is closed again before a turn ends."""
    repository.commit("reads a file", work__h=READS)
    repository.commit("other data", other__txt="second\n", **more)
    report, printed = checked(repository, nalm, tmp_path, "--base", "HEAD~1")
    assert report.status is RunStatus.MEASURED
    assert report.changed_functions == []
    assert "the NF reads what differs in head: other.txt" in printed


def test_counts_of_instructions_are_those_of_the_data(
    repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """Kept counts of equal programs with other data are not taken for those of this build."""
    repository.commit("reads a file", work__h=READS)
    repository.commit("a function that nobody calls", unused__c=UNUSED, opened__c=OPENED.replace("3", "5"))
    checked(repository, nalm, tmp_path, "--base", "HEAD~1", "--force")
    before = sorted((nalm.home / "store").rglob("counts*/*"))
    repository.commit("other data", other__txt="of this test alone\n")
    checked(repository, nalm, tmp_path, "--base", "HEAD~1", "--force")
    assert len(sorted((nalm.home / "store").rglob("counts*/*"))) > len(before)


LINKS = (
    BUILD_SH
    + """$shared -o "$1/plugins/fast.so" fast.c
$shared -o "$1/plugins/slow.so" slow.c
ln -s CHOSEN.so "$1/plugins/chosen.so"
"""
)
OPENS_CHOSEN = WORK_H.replace("opened.so", "chosen.so")


@pytest.mark.parametrize("opens", [OPENS_CHOSEN, WORK_H], ids=["opened", "not opened"])
def test_a_link_that_leads_to_another_file(
    repository: NfRepository, nalm: Nalm, *, tmp_path: Path, opens: str
) -> None:
    """Both builds have both plug-ins; which one a run loads is told by a link alone."""
    fast, slow = OPENED.replace("opened", "fast"), OPENED.replace("opened", "slow").replace("3", "5")
    config = NALM_TOML.replace('"other.txt"]', '"other.txt", "fast.c", "slow.c"]')
    repository.commit(
        "two plug-ins",
        nalm__toml=config,
        work__h=opens,
        build__sh=LINKS.replace("CHOSEN", "fast"),
        fast__c=fast,
        slow__c=slow,
    )
    repository.write("build.sh", LINKS.replace("CHOSEN", "slow"))
    report, _ = checked(repository, nalm, tmp_path)
    if opens is WORK_H:
        assert report.status is RunStatus.UNCHANGED
    else:
        assert report.status is RunStatus.MEASURED
        assert report.changed_functions == ["fast_step", "slow_step"]


def built_of(folder: Path, source: str) -> Built:
    """A build of one program."""
    (folder / "build").mkdir(parents=True)
    (folder / "functions").mkdir()
    (folder / "nf.c").write_text(source)
    subprocess.run(["gcc", "-O2", "-o", folder / "build" / "nf", folder / "nf.c"], check=True)
    held = Contents(loadable_files(folder / "build"), {}, ["nf"], frozenset({"nf"}))
    build = Build(commit="0" * 40, dirty=False, tree="", code_digest="", compiler="")
    return Built(build, folder / "build", folder, held)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("other++", "mine++", None),
        ("other++", "other--", ["tx"]),
        ("mine +=", "(mine) +=", []),
    ],
    ids=["another counter", "a change", "none"],
)
def test_functions_are_unknown_that_use_other_data(
    tmp_path: Path, old: str, new: str, names: list[str] | None
) -> None:
    source = """#include <stdio.h>
    static volatile unsigned long mine, other;
    __attribute__((noinline)) static void rx(void) { mine += 2; }
    __attribute__((noinline)) static void tx(void) { other++; }
    int main(void) { rx(); tx(); return printf("%lu %lu", mine, other) < 0; }
    """
    base, head = built_of(tmp_path / "base", source), built_of(tmp_path / "head", source.replace(old, new))
    assert changed_functions(base, head, ["nf"], ["nf"]) == names


def test_a_build_with_too_many_data_files_to_compare_has_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, head = (built_of(tmp_path / arm, "int main(void) { return 0; }\n") for arm in ("base", "head"))
    assert not_compared(base, head) == []
    monkeypatch.setattr(unnamed_data, "MOST_FILES", 1)
    large = built_of(tmp_path / "large", "int main(void) { return 0; }\n")
    for name in ("rules.txt", "table.txt"):
        (large.directory / name).touch()
    (note,) = not_compared(base, large)
    assert "they were not compared; [build] data must name" in note
    assert not_compared(large, large) == []


@pytest.mark.parametrize(
    ("of_head", "expected"),
    [
        ({"nf": "1", "table.txt": "2"}, True),
        ({"nf": "1", "other.txt": "1"}, True),
        ({"nf": "2", "table.txt": "2"}, False),
        ({"nf": "1", "table.txt": "1"}, False),
        (None, False),
    ],
    ids=["other data", "another file", "another program", "equal", "unknown"],
)
def test_data_alone_may_differ(tmp_path: Path, of_head: dict[str, str] | None, *, expected: bool) -> None:
    build = built_of(tmp_path, "int main(void) { return 0; }\n")
    assert data_alone(build, build, {"nf": "1", "table.txt": "1"}, of_head) is expected


def test_a_plugin_whose_functions_only_moved_is_the_same(
    repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    more = "int more_step(int n) { return n * 7; }\n"
    repository.commit("two functions", opened__c=OPENED + more)
    repository.write("opened.c", more + OPENED)
    report, _ = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.UNCHANGED and report.changed_functions == []


def test_artifacts_take_nothing_away(repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    """Whatever artifacts name, the library that the executable is linked with counts."""
    only = NALM_TOML.replace('artifacts = ["tiny_nf"]', 'artifacts = ["plugins/un*.so"]')
    repository.commit("name another file", nalm__toml=only)
    repository.write("linked.c", LINKED.replace("3", "5"))
    report, _ = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.MEASURED


def test_artifacts_add(repository: NfRepository, nalm: Nalm, tmp_path: Path) -> None:
    added = NALM_TOML.replace('artifacts = ["tiny_nf"]', 'artifacts = ["tiny_nf", "**/*.so"]')
    repository.commit("name all libraries", nalm__toml=added)
    repository.write("unused.c", UNUSED.replace("3", "5"))
    report, _ = checked(repository, nalm, tmp_path)
    assert report.status is RunStatus.MEASURED and report.changed_functions == ["unused_step"]


def test_a_pattern_that_names_nothing_is_an_error(repository: NfRepository, nalm: Nalm) -> None:
    nothing = NALM_TOML.replace('artifacts = ["tiny_nf"]', 'artifacts = ["drivers/*.so"]')
    repository.write("nalm.toml", nothing)
    repository.write("work.h", WORK_H + "/* to be built */\n")
    done = nalm.run("check", cwd=repository.path)
    assert done.returncode == 4
    assert "the build made no drivers/*.so" in done.stdout and "* stands for" in done.stdout


def test_another_choice_of_artifacts_needs_no_other_build(repository: NfRepository, nalm: Nalm) -> None:
    """The error names what is missing; the build is there for the next try."""
    repository.write("work.h", WORK_H + "/* built once */\n")
    repository.write("nalm.toml", NALM_TOML.replace('artifacts = ["tiny_nf"]', 'artifacts = ["no_nf"]'))
    assert "the build made no no_nf" in nalm.run("check", cwd=repository.path).stdout
    before = sorted((nalm.home / "store" / "builds").glob("*/build.json"))
    repository.write("nalm.toml", NALM_TOML)
    assert nalm.run("check", cwd=repository.path).returncode == 0
    assert sorted((nalm.home / "store" / "builds").glob("*/build.json")) == before


def test_code_from_nowhere_is_distinguished(tmp_path: Path) -> None:
    """A program that runs a file of its own making, or one that is gone: nothing tells what it was."""
    copy, mapped = tmp_path / "sleeper", tmp_path / "mapped"
    copy.write_bytes(Path("/bin/sleep").read_bytes())
    copy.chmod(0o755)
    mapped.mkdir()
    process = start([str(copy), "1000"], cwd=tmp_path, env={}, log=tmp_path / "log")
    try:
        assert until(lambda: copy in (mapped_files(processes_of(process.pid), mapped) or ()))
        assert mapped_files(processes_of(process.pid), tmp_path) is None
        copy.unlink()
        assert mapped_files(processes_of(process.pid), mapped) is None
    finally:
        stop(process)
    assert mapped_files(processes_of(process.pid), mapped) == frozenset()


def test_processes_that_are_started_count_too(tmp_path: Path) -> None:
    script = "setsid sleep 1000 & sleep 1001 & wait"
    process = start(["sh", "-c", script], cwd=tmp_path, env={"PATH": "/usr/bin:/bin"}, log=tmp_path / "log")
    found = set[int]()
    try:
        assert until(lambda: len(found.union(processes_of(process.pid))) == 3)
        found |= processes_of(process.pid)
        assert until(lambda: names(found) == ["sh", "sleep", "sleep"])
    finally:
        for pid in found - {process.pid}:
            os.kill(pid, signal.SIGKILL)
        stop(process)


def names(processes: set[int]) -> list[str]:
    return sorted(Path(f"/proc/{pid}/comm").read_text().strip() for pid in processes)
