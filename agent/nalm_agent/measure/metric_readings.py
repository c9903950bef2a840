# SPDX-License-Identifier: Apache-2.0
"""Reads metrics beside those of packets and cycles: of a build, and of the NF at the end of each launch.

A metric that cannot be read is missing in all arms, with the reason; the run goes on without it.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path

from nalm_core.report.run_report import Arm

from nalm_agent.build.build import Built
from nalm_agent.config.metrics import OUTPUT, MetricConfig
from nalm_agent.nf.find_telemetry import TelemetrySockets
from nalm_agent.nf.mapped_files import processes_of
from nalm_agent.nf.nf_process import describe_exit, nf_environment, resident_memory
from nalm_agent.nf.telemetry import Telemetry
from nalm_agent.nf.turns import NfInTurns, TurnCounters
from nalm_agent.runtime.errors import NalmError
from nalm_agent.runtime.process import run, tail
from nalm_agent.store.home import WorkDir

COMMAND_SECONDS = 10.0
MOST_SHOWN = 200
"""Characters of an answer that a reason shows."""
MOST_BYTES = 4 << 20
"""Size of a JSON document that is read."""
PROC = Path("/proc")
NO_BUFFERS = "its probe does not count packet buffers"


class UnreadError(NalmError):
    """A metric has no number."""


class LaunchMetrics:
    """Values of every launch so far, by metric and arm."""

    def __init__(self, defined: Mapping[str, MetricConfig], places: Mapping[Arm, Mapping[str, str]]) -> None:
        """places: paths for {source} and {build} of each arm."""
        self._defined = {name: one for name, one in defined.items() if one.every == "launch"}
        self._places = places
        self.values: dict[str, dict[Arm, list[float]]] = {}
        self.missing: dict[str, dict[Arm, str]] = {}

    def read(self, arm: Arm, nf: NfInTurns, last: TurnCounters | None) -> None:
        """Reads all metrics of an arm's process after its last turn."""
        with nf.answering():
            self._add("resident_bytes", arm, partial(_resident_bytes, nf))
            self._add("buffers_in_use", arm, partial(_buffers_in_use, last))
            for name, metric in self._defined.items():
                self._add(name, arm, partial(self._read, metric, arm, nf))

    def _add(self, name: str, arm: Arm, read: Callable[[], float]) -> None:
        if arm in self.missing.get(name, {}):
            return
        try:
            value = read()
        except NalmError as error:
            self.missing.setdefault(name, {})[arm] = error.message
            self.values.get(name, {}).pop(arm, None)
        else:
            self.values.setdefault(name, {}).setdefault(arm, []).append(value)

    def _read(self, metric: MetricConfig, arm: Arm, nf: NfInTurns) -> float:
        if metric.telemetry is not None:
            return _number_in(_answer(nf, metric.telemetry), metric.key, f"telemetry {metric.telemetry}")
        if metric.file is not None:
            return _number_in(_document(nf, metric.file, metric.key), metric.key, metric.file)
        places = {**self._places[arm], "{pid}": str(nf.pid)}
        command = nf.in_run_dir(_filled(metric.command or [], places))
        return _printed(command, metric, nf.directory, nf.environment)


def of_build(metric: MetricConfig, built: Built, work: WorkDir) -> float:
    """The value of a build. Raises UnreadError."""
    places = {"{source}": str(built.source), "{build}": str(built.directory)}
    directory = work.fresh("metric")
    return _printed(_filled(metric.command or [], places), metric, directory, nf_environment(directory))


def _filled(command: Sequence[str], places: Mapping[str, str]) -> list[str]:
    filled = list(command)
    for name, place in places.items():
        filled = [argument.replace(name, place) for argument in filled]
    return filled


def _printed(
    command: Sequence[str], metric: MetricConfig, directory: Path, environment: Mapping[str, str]
) -> float:
    """The number in the last line that a command prints, or under a key of the JSON document there."""
    said = " ".join(metric.command or [])
    log = directory / "metric.log"
    log.unlink(missing_ok=True)
    try:
        code = run(command, cwd=directory, env=environment, log=log, limit_seconds=COMMAND_SECONDS)
    except subprocess.TimeoutExpired as error:
        raise UnreadError(f"{said} did not end within {COMMAND_SECONDS:g} s") from error
    except OSError as error:
        raise UnreadError(f"{said} could not be started: {error}") from error
    printed = tail(log).strip()
    if code != 0:
        raise UnreadError(f"{said} ended with {describe_exit(code)}; it printed {_shortened(printed)}")
    last = printed.splitlines()[-1] if printed else ""
    if metric.key is not None:
        return _number_in(_parsed(last, said), metric.key, said)
    try:
        return _checked(float(last), said)
    except ValueError:
        raise UnreadError(
            f"{said} printed {_shortened(printed)}, expected a number in its last line"
        ) from None


