# SPDX-License-Identifier: Apache-2.0
"""A nalm.toml from outside of the commits, which stands in for those of all revisions of a repository."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from nalm_agent.runtime.errors import ConfigError

MOST_BYTES = 1 << 30
"""Size of what a command may name beside the file: all of it is digested for each run."""
NOT_UTF8 = "it is not text in UTF-8"
UTF8_HINT = "save it in UTF-8: `iconv -f latin1 -t utf-8` converts Latin-1"


@dataclass(frozen=True)
class GivenConfig:
    """The text of a nalm.toml, and the folder of the files that it names beside the repository's."""

    text: str
    name: str
    """What errors call it: the path of the file, or the server's project."""
    folder: Path | None = None
    """None: there are no such files."""

    @property
    def label(self) -> str:
        """What reports call it: no path of this host."""
        return self.name if self.folder is None else Path(self.name).name

    @property
    def sha256(self) -> str:
        """Of its text."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @staticmethod
    def read(path: Path) -> GivenConfig:
        """The file of --config. Raises ConfigError if it cannot be read."""
        try:
            return GivenConfig(path.read_text(), str(path), path.resolve().parent)
        except (OSError, UnicodeDecodeError) as error:
            why = error.strerror if isinstance(error, OSError) else NOT_UTF8
            raise ConfigError(
                f"{path} cannot be read: {why}", hint="--config takes the path of a nalm.toml"
            ) from error

    def beside(self, path: str) -> Path | None:
        """A file or directory beside this nalm.toml; None if it does not exist."""
        if self.folder is None:
            return None
        found = self.folder / path
        return found if found.exists() else None

    def digest(self, path: str) -> str | None:
        """Digest of a file, or of all files of a directory, beside this nalm.toml; None if it does not exist.

        Raises ConfigError for one that is too large, or whose links lead in a circle.
        """
        found = self.beside(path)
        if found is None:
            return None
        files = [found] if found.is_file() else sorted(_files_below(found))
        if sum(one.stat().st_size for one in files) > MOST_BYTES:
            raise ConfigError(
                f"{found} has more than {MOST_BYTES >> 30} GiB",
                hint="move the files that the command needs into a directory of their own",
            )
        total = hashlib.sha256()
        for one in files:
            inner = PurePosixPath(one.relative_to(found)) if one != found else PurePosixPath(one.name)
            total.update(f"{inner}\0{one.stat().st_mode & 0o111}\0".encode())
            with one.open("rb") as file:
                total.update(hashlib.file_digest(file, "sha256").digest())
        return total.hexdigest()


def _files_below(folder: Path) -> Iterator[Path]:
    """Files of a directory at any depth, also behind links to directories: a build gets a copy of those, too.

    Raises ConfigError for links in a circle.
    """
    for place, folders, files in os.walk(folder, followlinks=True):
        for name in folders:
            inner = Path(place, name)
            above = (one.resolve() for one in inner.parents if one.is_relative_to(folder))
            if inner.is_symlink() and any(one.is_relative_to(inner.resolve()) for one in above):
                raise ConfigError(
                    f"{inner} is a link to a directory that it is in", hint="remove the link, or move it away"
                )
        yield from (path for name in files if (path := Path(place, name)).is_file())
