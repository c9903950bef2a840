# SPDX-License-Identifier: BSD-3-Clause
"""Reads performance mutants: `mutants/*.patch`, a header of `key: value` lines before a diff.

Keys: title (commit subject), what (commit body), expect (same, regressed, improved, feature), code (equal,
differs: whether the code sections change), size (rough relative change of the stage's cycles). Where the
expectation has one: stage, cause (instructions, pipeline). In the demo: order, its place in the history.
"""

from dataclasses import dataclass
from pathlib import Path

EXPECTATIONS = ("same", "regressed", "improved", "feature")
CAUSES = ("instructions", "pipeline")
REQUIRED = ("title", "what", "expect", "code", "size")
OPTIONAL = ("stage", "cause", "order", "fixes")


class PatchError(ValueError):
    """A header is wrong; the message names the file and the key."""


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
    stage: str | None
    cause: str | None
    order: int  # 0: not in the demo
    fixes: str | None

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
            raise PatchError(
                f"{path}: `{line}` is no header line; known keys: {', '.join(REQUIRED + OPTIONAL)}"
            )
        keys[key] = value.strip()
    missing = [key for key in REQUIRED if key not in keys]
    if missing:
        raise PatchError(f"{path}: the header lacks {', '.join(missing)}")
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
    )


def _check_values(path: Path, keys: dict[str, str]) -> None:
    if keys["expect"] not in EXPECTATIONS:
        raise PatchError(f"{path}: expect is `{keys['expect']}`, not one of {', '.join(EXPECTATIONS)}")
    if keys["code"] not in ("equal", "differs"):
        raise PatchError(f"{path}: code is `{keys['code']}`, not equal or differs")
    if keys.get("cause", CAUSES[0]) not in CAUSES:
        raise PatchError(f"{path}: cause is `{keys['cause']}`, not one of {', '.join(CAUSES)}")
    if keys["expect"] in ("regressed", "improved") and not {"stage", "cause"} <= keys.keys():
        raise PatchError(f"{path}: {keys['expect']} needs stage and cause")
    if not keys.get("order", "1").isdecimal():
        raise PatchError(f"{path}: order is `{keys['order']}`, not a number")


def all_patches(folder: Path) -> list[Patch]:
    """Every mutant of the folder, by file name."""
    return [read_patch(path) for path in sorted(folder.glob("*.patch"))]


def demo_patches(folder: Path) -> list[Patch]:
    """The mutants of the demo in their order, which counts from 1 without a gap."""
    patches = sorted((patch for patch in all_patches(folder) if patch.order), key=lambda patch: patch.order)
    orders = [patch.order for patch in patches]
    if not orders or orders != list(range(1, len(orders) + 1)):
        raise PatchError(f"{folder}: the demo's orders are {orders}, not 1, 2, 3 ...")
    return patches
