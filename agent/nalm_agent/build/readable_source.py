# SPDX-License-Identifier: Apache-2.0
"""The sources as a build gets them: it can read what [build] paths names, and sees the names of the rest.

So a build that depends on another file fails, and is not taken for the same when that file alone changes. The
other files exist, since build systems look for the sources of targets that nobody builds.
"""

from __future__ import annotations

import re
import shutil
import stat
from collections.abc import Collection, Iterable
from pathlib import Path

from nalm_core.text.amounts import listed_at_most

_FOUND_ONLY = 0o111
"""Meson opens a script that is not executable."""
_REFUSED = "ermission denied"
_WORD = re.compile(r"[^\s\"'`‘’:,;()\[\]]+")
_LEADING = re.compile(r"^(?:\.\.?/)+")
_MOST_NAMED = 3


def make_unreadable(source: Path, paths: Collection[str]) -> None:
    """Replaces files and links of a tree by empty files of mode `_FOUND_ONLY`, and empties directories, which
    are submodules."""
    for path in paths:
        place = source / path
        if stat.S_ISDIR(place.lstat().st_mode):
            shutil.rmtree(place)
            place.mkdir()
        else:
            place.unlink()
            place.touch()
            place.chmod(_FOUND_ONLY)


def hint_of_refused(output: str, complaint: str | None, unreadable: Collection[str]) -> str | None:
    """A hint if a failed build's output names an unreadable path; None otherwise.

    complaint: the line of the output that says why it failed, if one is known.
    """
    lines = output.splitlines()
    refusing = [line for line in lines if _REFUSED in line]
    found = _ending(unreadable, refusing, either=True)
    if not found:  # cargo names the file, whole, in another line; meson refuses scripts without a word on why
        found = _ending(unreadable, lines if refusing else [complaint or ""], either=False)
    if not found:
        return None
    named = listed_at_most(found, _MOST_NAMED)
    return f"a build reads only what [build] paths of nalm.toml names: add {named}"


def _ending(paths: Collection[str], lines: Iterable[str], *, either: bool) -> list[str]:
    """The paths with which a word of the lines ends, such as an absolute path. either: also those that end
    with a word, such as the name of a header."""
    words = {_LEADING.sub("", word.rstrip(".")) for line in lines for word in _WORD.findall(line)} - {""}
    ending = {end for word in words for end in _ends(word)}
    return sorted(path for path in paths if path in ending or (either and words & _ends(path)))


def _ends(path: str) -> set[str]:
    """A path, and what remains of it without its first directories."""
    parts = path.split("/")
    return {"/".join(parts[first:]) for first in range(len(parts))}
