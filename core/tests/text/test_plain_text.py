# SPDX-License-Identifier: Apache-2.0
"""Text of others without what a terminal, a page or an editor would act on."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from nalm_core.render.line import cut
from nalm_core.render.xml_text import xml_text
from nalm_core.text.plain_text import MARK, may_hold_controls, plain, plain_document, plain_line

ORDER = "\u061c\u200e\u200f\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"
DANGEROUS = frozenset(map(chr, [*range(9), *range(11, 32), *range(127, 160)])) | frozenset(ORDER)
NASTY = st.text(
    st.one_of(st.sampled_from(sorted(DANGEROUS) + list("[]0;mJP\\^_ \n\tA")), st.characters(codec="utf-8"))
)


@given(NASTY)
def test_nothing_is_left_that_is_acted_on(text: str) -> None:
    assert not DANGEROUS & set(plain(text))
    assert not DANGEROUS & set(cut(text, 50)) and not DANGEROUS & set(xml_text(text))
    assert not {*DANGEROUS, "\n", "\t"} & set(plain_line(text))


@given(NASTY)
def test_doing_it_again_changes_nothing(text: str) -> None:
    assert plain(plain(text)) == plain(text)


@given(st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"])))
def test_ordinary_text_stays(text: str) -> None:
    assert plain(text) == text


@given(NASTY)
def test_a_document_that_may_hold_them_is_known_by_its_text(text: str) -> None:
    for ascii_only in (True, False):
        if not may_hold_controls(json.dumps([text], ensure_ascii=ascii_only)):
            assert plain_document([text]) == [text.replace("\r", "\n")]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("\x1b[2J\x1b[1;1H---- stats", "---- stats"),
        ("\x1b[1;31mfailed\x1b[0m: no such file", "failed: no such file"),
        ("\x9b2Jx", "x"),
        ("\x1b]0;title\x07x\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "xlink"),
        ("\x1b]52;c;never ended\nnext line", "52;c;never ended\nnext line"),
        ("\x1bP1$r\x1b\\x\x1b(B\x1bc", "x"),
        ("\x1b\x1b[2J[2Jx", f"{MARK}[2Jx"),
        ("[1/9] a\r[2/9] b\r\ndone", "[1/9] a\n[2/9] b\ndone"),
        ("a\tb\bc\x00", f"a\tb{MARK}c{MARK}"),
        ("if (a \u202e} //\u2066", f"if (a {MARK}}} //{MARK}"),
        ("naïve ± 漢字 👩‍👩‍👧 \u2060@x", "naïve ± 漢字 👩‍👩‍👧 \u2060@x"),
    ],
)
def test_what_programs_write(text: str, left: str) -> None:
    assert plain(text) == left


def test_a_document_is_plain_in_names_and_values() -> None:
    assert plain_document({"a\x1b[2J": ["\x1b[1mb", 1, None, {"c": "d\u202e"}]}) == {
        "a": ["b", 1, None, {"c": f"d{MARK}"}]
    }
