# SPDX-License-Identifier: Apache-2.0
"""Reads performance mutants: patches with a header of `key: value` lines before the diff.

`reference-nf/mutants/*.patch` build on each other: they are the demo's history. Those of `planted`
(to be found) and `equal` (not to alarm) each apply alone. reference-nf/mutants/README.md explains the keys.
Only the standard library: the demo's history is made with it too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

EXPECTATIONS = ("same", "regressed", "improved", "broken", "feature")
CAUSES = ("instructions", "pipeline")
PLANTED_KINDS = (
    "more-instructions",
    "dependency-chain",
    "cache-miss",
    "tlb-miss",
    "false-sharing",
    "branch-miss",
    "serializing",
    "lock",
    "division",
    "store-forwarding",
    "code-size",
    "small-batch",
    "per-poll",
    "tail",
    "compiler-option",
    "fewer-instructions-more-cycles",
    "more-instructions-fewer-cycles",
    "elsewhere",
    "leak",
    "silent-drop",
)
EQUAL_KINDS = ("comment", "rename", "move", "equal-cost", "build-noise")
KINDS = PLANTED_KINDS + EQUAL_KINDS
MECHANISMS = (
    "instructions",
    "batches",
    "dependencies",
    "cache",
    "instruction_cache",
    "tlb",
    "prefetch",
    "branches",
    "serialising",
    "atomics",
    "division",
    "store_forwarding",
    "sharing",
)
FOLDERS = ("planted", "equal")
FINE = "fine"
"""Folder of mutants below the usual margin, which are measured when they are named."""
DEFAULT_SCENARIO = "sfc_a"
REQUIRED = ("title", "what", "expect", "code", "size")
ALONE_REQUIRED = ("kind", "scenario")
OPTIONAL = (
    "stage",
    "cause",
    "order",
    "fixes",
    "lcores",
    "ipp",
    "cpp",
    "metric",
    "margin",
    "mechanism",
    *ALONE_REQUIRED,
)
_FIGURE = re.compile(r"~?[+-]?[0-9]+(\.[0-9]+)?")


class PatchError(ValueError):
    """A header is wrong; the message names the file and the key."""


@dataclass(frozen=True)
class Figure:
    """A relative change as the header gives it: +0.003 is 0.3 % more."""

    value: float
    estimated: bool
    """Written with a ~: not measured."""


@dataclass(frozen=True)
class Patch:
    """One mutant. `text` is the whole file: git apply reads past the header."""

    name: str
    text: bytes
    title: str
    what: str
    expect: str
    code: str
    size: str
    stage: str | None = None
    """Bears the change; None where the header leaves it open."""
    cause: str | None = None
    order: int = 0
    """Place in the demo's history; 0: not in the demo."""
    fixes: str | None = None
    kind: str | None = None
    """None in the demo only."""
    scenario: str = DEFAULT_SCENARIO
    """History in which it shows: a scenario of nalm.toml, `NAME:rate` for its rates."""
    metric: str | None = None
    """Metric that it changes, alone or most clearly; None: cycles per packet at full load."""
    lcores: int | None = None
    """Lcores it needs to show; None: as nalm.toml has it."""
    margin: float | None = None
    """Margin at which it is measured; None: nalm.toml's."""
    ipp: Figure | None = None
    """Change of the chain's instructions per packet."""
    cpp: Figure | None = None
    """Change of the chain's cycles per packet."""
    mechanism: str | None = None
    """Why its cycles change, one of MECHANISMS; None: it is not known, or none."""

    @property
    def branch(self) -> str:
        """Name of the branch it is merged from: the file's name without its number and suffix."""
        return self.name.removesuffix(".patch").lstrip("0123456789-")


def read_patch(path: Path) -> Patch:
    """Raises PatchError for a missing, unknown or impossible value."""
    text = path.read_bytes()
    head, separator, _ = text.partition(b"\ndiff --git ")
    if not separator:
        raise PatchError(f"{path}: no `diff --git` after the header")
    keys: dict[str, str] = {}
    for line in head.decode().splitlines():
        key, colon, value = line.partition(": ")
        if not line.strip():
            continue
        if not colon or key not in REQUIRED + OPTIONAL or key in keys:
            known = ", ".join(REQUIRED + OPTIONAL)
            raise PatchError(f"{path}: `{line}` is no header line; known keys: {known}")
        keys[key] = value.strip()
    _check_keys(path, keys)
    _check_values(path, keys)
    return Patch(
        name=path.name,
        text=text,
        title=keys["title"],
        what=keys["what"],
        expect=keys["expect"],
        code=keys["code"],
        size=keys["size"],
        stage=keys.get("stage"),
        cause=keys.get("cause"),
        order=int(keys.get("order", 0)),
        fixes=keys.get("fixes"),
        kind=keys.get("kind"),
        scenario=keys.get("scenario", DEFAULT_SCENARIO),
        metric=keys.get("metric"),
        lcores=int(keys["lcores"]) if "lcores" in keys else None,
        margin=float(keys["margin"]) if "margin" in keys else None,
        ipp=_figure(keys.get("ipp")),
        cpp=_figure(keys.get("cpp")),
        mechanism=keys.get("mechanism"),
    )


