# SPDX-License-Identifier: BSD-3-Clause
"""The demo's history: its shape, that it is reproducible, that an interrupted start is recovered or
refused."""

import json
import shutil
import subprocess
from pathlib import Path

import make_history
import pytest
from made_history import NF, Demo, run_make_history
from nalm_agent.mutants.read import PatchError, all_patches, read_patch


def test_each_merge_has_main_and_its_branch_as_parents(demo: Demo) -> None:
    for merge in demo.merges:
        parents = demo.git("rev-list", "--parents", "-1", str(merge["sha"])).split()[1:]
        assert len(parents) == 2
        assert parents[0] == merge["parent"]
        assert demo.git("rev-parse", f"{parents[1]}^") == merge["parent"]
        assert demo.git("rev-parse", f"{parents[1]}^{{tree}}") == demo.git(
            "rev-parse", f"{merge['sha']}^{{tree}}"
        )


def test_first_parent_line_is_start_then_the_merges(demo: Demo) -> None:
    line = demo.git("rev-list", "--first-parent", "--reverse", "main").split()
    assert line[2:] == [merge["sha"] for merge in demo.merges]
    assert [merge["order"] for merge in demo.merges] == list(range(1, len(demo.merges) + 1))
    assert len(demo.merges) >= 8


def test_starts_without_dpi_and_gets_it(demo: Demo) -> None:
    def features(revision: object) -> str:
        lines = demo.git("show", f"{revision}:nalm.toml").splitlines()
        at = lines.index("[scenarios.sfc_a]")
        return next(line for line in lines[at:] if line.startswith("features"))

    feature = next(merge for merge in demo.merges if merge["expect"] == "feature")
    assert '"dpi"' not in features(feature["parent"])
    assert '"dpi"' in features(feature["sha"])


def test_answers_are_not_in_the_repository(demo: Demo) -> None:
    names = demo.git("ls-tree", "-r", "--name-only", "main").splitlines()
    assert "nalm.toml" in names
    assert not [name for name in names if name.startswith(("mutants/", "demo/"))]


@pytest.mark.nightly
def test_repeats_the_same_commits(demo: Demo, tmp_path: Path) -> None:
    done = run_make_history(tmp_path / "again.git")
    assert json.loads(done.stdout) == demo.merges


def test_the_first_merges_alone_are_the_whole_branch(demo: Demo, tmp_path: Path) -> None:
    folder = tmp_path / "short.git"
    assert json.loads(run_make_history(folder, NF, "--merges", "2").stdout) == demo.merges[:2]
    tip = subprocess.run(
        ["git", "-C", str(folder), "rev-parse", "main"], check=True, capture_output=True, text=True
    ).stdout.strip()
    assert tip == demo.merges[1]["sha"]


def test_some_merges_follow_one_another(tmp_path: Path) -> None:
    folder = tmp_path / "some.git"
    made = json.loads(run_make_history(folder, NF, "--merges", "1,3-4,8-9").stdout)
    assert [merge["order"] for merge in made] == [1, 3, 4, 8, 9]
    assert [merge["parent"] for merge in made[1:]] == [merge["sha"] for merge in made[:-1]]
    assert [merge["metric"] for merge in made[3:]] == ["load_cpp", "latency_p99_ns"]


@pytest.mark.parametrize(
    ("which", "code", "said"), [("1-x", 2, "numbers like"), ("70-80", 1, "no such merges")]
)
def test_merges_that_are_none_are_refused(tmp_path: Path, which: str, code: int, said: str) -> None:
    done = run_make_history(tmp_path / "none.git", NF, "--merges", which)
    assert done.returncode == code and said in done.stderr
    assert not (tmp_path / "none.git").exists()


def test_a_merge_without_the_one_it_builds_on_is_refused(tmp_path: Path) -> None:
    done = run_make_history(tmp_path / "fix.git", NF, "--merges", "1,5")
    assert done.returncode == 1
    assert "05-sample-checksums.patch: does not apply after the patches before it" in done.stderr