def _parsed(text: str, where: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise UnreadError(f"{where} printed {_shortened(text)}, expected JSON in one line") from None


def _answer(nf: NfInTurns, command: str) -> object:
    """What the NF's telemetry answers. Raises UnreadError."""
    with _telemetry(nf) as telemetry:
        answer = None if telemetry is None else telemetry.ask(command)
    if telemetry is None:
        raise UnreadError(
            f"telemetry {command}: the NF has no telemetry socket: its command names {{eal}}, and DPDK has "
            "telemetry compiled in"
        )
    if answer is None:
        raise UnreadError(f"telemetry {command}: the NF does not know this command")
    return answer


@contextlib.contextmanager
def _telemetry(nf: NfInTurns) -> Iterator[Telemetry | None]:
    """A connection to the telemetry of the NF; None if none of its processes has one."""
    sockets = TelemetrySockets(PROC)
    path = next((path for pid in sorted(processes_of(nf.pid)) if (path := sockets.of_process(pid))), None)
    if path is None:
        yield None
        return
    connection = Telemetry(path)
    try:
        yield connection
    finally:
        connection.close()


def _document(nf: NfInTurns, name: str, key: str | None) -> object:
    """The JSON document in a file of the NF, or the last line it printed that has the key."""
    if name == OUTPUT:
        return _last_line_with(tail(nf.log, lines=1000), key or "")
    path = Path(*nf.in_run_dir([name]))
    try:
        # a pipe without a writer does not stop the agent
        with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC), "rb") as file:
            text = file.read(MOST_BYTES + 1)
    except OSError as error:
        raise UnreadError(f"{name} cannot be read: {error.strerror}") from error
    if len(text) > MOST_BYTES:
        raise UnreadError(f"{name} has more than {MOST_BYTES >> 20} MiB")
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        found = _shortened(text.decode(errors="replace"))
        raise UnreadError(f"{name} is not JSON: {found}") from None


def _last_line_with(output: str, key: str) -> object:
    for line in reversed(output.splitlines()):
        with contextlib.suppress(ValueError, RecursionError, KeyError):
            document = json.loads(line) if line.lstrip().startswith("{") else None
            _at(document, key)
            return document
    raise UnreadError(f"the NF printed no line with a JSON object that has {key}")


def _number_in(document: object, key: str | None, where: str) -> float:
    try:
        found = _at(document, key or "")
    except KeyError as error:
        raise UnreadError(f"{where} has no key {key}: {error.args[0]}") from None
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise UnreadError(f"{where}: {key} is {_shortened(json.dumps(found))}, expected a number")
    return _checked(float(found), f"{where}: {key}")


def _at(document: object, key: str) -> object:
    """The value under a path. A key that contains a dot is found, too. Raises KeyError with what is there."""
    if isinstance(document, dict):
        if key in document:
            return document[key]
        parts = key.split(".")
        for length in range(len(parts) - 1, 0, -1):
            if (first := ".".join(parts[:length])) in document:
                return _at(document[first], ".".join(parts[length:]))
        raise KeyError(f"there are {_shortened(', '.join(map(str, document)) or 'no keys')}")
    if isinstance(document, list):
        first, _, rest = key.partition(".")
        if first.isascii() and first.isdigit() and int(first) < len(document):
            return _at(document[int(first)], rest) if rest else document[int(first)]
        raise KeyError(f"{len(document)} places, from 0")
    raise KeyError("it is no object")


def _checked(value: float, where: str) -> float:
    if not math.isfinite(value) or value < 0:
        raise UnreadError(f"{where} is {value:g}, expected a finite number of 0 or more")
    return value


def _resident_bytes(nf: NfInTurns) -> float:
    found = [memory for pid in processes_of(nf.pid) if (memory := resident_memory(pid)) is not None]
    if not found:
        raise UnreadError("the kernel does not show the process's memory (smaps_rollup)")
    return float(sum(small + huge for small, huge in found))


def _buffers_in_use(last: TurnCounters | None) -> float:
    if last is None or last.buffers_in_use is None:
        raise UnreadError(NO_BUFFERS)
    return float(last.buffers_in_use)


def _shortened(text: str) -> str:
    if not text:
        return "nothing"
    return repr(text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…")
