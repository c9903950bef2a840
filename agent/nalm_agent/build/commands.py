# SPDX-License-Identifier: Apache-2.0
"""Runs the build commands of nalm.toml and attributes failures to the commit or to this host."""

from __future__ import annotations

import re
import shutil
import subprocess
import textwrap
import time
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from nalm_core.text.amounts import listed_at_most

from nalm_agent.build.host_limits import BUILD_MEMORY, BUILD_SECONDS
from nalm_agent.build.isolation.system_view import is_in_view
from nalm_agent.build.own_progress import OwnProgress
from nalm_agent.build.readable_source import hint_of_refused
from nalm_agent.build.sandbox import STOPPED
from nalm_agent.config.beside import CONFIG_DIR
from nalm_agent.config.nalm_toml import BuildConfig
from nalm_agent.native.development_files import PACKAGES, READABLE, folders_of
from nalm_agent.runtime.errors import BuildError, HostError, UnrepeatableError
from nalm_agent.runtime.process import run, tail
from nalm_agent.store.disk_use import DiskUseError, DiskWatch
from nalm_agent.store.store import disk_full

NOT_FOUND = 127
"""Exit code of a shell, and of prlimit, for an unknown program."""
MANY_LINES = 400
"""Lines at a log's end that are searched for the cause of a failure: parallel compilers continue after it."""
NO_ROOM_BYTES = 1 << 20
MOST_OF_COMPLAINT = 200
"""Characters of a compiler's line in a message."""
MOST_NAMED = 3
_ABSOLUTE = re.compile(r"(?:(?<![^\s=:;,'\"`‘(])|(?<=-[IL]))/(?!/)[^\s=:;,'\"`’()*?]+")
_NOSPACE = re.compile(r"No space left on device|Disk quota exceeded")
_READ_ONLY = re.compile(r"Read-only file system|/nalm/source\S*: Permission denied")
_OUT_OF_MEMORY = re.compile(
    r"annot allocate memory|memory exhausted|out of memory|std::bad_alloc|MemoryError", re.IGNORECASE
)
_BWRAP = re.compile(r"^bwrap: .*", re.MULTILINE)
_COMPLAINT = re.compile(
    r"^.*?(?:"
    r"\berror(?:\[\w+\])?: \S.*"  # gcc, clang, gold, lld, rustc, cargo, ninja
    r"|\bERROR: \S.*"  # meson
    r"|undefined reference to \S+|multiple definition of \S+.*|\bld(?:\.\w+)?: cannot find .+"
    r"|\.go:\d+:\d+: .+|^go: (?!downloading |finding |extracting ).+"
    r"|\bCMake Error(?:: .+| at .+:\n\s+\S.*)"
    r"|\b(?:ba|da)?sh: .*not found"
    r"|^g?make(?:\[\d+\])?: \*\*\* .+"
    r")$",
    re.MULTILINE,
)
"""The line with which a tool begins what it refuses."""
_SUMMED_UP = re.compile(
    r"collect2: error: |error: linker command failed|error: linking with |error: could not compile "
    r"|make.*\*\*\*"
)
"""Lines that say only that another program failed, which said why."""
_STOPPED = re.compile(
    r"Killed signal terminated program|^Killed$|^ninja: build stopped: interrupted by user|"
    r"^make.*: \*\*\* .* (Interrupt|Killed|Terminated)$",
    re.MULTILINE,
)


@dataclass(frozen=True)
class Surroundings:
    """Where commands run, and the paths of their directories inside."""

    source: str
    build: str
    beside: str
    """The directory with what commands name as {config_dir}/NAME."""
    cwd: Path
    env: Mapping[str, str]
    wrap: Callable[[list[str]], list[str]]
    isolated: bool
    unreadable: Collection[str]
    """Paths below `source` that a build cannot read, since [build] paths does not name them."""
    disk: DiskWatch
    out_of_memory: Callable[[], bool]
    """True if the build's processes together exceeded their memory limit."""


