# SPDX-License-Identifier: Apache-2.0
"""Atom (RFC 4287). Pure: entries in, XML out."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from nalm_core.render.xml_text import xml_text

NAMESPACE = "http://www.w3.org/2005/Atom"
EPOCH = "1970-01-01T00:00:00Z"


@dataclass(frozen=True)
class Entry:
    id: str
    title: str
    text: str
    url: str
    at: datetime


def render(feed_id: str, title: str, url: str, entries: Sequence[Entry]) -> bytes:
    """The document. Readers identify an entry by its id, even if the rest changes."""
    ET.register_namespace("", NAMESPACE)
    feed = ET.Element(f"{{{NAMESPACE}}}feed")
    _add(feed, "id", feed_id)
    _add(feed, "title", title)
    _add(feed, "updated", max((one.at.isoformat() for one in entries), default=EPOCH))
    _add(feed, "link", href=url)
    _add(_add(feed, "author"), "name", "nalm")
    for one in entries:
        entry = _add(feed, "entry")
        _add(entry, "id", one.id)
        _add(entry, "title", one.title)
        _add(entry, "updated", one.at.isoformat())
        _add(entry, "link", href=one.url)
        _add(entry, "summary", one.text)
    made: bytes = ET.tostring(feed, encoding="utf-8", xml_declaration=True)
    return made


def _add(parent: ET.Element, tag: str, text: str | None = None, **attributes: str) -> ET.Element:
    element = ET.SubElement(parent, f"{{{NAMESPACE}}}{tag}", attributes)
    if text is not None:  # XML cannot contain control characters, not even escaped
        element.text = xml_text(text)
    return element