def test_leaves_a_whole_one_as_it_is(demo: Demo) -> None:
    before = (demo.folder / "nalm-demo.json").stat().st_mtime_ns
    assert json.loads(run_make_history(demo.folder).stdout) == demo.merges
    assert (demo.folder / "nalm-demo.json").stat().st_mtime_ns == before


@pytest.mark.nightly
def test_makes_a_half_made_one_again(demo: Demo, tmp_path: Path) -> None:
    making = tmp_path / "nf.git.making"
    shutil.copytree(demo.folder, making)
    shutil.rmtree(making / "objects")
    assert json.loads(run_make_history(tmp_path / "nf.git").stdout) == demo.merges
    assert not making.exists()


@pytest.mark.nightly
def test_makes_one_of_other_content_again(demo: Demo, tmp_path: Path) -> None:
    folder = tmp_path / "nf.git"
    shutil.copytree(demo.folder, folder)
    record = json.loads((folder / "nalm-demo.json").read_text())
    (folder / "nalm-demo.json").write_text(json.dumps({**record, "made_from": "older"}))
    assert json.loads(run_make_history(folder).stdout) == demo.merges
    assert json.loads((folder / "nalm-demo.json").read_text()) == record


@pytest.mark.nightly
def test_an_interrupt_while_one_replaces_another(
    demo: Demo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is left of the former one without its record would be taken for somebody else's folder."""
    folder = tmp_path / "nf.git"
    shutil.copytree(demo.folder, folder)
    record = json.loads((folder / "nalm-demo.json").read_text())
    (folder / "nalm-demo.json").write_text(json.dumps({**record, "made_from": "older"}))

    def interrupted(former: Path, **_: object) -> None:
        (former / "nalm-demo.json").unlink()
        raise KeyboardInterrupt

    with monkeypatch.context() as interrupting, pytest.raises(KeyboardInterrupt):
        interrupting.setattr(shutil, "rmtree", interrupted)
        make_history.history(NF, folder)
    assert json.loads(run_make_history(folder).stdout) == demo.merges


def test_refuses_somebody_elses_folder(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("mine")
    done = run_make_history(tmp_path)
    assert done.returncode == 1
    assert "not made by this program" in done.stderr
    assert (tmp_path / "letter.txt").read_text() == "mine"


def test_refuses_a_source_outside_git(tmp_path: Path) -> None:
    (tmp_path / "source").mkdir()
    done = run_make_history(tmp_path / "nf.git", source=tmp_path / "source")
    assert done.returncode == 1
    assert "not in a git checkout" in done.stderr


def test_a_fix_names_an_earlier_regression() -> None:
    by_name = {patch.name: patch for patch in all_patches(NF / "mutants")}
    fixes = [patch for patch in by_name.values() if patch.fixes is not None]
    assert fixes
    for patch in fixes:
        broken = by_name[str(patch.fixes)]
        assert (broken.expect, broken.stage) == ("regressed", patch.stage)
        assert 0 < broken.order < patch.order


GOOD = "title: t\nwhat: w\nexpect: same\ncode: equal\nsize: 0\n\ndiff --git a/x b/x\n"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("expect: same", "expect: slower"), "expect is `slower`"),
        (("code: equal", "code: maybe"), "code is `maybe`"),
        (("size: 0\n", ""), "lacks size"),
        (("size: 0", "size 0"), "is no header line"),
        (("expect: same", "expect: regressed"), "needs stage and cause"),
        (("size: 0", "size: 0\ncause: magic"), "cause is `magic`"),
        (("size: 0", "size: 0\norder: first"), "order is `first`"),
        (("diff --git a/x b/x\n", ""), "no `diff --git`"),
    ],
)
def test_a_wrong_header_is_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "m.patch"
    path.write_text(GOOD)
    assert read_patch(path).expect == "same"
    path.write_text(GOOD.replace(*change))
    with pytest.raises(PatchError, match=message):
        read_patch(path)
