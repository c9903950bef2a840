# SPDX-License-Identifier: Apache-2.0
"""Findings for a person or as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

from rich.console import Console
from rich.markup import escape

from nalm_agent.doctor.finding import Finding, Level

COLOURS = {Level.OK: "green", Level.UNKNOWN: "cyan", Level.NOTE: "yellow", Level.FATAL: "red"}


def print_findings(findings: Sequence[Finding], *, as_json: bool) -> None:
    """One line each; a problem also with effect and cure."""
    if as_json:
        print(json.dumps([asdict(finding) for finding in findings]))
        return
    console = Console(highlight=False, soft_wrap=True)
    for finding in findings:
        colour = COLOURS[finding.level]
        console.print(f"[{colour}]{finding.level:<7}[/] {finding.name:<15} {escape(finding.value)}")
        if finding.effect:
            console.print(f"        effect: {escape(finding.effect)}")
        if finding.cure:
            console.print(f"        cure:   {escape(finding.cure)}")
