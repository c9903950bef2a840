# SPDX-License-Identifier: Apache-2.0
"""Prints a reference of all requests: `python -m nalm_server.app.api_reference > docs/api-reference.md`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from nalm_server.app.openapi import description
from nalm_server.base.api_router import PREFIX

HEAD = f"""# Every request of the HTTP API

Made by `make openapi` from the document that the server has at `{PREFIX}/openapi.json`, with parameters,
bodies and answers in full. Paths begin with `{PREFIX}`. Where to begin, tokens and errors: [api.md](api.md).
Who may: [access.md](access.md).
"""


def reference() -> str:
    """A table for each tag, in the order of the application."""
    paths: dict[str, dict[str, Any]] = description()["paths"]
    found = list(_operations(paths))
    subjects = list(dict.fromkeys(subject for subject, _, _ in found))
    found.sort(key=lambda row: subjects.index(row[0]))
    lines = [HEAD.rstrip()]
    for subject, rows in groupby(found, key=lambda row: row[0]):
        lines += ["", f"## {subject.capitalize()}", "", "| request | what it does |", "| --- | --- |"]
        lines += [f"| `{request}` | {said} |" for _, request, said in rows]
    return "\n".join(lines) + "\n"


def _operations(paths: dict[str, dict[str, Any]]) -> Iterator[tuple[str, str, str]]:
    """(tag, request, description) of each."""
    for path, operations in paths.items():
        for method, operation in operations.items():
            parameters = [one["name"] for one in operation.get("parameters", []) if one["in"] == "query"]
            query = f"?{'&'.join(parameters)}" if parameters else ""
            request = f"{method.upper()} {path.removeprefix(PREFIX)}{query}"
            yield operation["tags"][0], request, " ".join(operation["description"].split())


if __name__ == "__main__":
    sys.stdout.write(reference())
