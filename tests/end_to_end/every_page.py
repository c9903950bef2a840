# SPDX-License-Identifier: Apache-2.0
"""The addresses of all pages, from the router itself, so that a new page cannot be forgotten."""

from __future__ import annotations

import re
from collections.abc import Mapping

from demo_process import ROOT

ROUTER = ROOT / "web" / "src" / "app" / "router.tsx"
PATH = re.compile(r'path: "([^"]+)"')


def pages() -> list[str]:
    """As the router has them: `/p/$project/alerts/$id`."""
    found = PATH.findall(ROUTER.read_text())
    assert found, f"no page in {ROUTER}"
    return sorted(set(found))


def address(page: str, names: Mapping[str, str]) -> str:
    """With names in the place of its parts. Raises KeyError for a part that `names` has not."""
    return re.sub(r"\$(\w+)", lambda part: names[part[1]], page)
