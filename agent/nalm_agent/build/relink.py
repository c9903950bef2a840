# SPDX-License-Identifier: Apache-2.0
"""Layouts of a build: the same objects linked again, with functions in another order and at other offsets.

The build's own link command (of ninja) is repeated with one more linker script. It names the sections of code
of the objects in an order that the layout's number determines, with gaps between them, and without their own
alignment beyond GRAIN bytes: so each function begins anywhere in a cache line, and its branches and loops lie
elsewhere in theirs. With -ffunction-sections a section is a function, without it an object file. A layout is
kept in the store like a build.
"""

from __future__ import annotations

import random
import re
import shlex
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from elftools.common.exceptions import ELFError

from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.artifacts.loadable import target_of
from nalm_agent.artifacts.text_sections import text_sections
from nalm_agent.build import sandbox
from nalm_agent.build.build import Built
from nalm_agent.build.sandbox import Isolation, isolation
from nalm_agent.native.toolchain import build_environment
from nalm_agent.runtime.errors import BuildError, NalmError, UnrepeatableError
from nalm_agent.runtime.process import run, tail
from nalm_agent.store.disk_use import remove_written
from nalm_agent.store.home import Home, WorkDir
from nalm_agent.store.store import address

LAYOUTS, LINKS = "layouts", "links"
GRAIN = 16
"""Bytes to multiples of which functions are moved: compilers rely on no larger alignment within them."""
GAPS = 16
"""A gap between two functions is below this many grains: four cache lines."""
LINK_SECONDS = 120.0
LINK_MEMORY_BYTES = 4 << 30
NINJA_FILE = "build.ninja"
SCRIPT, COMMAND, LOG = "layout.ld", "command", "link.log"
_SHELL = re.compile(r"^(&&|\|\||[;|<>&])|^[0-9]?>")
_VERSION = 2


class CannotRelinkError(NalmError):
    """A build that nalm cannot link again."""


class LinkRunError(CannotRelinkError):
    """A command failed, possibly because this host stopped it; it is tried again the next time."""


@dataclass(frozen=True)
class Link:
    """How one artifact was linked."""

    artifact: str
    arguments: tuple[str, ...]
    sections: tuple[tuple[str, str], ...]
    """(object as the command names it, section)."""


def links_of(home: Home, work: WorkDir, built: Built) -> list[Link]:
    """The links of a build's artifacts. Raises CannotRelinkError with the reason."""
    key = address(built.build.tree, built.contents.artifacts, _VERSION)
    known: Any = home.store().document(LINKS, key)
    if known is None:
        known = _find_links(work, built)
        home.store().put_document(LINKS, key, known)
    if isinstance(known, str):
        raise CannotRelinkError(known)
    return [
        Link(
            one["artifact"],
            tuple(one["arguments"]),
            tuple((path, section) for path, section in one["sections"]),
        )
        for one in known
    ]


def relinked(home: Home, built: Built, links: Sequence[Link], number: int) -> Built:
    """The build in a layout; 0 is the build as it is. The store keeps it until `home.work()` ends.

    Raises CannotRelinkError if the linker refuses.
    """
    if number == 0:
        return built
    key = address(built.build.tree, [one.arguments for one in links], number, _VERSION)
    entry = home.store().make_directory(LAYOUTS, key, lambda new: _fill(new, built, links, number))
    return replace(built, directory=entry / "build")


def layout_script(sections: Sequence[tuple[str, str]], number: int) -> str:
    """The linker script of a layout (ld, "INSERT" and "SUBALIGN")."""
    drawn = random.Random(number)
    order = list(sections)
    drawn.shuffle(order)
    lines = [
        f"    {_quoted(path)}({section}) . = . + {GRAIN * drawn.randrange(GAPS)};" for path, section in order
    ]
    first = GRAIN * drawn.randrange(GAPS)
    return "\n".join(
        [
            "SECTIONS",
            "{",
            f"  .text.nalm : ALIGN(64) SUBALIGN({GRAIN})",
            "  {",
            f"    . = . + {first};",
            *lines,
            "  }",
            "}",
            "INSERT BEFORE .text;",
            "",
        ]
    )


def _quoted(path: str) -> str:
    return f'"{path}"'


def _find_links(work: WorkDir, built: Built) -> list[dict[str, object]] | str:
    """The links as a document, or why there are none. Raises LinkRunError."""
    if isolation() is not Isolation.BUBBLEWRAP:
        return "builds are not isolated on this host, and nalm links again in isolation only"
    if not (built.directory / NINJA_FILE).is_file():
        return f"the build has no {NINJA_FILE}, so nalm does not know its link command"
    try:
        return [_found_link(work, built, artifact) for artifact in built.contents.artifacts]
    except LinkRunError:
        raise
    except CannotRelinkError as error:
        return error.message


