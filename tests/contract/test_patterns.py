# SPDX-License-Identifier: Apache-2.0
"""No regular expression of the Python rooms takes more than linear time on text from outside.

Each pattern gets strings made from its own parts: the prefix of a repetition, then the repeated part many
times, then a part that cannot match. A pattern that backtracks takes at least a hundred times as long as a
linear one, for the same string in the same run.
"""

from __future__ import annotations

import ast
import importlib
import re
import time
from collections.abc import Iterator
from pathlib import Path
from re import _compiler as compiler  # type: ignore[attr-defined]
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

import nalm_agent
import nalm_core
import nalm_server

LETTERS = "* a0.\n"
END = "\n\x00"
LENGTHS = (24, 28, 34, 40, 300, 4_000)
"""Increasing lengths: each finds patterns that would take forever at the next."""
TIMES = 60.0
"""A linear pattern stays far below this, a quadratic one is far above it at the greatest length."""
NOISE_SECONDS = 0.004
SEARCHED = re.compile(r"\b(\w+)\.(?:search|findall|finditer|sub|subn|split)\(")
"""A call that tries a pattern at every place of a text; its group is the pattern's name."""
USES_RE = re.compile(r"^ *(?:import|from) re\b", re.MULTILINE)
LINEAR = re.compile(r"[^\x01]*+\x01")
# Modules that load a machine's devices or DPDK's symbols, or start programs, when imported.
NOT_IMPORTED = (
    "nalm_agent.gdb",
    "nalm_agent.__main__",
    "nalm_server.app.openapi",
    "nalm_server.app.api_reference",
)


def sources() -> dict[str, str]:
    """The rooms' modules by name, with their text."""
    found = {}
    for package in (nalm_core, nalm_agent, nalm_server):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            parts = [package.__name__, *path.relative_to(folder).with_suffix("").parts]
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            if not name.startswith(NOT_IMPORTED) and parts[-1] != "__main__":
                found[name] = path.read_text()
    return found


def patterns() -> dict[tuple[str, int], str]:
    """Pattern and flags of the compiled patterns at the top of modules and of constants handed to `re`."""
    found: dict[tuple[str, int], str] = {}
    texts = sources()
    searched = {name for source in texts.values() for name in SEARCHED.findall(source)}
    for module, source in texts.items():
        if not USES_RE.search(source):
            continue  # its patterns are those of others
        for name, value in vars(importlib.import_module(module)).items():
            for one in _within(value):
                # Patterns that are only matched are tried only at the beginning of a text.
                at_start = isinstance(value, re.Pattern) and name not in searched
                form = _at_start(one) if at_start and not one.flags & re.VERBOSE else one.pattern
                found[form, one.flags] = module
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.Call) and node.args and _is_of_re(node.func):
                first = node.args[0]
                if isinstance(first, ast.Constant) and isinstance(first.value, str):
                    flags = re.MULTILINE if "MULTILINE" in ast.unparse(node) else 0
                    compiled = re.compile(first.value, flags)
                    if (_at_start(compiled), compiled.flags) not in found:
                        found[compiled.pattern, compiled.flags] = module
    return found


def _at_start(pattern: re.Pattern[str]) -> str:
    """The pattern, tried only at the beginning of a text."""
    return rf"\A(?:{pattern.pattern})"


def _is_of_re(function: ast.expr) -> bool:
    """Whether it is `re.NAME`."""
    return isinstance(function, ast.Attribute) and ast.unparse(function.value) == "re"


def _within(value: Any, depth: int = 3) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, (tuple, list, set, frozenset)) and depth:
        for one in value:
            yield from _within(one, depth - 1)
    elif isinstance(value, dict) and depth:
        for one in value.values():
            yield from _within(one, depth - 1)


def pumped(pattern: str, flags: int) -> set[tuple[str, str]]:
    """The prefix of each unbounded repetition and its repeated part, in several letters."""
    tree = _parser.parse(pattern, flags)
    return {pump for letter in LETTERS for pump in _pumps(tree, "", letter)} | {
        ("", letter) for letter in LETTERS
    }


def _pumps(nodes: Any, before: str, letter: str) -> Iterator[tuple[str, str]]:
    for code, value in nodes:
        for inner in _inner(code, value):
            yield from _pumps(inner, before, letter)
        if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT) and value[1] > 100:
            yield before, _example(value[2], letter) or letter
            yield before, letter
            yield before, _example(nodes, letter) or letter
        before += _example([(code, value)], letter)


def _inner(code: Any, value: Any) -> list[Any]:
    if code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is op.SUBPATTERN:
        return [value[3]]
    if code is op.ATOMIC_GROUP:
        return [value]
    return list(value[1]) if code is op.BRANCH else []


def _example(nodes: Any, letter: str) -> str:
    """A string that these parts match, with this letter where possible."""
    made = ""
    for code, value in nodes:
        if code is op.LITERAL:
            made += chr(value)
        elif code in (op.IN, op.NOT_LITERAL, op.ANY):
            made += _letter(code, value, letter)
        elif code in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            made += _example(value[2], letter) * max(1, min(value[0], 50))
        elif code is op.BRANCH:
            made += _example(value[1][0], letter)
        else:
            made += "".join(_example(inner, letter) for inner in _inner(code, value))
    return made


def _letter(code: Any, value: Any, letter: str) -> str:
    accepts = _accepting(code, value)
    return next((one for one in (letter, *LETTERS, "x", "5") if accepts.fullmatch(one)), "x")


_COMPILED: dict[tuple[Any, str], re.Pattern[str]] = {}


def _accepting(code: Any, value: Any) -> re.Pattern[str]:
    """The pattern of one class of characters; compiled once."""
    name = repr(value)
    if (code, name) not in _COMPILED:
        alone = _parser.SubPattern(_parser.State())
        alone.append((code, value))
        _COMPILED[code, name] = compiler.compile(alone, re.DOTALL)
    return _COMPILED[code, name]


def seconds(pattern: re.Pattern[str], text: str) -> float:
    """Of the CPU, which other programs do not lengthen."""
    began = time.thread_time()
    pattern.search(text)
    return time.thread_time() - began


def backtracks(pattern: re.Pattern[str]) -> str | None:
    """A string for which the pattern takes far longer than a linear one; None if there is none."""
    for before, pump in pumped(pattern.pattern, pattern.flags):
        for length in LENGTHS:
            text = before + pump * (length // len(pump)) + END
            spent = seconds(pattern, text)
            if spent > NOISE_SECONDS:
                spent = min(spent, seconds(pattern, text))
                least = min(seconds(LINEAR, text) for _ in range(5))
                if spent > NOISE_SECONDS and spent > TIMES * least:
                    return f"{before!r} + {pump!r} * {length // len(pump)}"
    return None


def test_the_check_finds_what_backtracks() -> None:
    for bad in (r"^(?:[\w*]+[ \t*]+)*\(", r"^\s*\[\s*([^\]]+?)\s*\]", r"(\w|aa)+$"):
        assert backtracks(re.compile(bad)), bad


def test_every_pattern_is_linear() -> None:
    """One test for all, so that only the process that runs it loads the modules."""
    slow = {
        (module, pattern): text
        for (pattern, flags), module in patterns().items()
        if (text := backtracks(re.compile(pattern, flags))) is not None
    }
    assert slow == {}
