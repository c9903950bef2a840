# SPDX-License-Identifier: Apache-2.0
"""Findings for a person or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.markup import escape
from rich.text import Text

from nalm_agent.doctor.finding import Finding, Level
from nalm_agent.report.plain_console import PlainConsole

COLOURS = {Level.OK: "green", Level.UNKNOWN: "cyan", Level.NOTE: "yellow", Level.FATAL: "red"}


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """One line each; a problem also with effect and cure."""
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings]))
        return
    console = PlainConsole(highlight=False)
    for finding in findings:
        colour = COLOURS[finding.level]
        _line(console, f"[{colour}]{finding.level:<7}[/] {finding.name:<15} ", finding.value, 24)
        if finding.effect:
            _line(console, "        effect: ", finding.effect, 16)
        if finding.cure:
            _line(console, "        cure:   ", finding.cure, 16)


def _line(console: PlainConsole, before: str, text: str, indent: int) -> None:
    """before: markup, `indent` characters wide; text goes on below itself, or unwrapped if piped."""
    if not console.is_terminal:
        console.print(before + escape(text), soft_wrap=True)
        return
    for number, part in enumerate(Text(text).wrap(console, max(console.width - indent, indent))):
        console.print((before if number == 0 else " " * indent) + escape(part.plain.rstrip()), soft_wrap=True)
