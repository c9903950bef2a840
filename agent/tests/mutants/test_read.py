# SPDX-License-Identifier: Apache-2.0
"""Headers of mutants, those that are shipped, and how a sample is chosen."""

from __future__ import annotations

from pathlib import Path

import pytest
from nalm_agent.mutants.read import (
    EQUAL_KINDS,
    PLANTED_KINDS,
    Figure,
    Patch,
    PatchError,
    fine_patches,
    lone_patches,
    read_patch,
    sample,
)
from tiny import ROOT

SHIPPED = ROOT / "reference-nf" / "mutants"
GOOD = """title: t
what: w
expect: regressed
stage: acl
cause: instructions
code: differs
size: ~0.01
scenario: sfc_b
ipp: +0.0067
cpp: ~0.01
kind: more-instructions

diff --git a/x b/x
"""


@pytest.fixture(scope="module")
def shipped() -> dict[str, Patch]:
    return lone_patches(SHIPPED)


def test_shipped_headers_are_right(shipped: dict[str, Patch]) -> None:
    planted = {name: patch for name, patch in shipped.items() if name.startswith("planted/")}
    equal = {name: patch for name, patch in shipped.items() if name.startswith("equal/")}
    assert len(equal) >= 20
    assert {patch.expect for patch in equal.values()} == {"same"}
    assert {patch.kind for patch in equal.values()} == set(EQUAL_KINDS)
    assert {patch.expect for patch in planted.values()} <= {"regressed", "improved", "broken"}
    assert {patch.kind for patch in planted.values()} <= set(PLANTED_KINDS)
    for name, patch in planted.items():
        assert patch.expect == "broken" or patch.cpp is not None, name


def test_fine_mutants_have_a_margin_of_their_own() -> None:
    fine = fine_patches(SHIPPED)
    assert len(fine) >= 10 and not fine.keys() & lone_patches(SHIPPED).keys()
    for name, patch in fine.items():
        assert patch.margin == 0.001 and patch.expect == "regressed" and patch.cause == "pipeline", name
        assert patch.cpp is not None and 0.001 < patch.cpp.value <= 0.01, name
        assert patch.ipp is not None and abs(patch.ipp.value) < 0.0005, name


def test_a_figure_is_a_relative_change(tmp_path: Path) -> None:
    path = tmp_path / "m.patch"
    path.write_text(GOOD)
    patch = read_patch(path)
    assert (patch.ipp, patch.cpp) == (Figure(0.0067, estimated=False), Figure(0.01, estimated=True))
    assert (patch.scenario, patch.lcores) == ("sfc_b", None)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("kind: more-instructions\n", ""), "lacks kind"),
        (("scenario: sfc_b\n", ""), "lacks scenario"),
        (("kind: more-instructions", "kind: slow"), "kind is `slow`"),
        (("ipp: +0.0067", "ipp: ?"), "ipp is `?`"),
        (("cpp: ~0.01", "cpp: about 1 %"), "cpp is `about 1 %`"),
        (("cause: instructions\n", ""), "needs stage and cause"),
        (("cause: instructions\n", "cause: instructions\nlcores: two\n"), "lcores is `two`"),
    ],
)
def test_a_wrong_header_is_named(tmp_path: Path, change: tuple[str, str], message: str) -> None:
    path = tmp_path / "planted" / "m.patch"
    path.parent.mkdir()
    path.write_text(GOOD.replace(*change))
    with pytest.raises(PatchError) as error:
        read_patch(path)
    assert message in str(error.value)


def test_the_cause_may_be_open_where_instructions_are_not_counted(tmp_path: Path) -> None:
    path = tmp_path / "m.patch"
    path.write_text(GOOD.replace("cause: instructions", "lcores: 2"))
    assert (read_patch(path).cause, read_patch(path).lcores) == (None, 2)


def test_a_sample_is_spread_over_the_kinds_and_always_the_same(shipped: dict[str, Patch]) -> None:
    chosen = sample(shipped, 8)
    assert len(chosen) == 8
    assert len({patch.kind for patch in chosen.values()}) == 8
    assert {name.partition("/")[0] for name in chosen} == {"planted", "equal"}
    assert sample(shipped, 8) == chosen
    assert sample(shipped, 10_000) == shipped
