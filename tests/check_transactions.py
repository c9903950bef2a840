# SPDX-License-Identifier: Apache-2.0
"""Two rules of the server's database code: queries and rows in repositories only, and a transaction is
committed by the function that opened it. A function that gets a session as argument never commits it.

    check_transactions.py FOLDER     prints violations, a line each
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

QUERIES = {"select", "insert", "update", "delete", "union", "union_all"}
SESSION_CALLS = {
    "add", "add_all", "delete", "execute", "get", "get_one", "merge", "query", "scalar", "scalars",
}  # fmt: skip
Function = ast.FunctionDef | ast.AsyncFunctionDef


def main() -> int:
    found = [f"{path}:{line}" for path in sorted(Path(sys.argv[1]).rglob("*.py")) for line in broken(path)]
    print("\n".join(found))
    return 1 if found else 0


def broken(path: Path) -> Iterator[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if not path.stem.endswith(("repository", "models")):
        yield from _queries(tree)
    yield from _commits(tree)


def _queries(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sqlalchemy"):
            for name in sorted(QUERIES & {one.name for one in node.names}):
                yield f"{node.lineno}: imports sqlalchemy's {name} outside a repository"
        elif _is_call(node, SESSION_CALLS):
            yield f"{node.lineno}: {ast.unparse(node)[:60]} outside a repository"


def _is_call(node: ast.AST, methods: set[str]) -> bool:
    """A method of a session."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
        return False
    of = node.func.value
    name = of.id if isinstance(of, ast.Name) else of.attr if isinstance(of, ast.Attribute) else ""
    return name == "session" and node.func.attr in methods


def _commits(tree: ast.Module) -> Iterator[str]:
    for function in ast.walk(tree):
        if not isinstance(function, Function):
            continue
        opened = {
            item.optional_vars.id
            for node in ast.walk(function)
            if isinstance(node, ast.With)
            for item in node.items
            if isinstance(item.optional_vars, ast.Name)
        }
        for node in ast.walk(function):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr == "commit"
            ):
                of = node.func.value
                if not (isinstance(of, ast.Name) and of.id in opened):
                    yield f"{node.lineno}: {ast.unparse(node)} by who did not open the transaction"


if __name__ == "__main__":
    sys.exit(main())
