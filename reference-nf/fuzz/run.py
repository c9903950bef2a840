# SPDX-License-Identifier: BSD-3-Clause
"""Fuzzes the NF: runs every program of this folder, two at once, for the given total time.

    python3 reference-nf/fuzz/run.py BUILD [--seconds 60] [--keep] [PROGRAM...]

BUILD is a meson build with -Dfuzz=true (`make nf-fuzz`). Findings are written to BUILD/findings, logs to
BUILD/logs. In less than a minute each model of execution is fuzzed in one chain, not in all. Every run starts
from the same seed and inputs: the shipped captures and configurations, and fuzz/regressions. With --keep it
also starts from the inputs that earlier runs with --keep found. Exit code 1: there are findings.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
NF_FOLDER = HERE.parent
sys.path.insert(0, str(HERE))

from seeds import make_seeds  # noqa: E402

SEED = 1
AT_ONCE = 2
TIMEOUT_S = 10  # of a single input
START_S = 60  # at most until a program begins to fuzz
SHORT_S = 60  # in less, starting all pairs of a chain and a model would take most of the time
MEMORY_MB = 3000
SHOWN_LINES = 40
CHAIN_SHARE = 0.4  # share of the time; its runs divide it
SHARES = {
    "packet": 0.08,
    "capture": 0.12,
    "config": 0.19,
    "openflow": 0.15,
    "gtpu": 0.02,
    "pfcp": 0.03,
    "fields": 0.01,
}

# Small tables and few ports, so that they run out; by configuration.
SMALL = "chain.batch=8 flow_cache.entries=8 model.sessions=8"
SMALL_STAGES = {
    "upf": f"pdr.sessions_generated=off pdr.sessions={NF_FOLDER / 'conf' / 'upf_sessions.txt'}",
    "sfc_a": "nat.entries=6 nat.port_max=1027 nat.pool=203.0.113.0/31 dpi.shape_mbit=10"
    f" dpi.services={NF_FOLDER / 'conf' / 'dpi_services.txt'}",
    "mix": "l2fwd.stations_generated=8 l2fwd.unknown=flood l3fwd.routes6_generated=8",
    "pbb": "chain.stages=pbb,l3fwd traffic.flows=3 l2fwd.stations_generated=1 pbb.customers_generated=8"
    f" l3fwd.routes={NF_FOLDER / 'conf' / 'routes.txt'}",
    "sfc_b": "lb.entries=6 lb.maglev_size=1009 acl.default=permit",
}
MODELS = {
    "rtc": "",
    "flow_cache": "chain.flow_cache=on",
    "offload": "chain.flow_cache=on io.offload=checksum,mark io.marks=5",
    "pipeline": "model.model=pipeline chain.hash=chained",
    "lockfree": "model.workers=2 chain.hash=rte_hash",
    "locked": "model.workers=2 model.state=locked chain.prefetch=off"
    " io.fragments=reassemble io.fragment_datagrams=3",
    "rss": "model.workers=2 model.state=locked io.offload=rss,checksum",
    "separated": "model.workers=2 model.state=separated model.databases=2",
}
CHAINS = ("sfc_a", "sfc_b", "mix", "upf", "pbb")
UPF_MODELS = MODELS | {"offload": "io.offload=checksum,decap"}
del UPF_MODELS["flow_cache"]  # tunnels hide the flows


@dataclass(frozen=True, slots=True)
class Run:
    """A program, its settings, and its share of the time."""

    program: str
    name: str
    share: float
    environment: dict[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """executions is None if the log does not have it."""

    ok: bool
    executions: int | None
    per_second: int | None


def chain_run(name: str, model: str) -> tuple[str, str]:
    """A name, and the configuration with its settings."""
    sets = (UPF_MODELS if name == "upf" else MODELS)[model]
    conf = NF_FOLDER / "conf" / f"{name}.conf"
    return f"chain {name} {model}", f"{conf} {SMALL} {SMALL_STAGES.get(name, '')} {sets}"


def all_runs(folder: Path, seconds: float) -> list[Run]:
    """In little time each model in one chain, by turns."""
    chains = [
        chain_run(name, model)
        for number, name in enumerate(CHAINS)
        for place, model in enumerate(MODELS)
        if (seconds >= SHORT_S or place % len(CHAINS) == number) and (name != "upf" or model in UPF_MODELS)
    ]
    options = {
        "config": (f"-dict={folder / 'config.dict'}", "-max_len=16384"),
        "openflow": (f"-dict={folder / 'openflow.dict'}", "-max_len=8000"),
        "packet": ("-max_len=1600",),
        "fields": ("-max_len=600",),
    }
    return [Run(name, name, share, {}, options.get(name, ())) for name, share in SHARES.items()] + [
        Run("chain", name, CHAIN_SHARE / len(chains), {"FUZZ_NF": nf}, ("-max_len=6000",))
        for name, nf in chains
    ]


def command(run: Run, build: Path, corpora: list[Path], seconds: float) -> list[str]:
    return [
        str(build / "fuzz" / f"fuzz_{run.program}"),
        f"-max_total_time={max(1, round(seconds))}",
        f"-seed={SEED}",
        f"-timeout={TIMEOUT_S}",
        f"-rss_limit_mb={MEMORY_MB}",
        f"-artifact_prefix={build / 'findings'}/{run.program}-",
        "-print_final_stats=1",
        *run.options,
        *(str(corpus) for corpus in corpora),
    ]


def read_outcome(log: str, code: int) -> Outcome:
    def stat(name: str) -> int | None:
        found = re.search(rf"stat::{name}: *(\d+)", log)
        return int(found[1]) if found else None

    return Outcome(code == 0, stat("number_of_executed_units"), stat("average_exec_per_sec"))


def fuzz(run: Run, build: Path, scratch: Path, keep: bool, seconds: float) -> bool:
    """Runs it and prints the result; false: there is a finding."""
    grown = (build if keep else scratch) / "corpus" / run.name.replace(" ", "_")
    grown.mkdir(parents=True, exist_ok=True)
    corpora = [grown, scratch / run.program]
    if (HERE / "regressions" / run.program).is_dir():
        corpora.append(HERE / "regressions" / run.program)
    log = build / "logs" / f"{run.name.replace(' ', '_')}.log"
    arguments = command(run, build, corpora, seconds)
    environment = {**os.environ, **run.environment, "TMPDIR": str(scratch)}
    with log.open("wb") as out:
        try:
            code = subprocess.run(
                arguments,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                timeout=seconds + START_S,
                check=False,
            ).returncode
        except subprocess.TimeoutExpired:
            code = -1
            out.write(f"not done {START_S} s after its time\n".encode())
    text = log.read_text(errors="replace")
    outcome = read_outcome(text, code)
    said = f"{run.name:28}{outcome.executions or 0:>12,} inputs {outcome.per_second or 0:>9,} a second\n"
    sys.stdout.write(said if outcome.ok else said + explain(run, arguments[0], text))
    sys.stdout.flush()
    return outcome.ok


def explain(run: Run, program: str, log: str) -> str:
    written = re.findall(r"Test unit written to (\S+)", log)
    before = "".join(f"{name}='{value}' " for name, value in run.environment.items())
    again = f"{before}{program} {written[-1] if written else '(no input was written)'}"
    shown = "\n".join(log.splitlines()[-SHOWN_LINES:])
    return f"{shown}\nFOUND in {run.name}. Again: {again}\n"


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("build", type=Path)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--keep", action="store_true")
    parser.add_argument(
        "programs", nargs="*", help="packet, capture, config, chain, openflow, gtpu, pfcp, fields; none: all"
    )
    given = parser.parse_intermixed_args()
    build: Path = given.build.resolve()
    scratch = build / "scratch"
    runs = all_runs(scratch, given.seconds)
    if given.programs:
        runs = [run for run in runs if run.program in given.programs]
    if not runs:
        parser.error(f"none of the programs is called {', '.join(given.programs)}")
    for run in runs:
        if not (build / "fuzz" / f"fuzz_{run.program}").exists():
            parser.error(f"{build} holds no fuzz_{run.program}: make nf-fuzz")
    shutil.rmtree(scratch, ignore_errors=True)
    for folder in ("findings", "logs", "scratch"):
        (build / folder).mkdir(exist_ok=True)
    make_seeds(scratch)
    at_once = min(AT_ONCE, len(runs), len(os.sched_getaffinity(0)))
    unit = given.seconds * at_once / sum(run.share for run in runs)
    with ThreadPoolExecutor(at_once) as pool:
        results = list(
            pool.map(
                lambda run: fuzz(run, build, scratch, given.keep, min(given.seconds, run.share * unit)), runs
            )
        )
    print(f"{results.count(True)} of {len(results)} runs found nothing")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
