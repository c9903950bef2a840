# SPDX-License-Identifier: Apache-2.0
"""Text without characters that XML does not allow."""

from __future__ import annotations

import re

from nalm_core.text.plain_text import MARK, plain

_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The plain text, with MARK for characters that XML does not allow, not even escaped."""
    return _NOT_XML.sub(MARK, plain(text))