def run_commands(
    settings: BuildConfig, where: Surroundings, log: Path, step: Callable[[str], None] = lambda line: None
) -> None:
    """Runs all commands. step: receives their own progress.

    Raises BuildError with the log's end, HostError for a fault of the host.
    """
    seconds = min(settings.limit_seconds, BUILD_SECONDS.value())
    limit = time.monotonic() + seconds
    log.touch()
    progress = OwnProgress(log, step)

    def watch() -> None:
        where.disk.look()
        progress.look()

    for template in settings.commands:
        command = [
            argument.replace("{source}", where.source)
            .replace("{build}", where.build)
            .replace(CONFIG_DIR, where.beside)
            for argument in template
        ]
        try:
            left = max(0.1, limit - time.monotonic())
            code = run(
                where.wrap(command),
                cwd=where.cwd,
                env=where.env,
                log=log,
                limit_seconds=left,
                watch=watch,
            )
        except FileNotFoundError as error:
            raise _not_found(command[0]) from error
        except subprocess.TimeoutExpired as error:
            raise UnrepeatableError(
                f"the build took longer than {seconds:g} s: {' '.join(template)}",
                hint="raise [build] limit_seconds in nalm.toml if that is expected",
                log=tail(log),
            ) from error
        except DiskUseError as error:
            raise _wrote_too_much(error, log) from error
        if code != 0:
            raise _explained(code, template, settings, where, log)
    try:
        where.disk.settle()
    except DiskUseError as error:
        raise _wrote_too_much(error, log) from error


def _wrote_too_much(error: DiskUseError, log: Path) -> UnrepeatableError:
    return UnrepeatableError(error.message, hint=error.hint, log=tail(log))


def _not_found(program: str) -> UnrepeatableError:
    return UnrepeatableError(
        f"build command not found: {program}",
        hint="install it, or correct [build] commands in nalm.toml; a program outside the system's "
        f"directories is visible to a build only if {READABLE} names its directory",
    )


def _explained(
    code: int, template: list[str], settings: BuildConfig, where: Surroundings, log: Path
) -> BuildError | HostError:
    said = tail(log)
    everything = tail(log, MANY_LINES)
    # A full disk may also have cut the compiler's message off the log.
    if _NOSPACE.search(everything) or shutil.disk_usage(log.parent).free < NO_ROOM_BYTES:
        return disk_full(log.parent.parent.parent)
    if where.isolated and (refused := _BWRAP.search(said)):
        return HostError(f"the build could not be isolated: {refused[0]}", hint=f"check {READABLE}")
    if code == NOT_FOUND and f"prlimit: failed to execute {template[0]}" in said:
        return _not_found(template[0])
    message = f"build command failed ({code}): {' '.join(template)}"
    if where.out_of_memory():
        most = BUILD_MEMORY.value()
        return UnrepeatableError(
            f"{message}; its processes together took more than {most} MB of memory",
            hint=f"{BUILD_MEMORY.setting} of this host sets that limit; a build with fewer jobs needs less",
            log=said,
        )
    if _STOPPED.search(everything) or code in STOPPED:
        return UnrepeatableError(message, hint="a signal stopped it, possibly for lack of memory", log=said)
    hint, complaint = None, first_complaint(everything)
    if _OUT_OF_MEMORY.search(everything):
        hint = f"each of its processes may take {settings.memory_mb} MB; raise [build] memory_mb in nalm.toml"
    elif refused_hint := hint_of_refused(everything, complaint, where.unreadable):
        hint = refused_hint
    elif where.isolated and _READ_ONLY.search(everything):
        hint = (
            "sources are read-only: let the build write to {build}, or begin [build] commands with "
            '["cp", "-r", "{source}/.", "{build}"] and build there'
        )
    elif where.isolated and (hidden := _hidden([*template, *folders_of(PACKAGES), complaint or ""])):
        hint = (
            f"a build sees only programs and libraries of this host (/usr, /opt), and not "
            f"{listed_at_most(hidden, MOST_NAMED)}: name it in {READABLE}"
        )
    if complaint:
        message += f": {textwrap.shorten(complaint, MOST_OF_COMPLAINT, placeholder='...')}"
    return BuildError(message, hint=hint, log=said)


def _hidden(texts: Iterable[str]) -> list[str]:
    """Files and directories of this host that the texts name and a build does not see."""
    found = dict.fromkeys(path for text in texts for path in _ABSOLUTE.findall(text))
    shown = folders_of(READABLE)
    return [
        str(path)
        for path in map(Path, found)
        if not is_in_view(path) and path.exists() and not any(path.is_relative_to(one) for one in shown)
    ]


def first_complaint(output: str) -> str | None:
    """The line of a build's output that says first why it failed; None if no line is known to."""
    found = [one[0] for one in _COMPLAINT.finditer(output)]
    return next((one for one in found if not _SUMMED_UP.search(one)), found[0] if found else None)
