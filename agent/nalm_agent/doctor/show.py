# SPDX-License-Identifier: Apache-2.0
"""Prints findings as text or JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.markup import escape
from rich.text import Text

from nalm_agent.doctor.finding import Finding, Level
from nalm_agent.report.output_file import STDOUT, write_json
from nalm_agent.report.plain_console import PlainConsole

COLOURS = {Level.OK: "green", Level.UNKNOWN: "cyan", Level.NOTE: "yellow", Level.FATAL: "red"}


def print_findings(findings: Sequence[Finding], json_file: str | None = None) -> None:
    """Prints a line for each finding, and for each problem also its effect and remedy."""
    write_json(json_file, json.dumps([asdict(finding) for finding in findings]))
    if json_file == STDOUT:
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
    """Prints `before`, markup of `indent` characters, and `text`, wrapped below itself unless piped."""
    if not console.is_terminal:
        console.print(before + escape(text), soft_wrap=True)
        return
    for number, part in enumerate(Text(text).wrap(console, max(console.width - indent, indent))):
        console.print((before if number == 0 else " " * indent) + escape(part.plain.rstrip()), soft_wrap=True)
