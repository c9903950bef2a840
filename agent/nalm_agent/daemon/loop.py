# SPDX-License-Identifier: Apache-2.0
"""`nalm agent`: leases jobs from a server, one at a time, and measures head's scenarios."""

from __future__ import annotations

import gzip
import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from nalm_core.rates.experiments.load_experiments import LoadResult
from nalm_core.report.cell import cell_kind, load_kind
from nalm_core.report.run_report import RunReport
from nalm_core.report.serialization import dump_report
from nalm_core.report.trials.kinds import EVERY, RunKind, history_name, split_name
from nalm_core.text.amounts import amount
from nalm_core.text.commit_name import short
from nalm_core.text.plain_text import plain
from nalm_core.wire.jobs import Lease

from nalm_agent.build.host_limits import within_host
from nalm_agent.build.sandbox import ISOLATION, Policy
from nalm_agent.config.nalm_toml import Config
from nalm_agent.daemon.credential import Credential
from nalm_agent.daemon.delivery import MESSAGE_CHARACTERS, deliver, deliver_patiently
from nalm_agent.daemon.heartbeat import Heartbeat
from nalm_agent.daemon.job_notices import CeleryNotices, JobNotices, LongPolling
from nalm_agent.daemon.liveness import sign
from nalm_agent.daemon.mirrors import mirrored
from nalm_agent.daemon.spool import Label, Spool
from nalm_agent.generators.outside import GeneratorBusyError
from nalm_agent.host.fingerprint import fingerprint
from nalm_agent.host.health import HealthWatch
from nalm_agent.measure.experiment import Experiment, needs_of_cell
from nalm_agent.measure.measure import measure
from nalm_agent.measure.needs import Capabilities, Needs, capabilities, missing, needs_of, under_rates
from nalm_agent.measure.request import Request, read_config
from nalm_agent.native.toolchain import forget_toolchain
from nalm_agent.rates.load_experiment import LoadExperiment
from nalm_agent.rates.loaded_revision import Place
from nalm_agent.rates.rate_run import measure_under_load
from nalm_agent.report.progress import Progress
from nalm_agent.report.result import judged
from nalm_agent.runtime.errors import GeneratorError, GitError, HostError, NalmError
from nalm_agent.server_api.client import ServerAwayError
from nalm_agent.server_api.jobs import LeaseLostError, ServerClient
from nalm_agent.source.git import Repository
from nalm_agent.source.given_config import GivenConfig
from nalm_agent.store.home import Home, WorkDir

HEALTH_SECONDS = 60.0
FULL_SPOOL_SECONDS = 30.0
NOT_HERE = "not_here"
MEASURES_AS_ROOT = (
    "this agent is root: builds drop to another user, but measured NFs do not, so authors of commits can do "
    "anything on this host; docs/hosts.md describes how to run an agent"
)
HEAD_IS_OURS = frozenset({"push", "schedule", "backfill", "bisect", "link"})
"""Reasons of jobs whose head is on a branch that only members write to. Other heads may belong to a pull
request, whose author must not fill the compiler cache of later builds."""
BASE_IS_OURS = HEAD_IS_OURS | {"pull_request"}
"""A pull request's base is the commit of the target branch at which it began."""


def say(line: str) -> None:
    """Writes a line to the agent's log, on stderr."""
    print(f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ} {plain(line)}", file=sys.stderr, flush=True)


@dataclass
class Agent:
    """The state of an agent, from its start to its end."""

    client: ServerClient
    home: Home
    spool: Spool
    has: Capabilities
    watch: HealthWatch
    say: Callable[[str], None] = say
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _health_at: float | None = None

    @staticmethod
    def made(client: ServerClient, home: Home, name: str) -> Agent:
        return Agent(client, home, Spool.of(home, name), capabilities(), HealthWatch(home))

    def health(self) -> dict[str, object]:
        sign(self.home)
        return self.watch.look(len(self.spool))

    def health_if_due(self) -> dict[str, object]:
        """The host's health for a heartbeat, if it is due."""
        with self._lock:
            now = time.monotonic()
            if self._health_at is not None and now - self._health_at < HEALTH_SECONDS:
                return {}
            self._health_at = now
        return {"health": self.health()}


def serve(credential: Credential, home: Home, *, once: bool = False, one_job: bool = False) -> None:
    """Serves a server until interrupted; with `once`, until its queue is empty; with `one_job`, for one job.

    Raises ServerError if the server refuses this agent.
    """
    os.environ.setdefault(ISOLATION, Policy.REQUIRED)
    host_class = fingerprint(home).host_class
    client = ServerClient(credential.server, credential.token, say)
    agent = Agent.made(client, home, credential.name)
    say(f"serving {client.address} as {credential.name} ({host_class})")
    if os.geteuid() == 0:
        say(MEASURES_AS_ROOT)
    notices = job_notices_for(credential, waiting=not once)
    try:
        while True:
            deliver_patiently(agent.spool, client, say)
            lease = _next(agent, credential, host_class, 0 if once else notices.lease_wait_seconds)
            if lease is not None:
                notices.busy(True)
                work_on(lease, agent)
                if one_job:
                    return deliver_patiently(agent.spool, client, say)
            elif once:
                return None
            else:
                notices.busy(False)
                notices.wait()
    finally:
        notices.close()
        client.close()


