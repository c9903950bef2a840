# SPDX-License-Identifier: Apache-2.0
"""A count is made once; another run of the same code on the same packets takes it from the store."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from nalm_agent.measure import counting
from nalm_agent.measure.counting import kept
from nalm_agent.store.home import Home
from nalm_core.report.modelled_counts import ModelCount
from nalm_core.report.run_report import Arm, InstructionCount, Source
from nalm_core.report.serialization import parse_report
from tiny import FEW_LAUNCHES, Nalm, NfRepository

WORK_H = """#include <dlfcn.h>
#include <stdlib.h>
static unsigned (*rounds)(void);
__attribute__((constructor)) static void begin(void)
{
	void *library = dlopen("LIBRARY", RTLD_NOW);
	if (library == NULL)
		abort();
	rounds = (unsigned (*)(void))dlsym(library, "rounds");
}
#define BETA_WORK rounds()
"""
"""Its work is what a library says that is not of the build."""

COUNTS = [
    InstructionCount(arm=Arm.BASE, source=Source.SIMULATED, packets=10, stages={"nat": 70}, unattributed=0),
    ModelCount(arm=Arm.BASE, packets=10, caches={}, stages={"nat": {"l1d_misses": 3}}, unattributed={}),
]


@pytest.mark.parametrize("count", COUNTS, ids=["instructions", "model"])
def test_a_kept_count_serves_any_arm(home: Home, count: InstructionCount | ModelCount) -> None:
    made = list[Arm]()

    def make() -> InstructionCount | ModelCount:
        made.append(count.arm)
        return count

    store, key = home.store(), f"address of {type(count).__name__}"
    assert kept(store, key, type(count), Arm.BASE, make) == count
    assert kept(store, key, type(count), Arm.HEAD, make) == count.model_copy(update={"arm": Arm.HEAD})
    assert made == [Arm.BASE]


def test_a_count_without_an_address_is_not_kept(home: Home) -> None:
    made = list[InstructionCount | ModelCount]()

    def make() -> InstructionCount | ModelCount:
        made.append(COUNTS[0])
        return COUNTS[0]

    for _ in range(2):
        kept(home.store(), None, InstructionCount, Arm.BASE, make)
    assert len(made) == 2


def beta_counts(nf_repository: NfRepository, nalm: Nalm, out: Path) -> set[int]:
    """Instructions of stage beta in both arms."""
    done = nalm.run("check", "--json", str(out), cwd=nf_repository.path)
    assert done.returncode in (0, 1, 3), done.stdout + done.stderr
    return {count.stages["beta"] for count in parse_report(out.read_bytes()).instructions}


@pytest.mark.nightly
def test_an_upgraded_library_of_the_host_is_counted_in_both_arms(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    library = tmp_path / "libhost.so"

    def install(rounds: int) -> None:
        source = f"unsigned rounds(void) {{ return {rounds}; }}\n"
        command = ["gcc", "-shared", "-x", "c", "-o", library, "-"]
        subprocess.run(command, input=source, text=True, check=True)

    work_h = WORK_H.replace("LIBRARY", str(library))
    install(30)
    nf_repository.commit("with a library of the host", nalm__toml=FEW_LAUNCHES, work__h=work_h)
    nf_repository.write("work.h", work_h + "#define ALPHA_WORK 41\n")
    before = beta_counts(nf_repository, nalm, tmp_path / "before.json")
    install(60)
    nf_repository.write("work.h", work_h + "#define ALPHA_WORK 42\n")
    after = beta_counts(nf_repository, nalm, tmp_path / "after.json")
    assert len(before) == len(after) == 1
    assert max(after) > 1.5 * max(before)


READS_HOST = """#include <stdio.h>
#include <stdlib.h>
static unsigned rounds;
__attribute__((constructor)) static void begin(void)
{
	FILE *file = fopen("CONF", "r");
	if (file == NULL || fscanf(file, "%u", &rounds) != 1 || fclose(file) != 0)
		abort();
}
#define BETA_WORK rounds
"""


def test_kept_counts_of_another_state_of_the_host_are_made_again(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path
) -> None:
    """The NF reads a configuration that nobody names. Else its change is one of head's instructions."""
    conf = tmp_path / "nf.conf"
    work_h = READS_HOST.replace("CONF", str(conf))
    conf.write_text("30\n")
    nf_repository.commit("with a configuration", nalm__toml=FEW_LAUNCHES, work__h=work_h)
    nf_repository.write("work.h", work_h + "#define ALPHA_WORK 41\n")
    before = beta_counts(nf_repository, nalm, tmp_path / "before.json")
    conf.write_text("60\n")
    nf_repository.write("work.h", work_h + "#define ALPHA_WORK 42\n")
    after = beta_counts(nf_repository, nalm, tmp_path / "after.json")
    assert len(before) == len(after) == 1
    assert max(after) > 1.5 * max(before)
    notes = parse_report((tmp_path / "after.json").read_bytes()).notes
    assert any(note.startswith("base: instructions were counted again") for note in notes)
    nf_repository.write("work.h", work_h + "#define ALPHA_WORK 43\n")
    beta_counts(nf_repository, nalm, tmp_path / "again.json")
    notes = parse_report((tmp_path / "again.json").read_bytes()).notes
    assert not any("counted again" in note for note in notes)


@pytest.mark.nightly
def test_kept_counts_stay_where_only_changed_code_executes_other_instructions(
    nf_repository: NfRepository, nalm: Nalm, tmp_path: Path, home: Home
) -> None:
    """To count base again would double the time until a developer sees what head executes."""
    nf_repository.commit("few launches", nalm__toml=FEW_LAUNCHES)
    nf_repository.write("work.h", "#define BETA_WORK 41\n")
    first = beta_counts(nf_repository, nalm, tmp_path / "first.json")
    counted = {path: path.stat().st_ino for path in home.store().root.glob(f"{counting.COUNTS}/*")}
    assert counted
    nf_repository.write("work.h", "#define BETA_WORK 60\n")
    second = beta_counts(nf_repository, nalm, tmp_path / "second.json")
    assert max(second) > max(first)
    assert {path: path.stat().st_ino for path in counted} == counted