def _found_link(work: WorkDir, built: Built, artifact: str) -> dict[str, object]:
    arguments = _link_command(work, built, artifact)
    objects = [one for one in arguments if one.endswith(".o") and not Path(one).is_absolute()]
    try:
        with LimitedReading() as reading:
            sections = reading.read(text_sections, [built.directory / one for one in objects])
    except UnrepeatableError as error:
        raise LinkRunError(f"the objects of {artifact} were not read: {error}") from error
    except (BuildError, ELFError) as error:
        raise CannotRelinkError(f"the objects of {artifact} cannot be read: {error}") from error
    if not sections:
        raise CannotRelinkError(f"the link of {artifact} names no object files with code")
    below = [(str(Path(path).relative_to(built.directory)), section) for path, section in sections]
    if bad := next((path for path, _ in below if '"' in path), None):
        raise CannotRelinkError(f"the object {bad} has a quote in its name")
    return {"artifact": artifact, "arguments": arguments, "sections": below}


def _link_command(work: WorkDir, built: Built, artifact: str) -> list[str]:
    """The arguments of the command that links an artifact, by ninja."""
    new = work.fresh("link")
    (new / "build").mkdir()
    inside = f"ninja -t commands -s {shlex.quote(artifact)} >{sandbox.BUILD}/{COMMAND}"
    _run_inside(built, new, ["sh", "-c", f"cd {sandbox.OBJECTS} && {inside}"])
    text = (new / "build" / COMMAND).read_text(errors="replace").strip()
    try:
        arguments = shlex.split(text)
    except ValueError as error:
        raise CannotRelinkError(f"the link command of {artifact} cannot be read: {error}") from error
    if any(_SHELL.match(one) for one in arguments):
        raise CannotRelinkError(f"the link of {artifact} is more than one command")
    if any(one.startswith("@") for one in arguments):
        raise CannotRelinkError(f"the link of {artifact} has its arguments in a file that ninja removed")
    if artifact not in arguments or arguments[arguments.index(artifact) - 1] != "-o":
        raise CannotRelinkError(f"the link command of {artifact} does not end in -o {artifact}")
    return arguments


def _fill(new: Path, built: Built, links: Sequence[Link], number: int) -> None:
    """Links every artifact into a directory that otherwise has links to the build's files."""
    directory = new / "build"
    directory.mkdir()
    try:
        for one in links:
            (directory / SCRIPT).write_text(layout_script(one.sections, number))
            output = directory / one.artifact
            place = one.arguments.index(one.artifact)
            arguments = [
                *one.arguments[:place],
                f"{sandbox.BUILD}/{one.artifact}",
                *one.arguments[place + 1 :],
            ]
            # -S: no debug information, which no launch of a layout needs and most of the file is.
            more = [f"-Wl,-T,{sandbox.BUILD}/{SCRIPT}", "-Wl,-S"]
            folder = str(Path(sandbox.BUILD, one.artifact).parent)  # made inside, by its owner
            in_place = ["sh", "-c", f'cd {sandbox.OBJECTS} && mkdir -p "$0" && exec "$@"', folder]
            _run_inside(built, new, [*in_place, *arguments, *more])
            if not output.is_file():
                raise CannotRelinkError(f"the linker made no {one.artifact}")
        (directory / SCRIPT).unlink()
        _link_to_rest(built.directory, directory, built.directory.resolve())
    finally:
        remove_written(new / "tmp")


def _link_to_rest(of: Path, to: Path, build: Path) -> None:
    """Symbolic links to everything of a directory that another one lacks. A link to a place of the build,
    such as a library's name without its version, is a link to the same place of the layout."""
    for path in of.iterdir():
        other = to / path.name
        relative = path.is_symlink() and not path.readlink().is_absolute()
        if other.exists() or other.is_symlink():
            if path.is_dir() and other.is_dir() and not other.is_symlink():
                _link_to_rest(path, other, build)
        elif relative and target_of(path).is_relative_to(build):
            other.symlink_to(path.readlink())
        else:
            other.symlink_to(path)


def _run_inside(built: Built, new: Path, command: list[str]) -> None:
    """Runs a command isolated like a build, with the build's own files to read.

    Raises LinkRunError if it fails.
    """
    temporary, log = new / "tmp", new / LOG
    places = sandbox.Places(
        built.source, new / "build", new / "tmp", temporary, fills_cache=False, objects=built.directory
    )
    places.hand_over()
    env = build_environment(Path(sandbox.CACHE), Path("/nalm")) | {"HOME": sandbox.HOME}
    wrapped = sandbox.wrap(command, places, env, memory_bytes=LINK_MEMORY_BYTES)
    try:
        code = run(wrapped, cwd=new, env=sandbox.starters_environment(), log=log, limit_seconds=LINK_SECONDS)
    except (subprocess.TimeoutExpired, FileNotFoundError) as error:
        raise LinkRunError(f"linking again failed: {error}") from error
    if code != 0:
        said = tail(log).strip().splitlines()
        raise LinkRunError(f"linking again failed ({code}): {said[-1] if said else 'no reason given'}")
    log.unlink()
