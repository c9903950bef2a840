# SPDX-License-Identifier: Apache-2.0
"""The reader of transcripts notices what is not as it is written."""

from __future__ import annotations

from pathlib import Path

import pytest
from stranger import DOCUMENTS
from transcript import Session, blocks, first_missing, fresh_environment

PAGE = """Words.

`sub/a.txt`:

```
one
```

```sh
cd sub
export SAID=hello
```

```sh
cat a.txt
echo "$SAID 12.5 %  (+11.7 .. +18.1)"
false   # exit code 1: as it should be
```

```text
one
...
hello 3 % (+1 .. +2)
```
"""


def played(folder: Path, page: str) -> str:
    document = folder / "page.md"
    document.write_text(page)
    (folder / "work").mkdir()
    return Session(folder / "work", fresh_environment(folder / "home", folder)).play(document)


def test_a_page_that_holds_is_played(tmp_path: Path) -> None:
    assert "hello 12.5" in played(tmp_path, PAGE)


@pytest.mark.parametrize(
    ("was", "becomes"),
    [
        ("hello 3", "goodbye 3"),
        ("exit code 1", "exit code 2"),
        ("cat a.txt", "cat b.txt"),
        ("one\n...\n", ""),
    ],
)
def test_a_page_that_does_not_hold_is_noticed(tmp_path: Path, was: str, becomes: str) -> None:
    page = PAGE.replace(was, becomes) if becomes else PAGE.replace("hello 3 %", "one\nhello 3 %")
    with pytest.raises(AssertionError):
        played(tmp_path, page)


@pytest.mark.parametrize("page", sorted(DOCUMENTS.glob("*.md")), ids=lambda page: page.name)
def test_a_page_shows_what_its_first_verdict_prints(page: Path) -> None:
    """Otherwise its run would compare nothing but exit codes."""
    shown = [one.text for one in blocks(page.read_text()) if one.language == "text"]
    assert any("CPP base" in text for text in shown)


def test_lines_are_in_order() -> None:
    assert first_missing("a 1\nb", "a 2\nc\nb\n") is None
    assert first_missing("b\na 1", "a 2\nc\nb\n") == "a 1"


def test_a_change_is_a_percentage_or_a_factor() -> None:
    shown = "parse: ×11.6 cycles (×11.0 IPP)  ×11.4 .. ×11.8  -5.2 %"
    assert first_missing(shown, "parse: +777 % cycles (+992 % IPP)  +747 .. ×11.8  +0.21 %") is None
    assert first_missing(shown, "parse: many cycles (+992 % IPP)  +747 .. ×11.8  +0.21 %") == shown