def job_notices_for(credential: Credential, *, waiting: bool) -> JobNotices:
    """Notices by the broker of the environment or of the registration, else by long polling."""
    broker = os.environ.get("NALM_BROKER_URL") or credential.broker_url
    if broker is None or not waiting:
        return LongPolling()
    return CeleryNotices(broker, credential.pool or "default")


def _next(agent: Agent, credential: Credential, host_class: str, wait_seconds: float) -> Lease | None:
    """The next job, if there is one and the spool has space for its results."""
    if agent.spool.full():
        agent.say(
            f"the spool {agent.spool.folder} is full: no new job until the server has accepted some results"
        )
        time.sleep(FULL_SPOOL_SECONDS)
        return None
    about: dict[str, object] = {"capabilities": agent.has.__dict__, "health": agent.health()}
    if credential.pool is not None:
        about["pool"] = credential.pool
    before = agent.client.not_working
    lease = agent.client.lease(credential.name, host_class, wait_seconds, about)
    if agent.client.not_working != before:
        agent.say(agent.client.not_working or "the server gives this host work again")
    return lease


def work_on(lease: Lease, agent: Agent) -> None:
    """Measures one job and reports its end to the server. Raises only a refusal of the agent, and a signal,
    after which the job is given back."""
    agent.say(f"job {lease.job_id}: {lease.project} {short(lease.head_sha)} against {short(lease.base_sha)}")
    try:
        with (
            agent.home.work() as work,
            Heartbeat(agent.client, lease, agent.say, agent.health_if_due) as heartbeat,
        ):
            _measure_and_report(lease, agent, work, heartbeat)
    except LeaseLostError:
        agent.say(f"job {lease.job_id}: the lease was lost; its result is dropped")
    except Exception as error:
        _fail(lease, agent, error)
    except BaseException:  # a signal: this agent ends
        _give_back(lease, agent)
        raise


def _measure_and_report(lease: Lease, agent: Agent, work: WorkDir, heartbeat: Heartbeat) -> None:
    try:
        ended = measure_job(lease, agent, work, heartbeat)
    except Exception as error:
        if heartbeat.lost.is_set():
            raise LeaseLostError from error
        raise
    result: dict[str, object] = {"outcome": "done", "message": None}
    if ended.not_here:
        result[NOT_HERE] = ended.not_here
    if ended.under_load is not None:
        result["under_load"] = ended.under_load.model_dump(mode="json", by_alias=True)
    agent.spool.put(_label(lease, agent, "finish", result))
    _deliver_if_possible(agent)
    agent.say(
        f"job {lease.job_id} done: {', '.join(ended.outcomes) or 'no scenario to measure on this host'}"
    )


@dataclass
class JobEnd:
    """What a job came to."""

    outcomes: list[str] = field(default_factory=list)
    """"scenario outcome" of each that was measured."""
    not_here: list[dict[str, object]] = field(default_factory=list)
    """Scenarios that this host cannot measure, with what they need."""
    under_load: LoadResult | None = None
    """Result of an experiment under load."""


def measure_job(lease: Lease, agent: Agent, work: WorkDir, heartbeat: Heartbeat) -> JobEnd:
    """Measures and spools every requested scenario or cell that this host can measure."""
    forget_toolchain()
    repository = Repository(mirrored(lease, agent.home), work.fresh("git"), _given(lease))
    ended = JobEnd()

    def not_here(name: str, needs: Needs, lacks: list[str]) -> None:
        agent.say(f"job {lease.job_id}: {name} is not measured on this host: it needs {', '.join(lacks)}")
        ended.not_here.append({"scenario": name, "needs": needs.as_json()})

    loads = under_load(lease, repository, agent, work, heartbeat)
    if loads is not None:
        lacking = [(name, needs, missing(needs, agent.has)) for name, needs in loads.needs().items()]
        if all(lacks for _, _, lacks in lacking):
            for each in lacking:
                not_here(*each)
            return ended
        ended.under_load = loads.measure(agent.has)
        if heartbeat.lost.is_set():
            raise LeaseLostError
        ended.outcomes += [f"{name} measured" for name in ended.under_load.tables]
        return ended
    for one in pieces(lease, repository):
        if lacks := missing(one.needs, agent.has):
            not_here(one.name, one.needs, lacks)
            continue
        report = one.measure(agent.home, work, heartbeat)
        if heartbeat.lost.is_set():
            raise LeaseLostError
        heartbeat.step("uploading", one.name, 1.0)
        agent.spool.put(_label(lease, agent, "report"), gzip.compress(dump_report(report)))
        _deliver_if_possible(agent)
        ended.outcomes.append(f"{one.name} {_outcome(report)}")
    return ended


def _given(lease: Lease) -> GivenConfig | None:
    """The project's configuration on the server; None: each commit has its own nalm.toml."""
    if lease.configuration is None:
        return None
    return GivenConfig(lease.configuration, f"configuration of {lease.project}")