def _figure(text: str | None) -> Figure | None:
    if text is None:
        return None
    return Figure(float(text.removeprefix("~")), estimated=text.startswith("~"))


def _check_keys(path: Path, keys: dict[str, str]) -> None:
    needed = REQUIRED + (ALONE_REQUIRED if path.parent.name in (*FOLDERS, FINE) else ())
    missing = [key for key in needed if key not in keys]
    if missing:
        raise PatchError(f"{path}: the header lacks {', '.join(missing)}")
    if keys["expect"] in ("regressed", "improved") and "stage" not in keys:
        raise PatchError(f"{path}: {keys['expect']} needs stage and cause")
    # Where instructions cannot be counted, nothing tells the causes apart.
    uncounted = "lcores" in keys or keys.get("kind") in ("per-poll", "tail")
    if keys["expect"] in ("regressed", "improved") and "cause" not in keys and not uncounted:
        raise PatchError(f"{path}: {keys['expect']} needs stage and cause")


def _check_values(path: Path, keys: dict[str, str]) -> None:
    for key, known in (
        ("expect", EXPECTATIONS),
        ("code", ("equal", "differs")),
        ("cause", CAUSES),
        ("kind", KINDS),
        ("mechanism", MECHANISMS),
    ):
        if keys.get(key, known[0]) not in known:
            raise PatchError(f"{path}: {key} is `{keys[key]}`, not one of {', '.join(known)}")
    for key in ("order", "lcores"):
        if not keys.get(key, "1").isdecimal():
            raise PatchError(f"{path}: {key} is `{keys[key]}`, not a number")
    for key in ("ipp", "cpp", "margin"):
        if not _FIGURE.fullmatch(keys.get(key, "0")):
            raise PatchError(f"{path}: {key} is `{keys[key]}`, not a relative change like +0.003 or ~0.02")


def all_patches(folder: Path) -> list[Patch]:
    """Every mutant of a folder, by file name."""
    return [read_patch(path) for path in sorted(folder.glob("*.patch"))]


def demo_patches(folder: Path) -> list[Patch]:
    """The mutants of the demo in their order, which counts from 1 without a gap."""
    patches = sorted((patch for patch in all_patches(folder) if patch.order), key=lambda patch: patch.order)
    orders = [patch.order for patch in patches]
    if not orders or orders != list(range(1, len(orders) + 1)):
        raise PatchError(f"{folder}: the demo's orders are {orders}, not 1, 2, 3 ...")
    return patches


def lone_patches(folder: Path) -> dict[str, Patch]:
    """Those that apply alone, by `planted/NN-name` or `equal/NN-name`."""
    return {
        f"{name}/{patch.name.removesuffix('.patch')}": patch
        for name in FOLDERS
        for patch in all_patches(folder / name)
    }


def fine_patches(folder: Path) -> dict[str, Patch]:
    """Those below the usual margin, which apply alone, by `fine/NN-name`."""
    found = all_patches(folder / FINE)
    return {f"{FINE}/{patch.name.removesuffix('.patch')}": patch for patch in found}


def sample(patches: dict[str, Patch], size: int) -> dict[str, Patch]:
    """A fixed choice spread over the kinds: one of each in turn, planted and equal ones by turns."""
    by_kind: dict[str, list[str]] = {}
    for name, patch in patches.items():
        by_kind.setdefault(patch.kind or "", []).append(name)
    planted = [kind for kind in PLANTED_KINDS if kind in by_kind]
    equal = [kind for kind in EQUAL_KINDS if kind in by_kind]
    chosen: list[str] = []
    while len(chosen) < min(size, len(patches)):
        for place in range(max(len(planted), len(equal))):
            for kinds in (planted, equal):
                if place < len(kinds) and by_kind[kinds[place]]:
                    chosen.append(by_kind[kinds[place]].pop(0))
    return {name: patches[name] for name in sorted(chosen[:size])}
