# SPDX-License-Identifier: Apache-2.0
"""Runs a document as it stands.

A fence after a line that ends with a file's name in backquotes and a colon is that file. A fence `sh` is run
by bash; each of these blocks begins where the one before ended. A command with a comment `# exit code N` must
end with N, every other one with 0. A fence `text` shows the last block's output: its lines must appear in
this order, with any numbers and commits for its own, and a line `...` for any lines. A change may be written
as a percentage or, as large ones are, as a factor.
"""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.S | re.M)
_FILE = re.compile(r"`([\w./-]+)`:\s*\Z")
_EXIT = re.compile(r"^(?P<command>.+?)\s+# exit code (?P<code>\d+).*$", re.M)
_NUMBER = re.compile(r"[-+±]?\d[\d,.]*")
_ANY_NUMBER = r"[-+±]?[\d,.]+"
_CHANGE = re.compile(r"(?:×|[-+](?=\d))[\d,.]+(?: %)?")
_COMMIT = re.compile(r"[0-9a-f]{7}:?")
_ANY_COMMIT = r"[0-9a-f]{7}:?"
_CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")
BLOCK_SECONDS = 900


@dataclass(frozen=True)
class Block:
    """A fence of a document: language, content, and the file that it is, if it is one."""

    language: str
    text: str
    file: str | None


def blocks(document: str) -> Iterator[Block]:
    """The fences of a document, in order."""
    for fence in _FENCE.finditer(document):
        named = _FILE.search(document[: fence.start()])
        yield Block(fence[1], fence[2], named[1] if named else None)


class Session:
    """A shell whose directory and variables outlast a block."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self._environment = dict(environment)
        self._state = folder.with_name(f".{folder.name}.state")

    def run(self, script: str, seconds: float = BLOCK_SECONDS) -> str:
        """Runs a block, for at most so many seconds, and returns its output. Raises AssertionError with it if
        a command ends otherwise than it should."""
        known = f". {self._state}\n" if self._state.exists() else ""
        keep = f"{{ export -p; printf 'cd %q\\n' \"$PWD\"; }} >{self._state}\n"
        done = subprocess.run(
            ["bash", "-e", "-o", "pipefail", "-c", f"{known}{with_exit_codes(script)}\n{keep}"],
            cwd=self.folder,
            env=self._environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            timeout=seconds,
            check=False,
        )
        output = _CONTROL.sub("", done.stdout)
        assert done.returncode == 0, f"exit code {done.returncode} of\n{script}\n{output[-6000:]}"
        return output

    def where(self) -> Path:
        """The shell's directory after the last block."""
        return Path(self.run("pwd").strip().splitlines()[-1])

    def play(self, document: Path) -> str:
        """Runs a document. Returns all output. Raises AssertionError where it goes another way."""
        everything = output = ""
        for block in blocks(document.read_text()):
            if block.file is not None:
                target = self.where() / block.file
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text)
            elif block.language == "sh":
                output = self.run(block.text)
                everything += output
            elif block.language == "text":
                missing = first_missing(block.text, output)
                assert missing is None, f"{document.name} shows {missing!r}, but there was:\n{output}"
        return everything


def with_exit_codes(script: str) -> str:
    """The script with each command's exit code checked that has a comment."""
    return _EXIT.sub(
        lambda found: f"code=0; {found['command']} || code=$?; test $code = {found['code']}", script
    )


def first_missing(shown: str, output: str) -> str | None:
    """The first shown line that the output lacks, or has only before an earlier one; None: it has all."""
    lines = _CHANGE.sub("+0", output).splitlines()
    for line in shown.splitlines():
        if line.strip() in ("", "..."):
            continue
        pattern = _pattern(_CHANGE.sub("+0", line))
        place = next((at for at, one in enumerate(lines) if pattern.search(one)), None)
        if place is None:
            return line
        lines = lines[place + 1 :]
    return None


def _pattern(line: str) -> re.Pattern[str]:
    words = []
    for word in line.split():
        if _COMMIT.fullmatch(word):
            words.append(_ANY_COMMIT)
            continue
        numbers = _NUMBER.split(word)
        words.append(_ANY_NUMBER.join(re.escape(part) for part in numbers))
    return re.compile(r"\s+".join(words))


def fresh_environment(home: Path, programs: Path, **more: str) -> dict[str, str]:
    """A login's environment with an empty home directory, and `nalm` on its path, so that programs are those
    of Debian's packages. What this host needs to reach its package registries stays."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if name.startswith(("PIP_", "SSL_", "http", "HTTP", "no_proxy", "NO_PROXY", "LANG"))
    }
    home.mkdir(parents=True, exist_ok=True)
    path = f"{programs}:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
    named = {"GIT_AUTHOR_NAME": "A", "GIT_AUTHOR_EMAIL": "a@example.org"}
    named["GIT_CEILING_DIRECTORIES"] = str(home.parent)  # a page that forgets `git init` finds no repository
    named |= {"GIT_COMMITTER_NAME": "A", "GIT_COMMITTER_EMAIL": "a@example.org"}
    return kept | named | {"HOME": str(home), "PATH": path, "TERM": "dumb", "USER": "stranger"} | more
