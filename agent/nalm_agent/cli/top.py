# SPDX-License-Identifier: Apache-2.0
"""`nalm top`: shows a running NF live."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from nalm_agent.report.output_file import STDOUT, require_place, write_file
from nalm_agent.runtime.errors import StoppedError, UsageError
from nalm_agent.shell.examples import examples

if TYPE_CHECKING:
    from nalm_agent.top.view import Feed


def add_to(app: typer.Typer) -> None:
    """Adds the command to `nalm`."""
    app.command(
        epilog=examples(
            "nalm top  the only NF on this host",
            "nalm top --pid 4711 --lcores --record today.jsonl",
            "nalm top --file-prefix vpp  a DPDK program, by its telemetry",
            "nalm top --perf 4711  the C functions of any process",
            "nalm top --replay today.jsonl",
        )
    )(top)


def top(
    *,
    probe: Annotated[
        Path | None, typer.Option(exists=True, dir_okay=False, help="Probe file of the running NF.")
    ] = None,
    pid: Annotated[
        int | None,
        typer.Option(help="Process of the running NF, read by its probe or else by DPDK telemetry."),
    ] = None,
    telemetry: Annotated[
        Path | None, typer.Option(metavar="SOCKET", help="DPDK telemetry socket of an NF without the probe.")
    ] = None,
    file_prefix: Annotated[
        str | None,
        typer.Option(
            metavar="PREFIX", help="--file-prefix of an NF without the probe (DPDK's default: rte)."
        ),
    ] = None,
    perf: Annotated[
        int | None, typer.Option(metavar="PID", help="Any process: perf samples its C functions.")
    ] = None,
    replay: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Replay a file of --record in real time.")
    ] = None,
    list_found: Annotated[
        bool, typer.Option("--list", help="Print the NFs on this host that can be watched, then exit.")
    ] = False,
    interval: Annotated[float, typer.Option(min=0.1, help="Interval between views, in seconds.")] = 1.0,
    once: Annotated[bool, typer.Option("--once", help="Show one view, then exit.")] = False,
    lcores: Annotated[bool, typer.Option("--lcores", help="Also show the stages of each lcore.")] = False,
    record: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append each view to this file, as JSON.")
    ] = None,
    json_file: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="[FILE]",
            help="Write a JSON object per view to this file. Default: stdout.",
        ),
    ] = None,
) -> None:
    """Watch a running NF: packets per second, CUR, CPP, eIPC and IPP per stage and lcore, named drops.

    Keys: q quits, space pauses, s changes the order of stages, l shows lcores.
    """
    from nalm_agent.runtime.stop_signals import INTERRUPTED
    from nalm_agent.top.watch import WatchOptions, watch

    require_place(json_file, "--json")
    given = [name for name, value in {
        "--probe": probe, "--pid": pid, "--telemetry": telemetry, "--file-prefix": file_prefix,
        "--perf": perf, "--replay": replay, "--list": list_found or None,
    }.items() if value is not None]  # fmt: skip
    if len(given) > 1:
        raise UsageError(f"{' and '.join(given)} exclude each other")
    if replay is not None and record is not None:
        raise UsageError("--record and --replay exclude each other")
    if list_found:
        _print_found(json_file)
        return
    feed = _feed(
        probe=probe,
        pid=pid,
        telemetry=telemetry,
        file_prefix=file_prefix,
        perf=perf,
        replay=replay,
        paced=sys.stdout.isatty() and json_file != STDOUT,
    )
    try:
        watch(feed, WatchOptions(interval, once=once, json_file=json_file, lcores=lcores, record=record))
    except StoppedError:  # no measurement to undo
        raise typer.Exit(INTERRUPTED) from None


def _feed(
    *,
    probe: Path | None,
    pid: int | None,
    telemetry: Path | None,
    file_prefix: str | None,
    perf: int | None,
    replay: Path | None,
    paced: bool,
) -> Feed:
    from nalm_agent.top.find import of_prefix, of_process, only
    from nalm_agent.top.recording import ReplayFeed

    if replay is not None:
        return ReplayFeed(replay, paced=paced)
    if perf is not None:
        return _by_perf(perf)
    if telemetry is not None:
        return _by_telemetry(telemetry)
    if probe is not None:
        return _by_probe(probe, None)

    if file_prefix is not None:
        return _by_telemetry(of_prefix(file_prefix).path)
    found = of_process(pid) if pid is not None else only()
    return _by_probe(found.path, found.pid) if found.source == "probe" else _by_telemetry(found.path)


def _by_perf(pid: int) -> Feed:

    from nalm_agent.top.keep_off import keep_off, threads_of
    from nalm_agent.top.perf_feed import PerfFeed

    feed = PerfFeed(pid)
    keep_off(threads_of(pid))
    return feed


def _by_telemetry(path: Path) -> Feed:

    from nalm_agent.top.keep_off import keep_off, threads_of
    from nalm_agent.top.telemetry_feed import TelemetryFeed

    feed = TelemetryFeed(path)
    keep_off(threads_of(feed.pid))
    return feed


def _by_probe(path: Path, pid: int | None) -> Feed:

    from nalm_agent.top.keep_off import keep_off
    from nalm_agent.top.probe_feed import ProbeFeed

    feed = ProbeFeed(path, pid)
    keep_off(feed.threads)
    return feed


def _print_found(json_file: str | None) -> None:
    from nalm_agent.top.find import running

    found = running()
    if json_file is not None:
        lines = [json.dumps(asdict(one) | {"path": str(one.path)}) + "\n" for one in found]
        write_file(json_file, "".join(lines), "--json")
    if json_file == STDOUT:
        return
    if not found:
        typer.echo("no NF with a readable probe or with DPDK telemetry runs on this host", err=True)
    for one in found:
        print(f"{one.pid}  {one}")