def under_load(
    lease: Lease, repository: Repository, agent: Agent, work: WorkDir, heartbeat: Heartbeat
) -> LoadExperiment | None:
    """The experiment of the lease, if it puts the NF under load instead of comparing cells."""
    requested = lease.experiment
    kind = None if requested is None else load_kind(requested.kind)
    if requested is None or kind is None:
        return None
    place = Place(repository, repository.resolve(lease.head_sha), agent.home, work, heartbeat)
    return LoadExperiment(kind, requested.names, lease.budget_seconds, place, requested.parameters)


def _outcome(report: RunReport) -> str:
    """The outcome of a run; a cell of an experiment has no verdict."""
    if report.experiment is not None:
        return report.status
    verdict = judged(report)
    return verdict.outcome if verdict else "same"


@dataclass(frozen=True)
class Piece:
    """The part of a job that one report covers."""

    name: str
    needs: Needs
    request: Request
    kind: RunKind = RunKind.CYCLES

    def measure(self, home: Home, work: WorkDir, progress: Progress) -> RunReport:
        """As `measure.measure`."""
        if self.kind is RunKind.CYCLES:
            return measure(self.request, home, work, progress)
        return measure_under_load(self.request, self.kind, home, work, progress)


def pieces(lease: Lease, repository: Repository) -> Iterator[Piece]:
    """The parts of the job without a result."""
    base, head = repository.resolve(lease.base_sha), repository.resolve(lease.head_sha)
    config = read_config(repository, head)
    requested = lease.experiment
    cells = None if requested is None else cell_kind(requested.kind)
    if requested is not None and cells is not None:
        experiment = Experiment(
            repository,
            head,
            cells,
            requested.names,
            requested.seed,
            lease.budget_seconds,
            lease.report_bytes,
        )
        for cell in experiment.cells():
            if cell.about.name not in lease.measured:
                yield Piece(cell.about.name, needs_of_cell(config, cell), experiment.request(cell))
        return
    for name in names_to_measure(lease, config):
        scenario, kind = split_name(name)
        of_cycles = kind is RunKind.CYCLES
        request = Request(
            repository,
            base,
            head,
            scenario,
            force=lease.control,
            budget_seconds=within_host(lease.budget_seconds) if of_cycles else lease.budget_seconds,
            margin=lease.margin,
            branch=lease.branch,
            report_bytes=lease.report_bytes,
            base_fills_cache=lease.reason in BASE_IS_OURS,
            head_fills_cache=lease.reason in HEAD_IS_OURS,
        )
        needs = needs_of(config.scenario(scenario))
        yield Piece(name, needs if of_cycles else under_rates(needs, config.rates), request, kind)


def names_to_measure(lease: Lease, config: Config) -> list[str]:
    """Names of the job's histories without a result. Head may lack a requested scenario."""
    names = list(lease.scenarios or config.standing())
    if lease.scenarios is None and lease.reason in config.rates.with_jobs:
        names.append(history_name(EVERY, RunKind.RATE))
    expanded = []
    for name in names:
        scenario, kind = split_name(name)
        chosen = config.under_load() if scenario == EVERY else [scenario]
        expanded += [history_name(one, kind) for one in chosen if one in config.scenarios]
    return [name for name in dict.fromkeys(expanded) if name not in lease.measured]


def _label(lease: Lease, agent: Agent, kind: str, content: dict[str, object] | None = None) -> Label:
    return Label.model_validate(
        {
            "kind": kind,
            "server": agent.client.address,
            "job_id": lease.job_id,
            "fence": lease.fence,
            "result": content or {},
        }
    )


def _deliver_if_possible(agent: Agent) -> None:
    try:
        deliver(agent.spool, agent.client, agent.say)
    except ServerAwayError as error:
        agent.say(f"{error}; {amount(len(agent.spool), 'result')} kept in {agent.spool.folder}")


def _fail(lease: Lease, agent: Agent, error: Exception) -> None:
    """Reports a failure by the spool, or directly if the disk failed. Raises a refusal of the agent."""
    if getattr(error, "token_refused", False):
        raise error
    text = error.full_text() if isinstance(error, NalmError) else f"{type(error).__name__}: {error}"
    agent.say(f"job {lease.job_id} failed: {text}")
    result: dict[str, object] = {"outcome": "failed", "message": text[:MESSAGE_CHARACTERS]}
    if isinstance(error, GeneratorBusyError):
        result["kind"] = "generator_busy"
    elif isinstance(error, HostError | GeneratorError | GitError) or not isinstance(error, NalmError):
        result["kind"] = "infrastructure"
    try:
        agent.spool.put(_label(lease, agent, "finish", result))
    except (HostError, OSError) as full:
        agent.say(f"job {lease.job_id}: {full}")
        _give_back(lease, agent, str(full))
    else:
        _deliver_if_possible(agent)


def _give_back(lease: Lease, agent: Agent, reason: str = "the agent was stopped") -> None:
    taken = agent.client.release(lease, reason[:500])
    agent.say(f"job {lease.job_id}: {'given back' if taken else 'could not be given back'}: {reason}")
