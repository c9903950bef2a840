# SPDX-License-Identifier: Apache-2.0
"""Draws a view: the columns that fit into the width, and below them the missing figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from nalm_core.text.percents import share_percent
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markup import escape
from rich.table import Table
from rich.text import Text

from nalm_agent.report.sparkline import sparkline
from nalm_agent.top.view import MISSING, LcoreView, StageView, View

KEPT = 60
"""Number of views in a sparkline."""
SPARK = 16
TREND = "trend of CPP"


@dataclass
class Screen:
    """The settings of the screen and the latest views."""

    lcores: bool = False
    """Whether to show the stages of each lcore."""
    costliest_first: bool = False
    paused: bool = False
    keys: bool = False
    """Whether to show the list of keys."""
    history: list[View] = field(default_factory=list)

    def add(self, view: View) -> None:
        """Takes the next view, which is not shown while paused."""
        if not self.paused:
            self.history = [*self.history[1 - KEPT :], view]

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if not self.history:
            yield Text("the first view appears after one interval")
            return
        view = self.history[-1]
        yield self._head(view, options)
        for part in (self._stages, self._lcores, _ports, _functions):
            if (table := part(view, options)) is not None:
                if not console.is_terminal:
                    table.box, table.pad_edge = None, False
                yield table
        yield from _missing(view)
        if self.keys:
            state = "[reverse]paused[/] " if self.paused else ""
            yield Text.from_markup(f"{state}[dim]q quit, space pause, s order of stages, l lcores[/]")

    def _head(self, view: View, options: ConsoleOptions) -> Text:
        """Figures of the whole NF, with the trends that fit into the line."""
        known = [name for name in _FIGURES if getattr(view, name) is not None]
        shown = [_FIGURES[name](getattr(view, name)) for name in known]
        left = options.max_width - len("  ".join([_title(view), *shown]))
        for at, name in enumerate(known):
            trend = self._trend(lambda one, name=name: getattr(one, name), options.encoding)  # type: ignore[misc]
            left -= 1 + len(trend)
            if trend and left >= 0:
                shown[at] += f" {trend}"
        return Text("  ".join([_title(view), *shown]), style="bold")

    def _trend(self, of: Callable[[View], float | None], encoding: str) -> str:
        values = [of(one) for one in self.history[-SPARK:]]
        shown = len(values) > 1 and any(value is not None for value in values)
        return sparkline(values, encoding) if shown else ""

    def _stages(self, view: View, options: ConsoleOptions) -> Table | None:
        if not view.stages:
            return None
        table, columns = _stage_table(view.stages, options.max_width, trends=len(self.history) > 1)
        stages = sorted(view.stages, key=lambda one: -(one.cpp or 0)) if self.costliest_first else view.stages
        highest = max((one.cpp or 0 for one in view.stages if not one.apart), default=0)
        for stage in stages:
            style = "yellow" if stage.cpp and stage.cpp == highest else "dim" if stage.apart else None
            trend = self._trend(lambda one, name=stage.stage: _cpp_of(one, name), options.encoding)  # type: ignore[misc]
            table.add_row(*_row(stage, columns, trend), style=style)
        chain = {"CPP": _text(view.cpp, 1), "IPP": _text(view.ipp, 1), "eIPC": _text(view.eipc, 2)}
        table.add_row("chain", *(chain.get(name, "") for name in columns), style="bold")
        return table

    def _lcores(self, view: View, options: ConsoleOptions) -> Table | None:
        if not view.lcores or (len(view.lcores) < 2 and not self.lcores):
            return None
        room, left = _rooms(options.max_width)
        columns = _fitting(_LCORE, view.lcores, left)
        table = _plain("lcore", room, columns)
        for lcore in view.lcores:
            table.add_row(f"{lcore.lcore} {lcore.state}", *(_LCORE[name][1](lcore) for name in columns))
            if self.lcores:
                for stage in lcore.stages:
                    cells = [_STAGE[name][1](stage) if name in _STAGE else "" for name in columns]
                    table.add_row(escape("  " + stage.stage), *cells, style="dim")
        return table


def _title(view: View) -> str:
    return f"{view.nf} (pid {view.pid})"


def _text(value: float | None, digits: int) -> str:
    return MISSING if value is None else f"{value:.{digits}f}"


def _mpps(pps: float) -> str:
    return f"{pps / 1e6:.3f}"


_FIGURES: dict[str, Callable[[float], str]] = {
    "pps": lambda value: f"{_mpps(value)} Mpps",
    "cpp": lambda value: f"CPP {value:.1f}",
    "cur": lambda value: f"CUR {value:.2f}",
    "ipp": lambda value: f"IPP {value:.1f}",
    "eipc": lambda value: f"eIPC {value:.2f}",
}
_LCORE: dict[str, tuple[int, Callable[[LcoreView], str]]] = {
    "CPP": (9, lambda one: _text(one.cpp, 1)),
    "CUR": (7, lambda one: _text(one.cur, 2)),
    "Mpps": (9, lambda one: _mpps(one.pps)),
    "IPP": (9, lambda one: _text(one.ipp, 1)),
    "eIPC": (7, lambda one: _text(one.eipc, 2)),
}
"""Columns with their widths and texts. The last columns are dropped first."""


def _cpp_of(view: View, stage: str) -> float | None:
    return next((one.cpp for one in view.stages if one.stage == stage), None)


_STAGE: dict[str, tuple[int, Callable[[StageView], str]]] = {
    "CPP": (9, lambda one: _text(one.cpp, 1)),
    "Mpps": (9, lambda one: _mpps(one.pps)),
    "IPP": (9, lambda one: _text(one.ipp, 1)),
    "eIPC": (7, lambda one: _text(one.eipc, 2)),
    "cycles/visit": (15, lambda one: _text(one.cycles_per_visit, 1)),
    "batch": (8, lambda one: _text(one.mean_batch, 1)),
}


def _stage_table(stages: Sequence[StageView], width: int, *, trends: bool) -> tuple[Table, list[str]]:
    """An empty table and its columns: those that fit and for which a stage has a figure."""
    name_room, left = _rooms(width)
    columns = _fitting(_STAGE, stages, left)
    if trends and left - sum(_STAGE[name][0] for name in columns) >= SPARK + 3:
        columns.append(TREND)
    table = _plain("stage", name_room, columns)
    table.add_column("drops", overflow="ellipsis", no_wrap=True)
    return table, columns


def _rooms(width: int) -> tuple[int, int]:
    """Width of names, and the width left for figures beside names, drops and frame."""
    names = max(8, min(24, width // 3))
    return names, width - names - 12


def _fitting(
    columns: Mapping[str, tuple[int, Callable[[Any], str]]], rows: Sequence[Any], left: int
) -> list[str]:
    """The columns with a figure in some row, as many as fit; CPP always."""
    fitting = []
    for name, (room, show) in columns.items():
        if any(show(row) != MISSING for row in rows) or name == "CPP":
            left -= room
            if left >= 0 or name == "CPP":
                fitting.append(name)
    return fitting


def _row(stage: StageView, columns: Sequence[str], trend: str) -> list[str]:
    cells = {name: show(stage) for name, (_, show) in _STAGE.items()} | {TREND: trend}
    drops = ", ".join(f"{name} {count}" for name, count in stage.drops.items())
    name = stage.stage + (" (apart)" if stage.apart else "")
    return [escape(name), *(cells[column] for column in columns), escape(drops)]


def _plain(first: str, room: int, others: Sequence[str]) -> Table:
    table = Table()
    table.add_column(first, overflow="ellipsis", no_wrap=True, max_width=room)
    for name in others:
        table.add_column(name, justify="left" if name == TREND else "right", no_wrap=True)
    return table


def _ports(view: View, options: ConsoleOptions) -> Table | None:
    if not view.ports:
        return None
    table = _plain("port", max(8, options.max_width - 34), ["rx Mpps", "tx Mpps"])
    table.add_column("drops")
    for port in view.ports:
        drops = ", ".join(f"{name} {count}" for name, count in port.drops.items())
        table.add_row(
            escape(f"{port.port} {port.name}".rstrip()), _mpps(port.rx_pps), _mpps(port.tx_pps), drops
        )
    return table


def _functions(view: View, options: ConsoleOptions) -> Table | None:
    if not view.functions:
        return None
    table = _plain("function", max(12, options.max_width - 32), ["samples"])
    table.add_column("of", overflow="ellipsis", no_wrap=True)
    for one in view.functions:
        table.add_row(escape(one.name), share_percent(one.share), escape(one.object))
    return table


def _missing(view: View) -> list[Text]:
    """A line for each reason of missing figures, and one if nothing happened."""
    reasons: dict[str, list[str]] = {}
    for name, reason in view.missing.items():
        reasons.setdefault(reason, []).append(_NAMES.get(name, name))
    lines = [Text(f"{', '.join(names)} missing: {reason}", style="dim") for reason, names in reasons.items()]
    if view.source == "probe" and view.cur is None:
        lines.append(Text("no packets and no polls: its lcores wait at the gate or elsewhere", style="dim"))
    if view.source == "perf" and not view.functions:
        lines.append(Text("no samples: none of its threads ran", style="dim"))
    return lines


_NAMES = {"ipp": "IPP", "eipc": "eIPC", "cpp": "CPP", "cur": "CUR"}
