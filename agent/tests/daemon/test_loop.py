# SPDX-License-Identifier: Apache-2.0
"""The agent's main loop with a server that restarts, refuses requests and withdraws jobs."""

from __future__ import annotations

import gzip
import hashlib
import json
import threading
from pathlib import Path

import httpx
import pytest
from nalm_agent.daemon import loop
from nalm_agent.daemon.heartbeat import Heartbeat
from nalm_agent.daemon.loop import Agent
from nalm_agent.measure.needs import GENERATORS, Needs
from nalm_agent.measure.request import Request
from nalm_agent.native.toolchain import forget_toolchain, toolchain
from nalm_agent.rates.load_experiment import LoadExperiment
from nalm_agent.runtime.errors import HostError, ServerError
from nalm_agent.server_api.jobs import LeaseLostError, ServerClient
from nalm_agent.source.git import Repository
from nalm_agent.store.home import Home, WorkDir
from nalm_core.rates.experiments.load_experiments import QueueResult
from nalm_core.report.cell import Kind
from nalm_core.report.run_report import RunStatus
from nalm_core.report.serialization import parse_report
from nalm_core.wire.jobs import Lease, LeasedExperiment
from tiny import NALM_TOML, RATES_TOML, NfRepository
from trex_server import TrexServer


class FakeServer:
    """Answers as the API does, and remembers what it was told."""

    def __init__(self) -> None:
        self.requests: list[httpx.Request] = []
        self.outages = 0
        self.progress_status = 200
        self.lease: dict[str, object] | None = None

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        if self.outages:
            self.outages -= 1
            raise httpx.ConnectError("connection refused", request=request)
        path = request.url.path.removeprefix("/api/v1")
        if request.headers["Authorization"] != "Bearer good":
            return httpx.Response(401, json={"error": {"name": "unauthorized"}})
        if path == "/agent/lease":
            return httpx.Response(200, json=self.lease) if self.lease else httpx.Response(204)
        if path.endswith("/progress"):
            return httpx.Response(self.progress_status, json={})
        return httpx.Response(201 if path == "/reports" else 200, json={"outcome": "same"})

    def reported(self, path: str) -> list[httpx.Request]:
        return [request for request in self.requests if request.url.path == f"/api/v1{path}"]


@pytest.fixture
def server() -> FakeServer:
    return FakeServer()


def client_of(server: FakeServer, said: list[str], token: str = "good") -> ServerClient:
    return ServerClient(
        "http://server/",
        token,
        said.append,
        transport=httpx.MockTransport(server),
        pause=lambda seconds: said.append(f"pause {seconds:g}"),
    )


def agent_of(server: FakeServer, home: Home) -> Agent:
    return Agent.made(client_of(server, []), home, "bench-1")


def lease_of(nf: NfRepository, head: str) -> Lease:
    return Lease(
        job_id=7,
        fence=3,
        project="tiny",
        repository=str(nf.path),
        base_sha=nf.git("rev-parse", f"{head}^1"),
        head_sha=head,
        reason="push",
        lease_seconds=60,
    )


def test_no_work(server: FakeServer) -> None:
    assert client_of(server, []).lease("host", "class", 0) is None


def test_an_outage_is_reported_once_and_waited_out(server: FakeServer) -> None:
    said: list[str] = []
    server.outages = 3
    assert client_of(server, said).lease("host", "class", 0) is None
    assert said == [
        "http://server cannot be reached (connection refused); trying again",
        "pause 0.5",
        "pause 1",
        "pause 2",
    ]


def test_a_refused_token_ends_the_agent(server: FakeServer) -> None:
    with pytest.raises(ServerError, match="refused /agent/lease: 401") as caught:
        client_of(server, [], token="bad").lease("host", "class", 0)
    assert "--token-file" in (caught.value.hint or "")


def test_progress_survives_an_outage_but_not_a_lost_lease(server: FakeServer) -> None:
    lease = Lease(
        job_id=1, fence=1, project="p", repository="r", base_sha="a", head_sha="b", reason="", lease_seconds=1
    )
    server.outages = 1
    client_of(server, []).progress(lease, "building", "", 0.1)
    server.progress_status = 409
    with pytest.raises(LeaseLostError):
        client_of(server, []).progress(lease, "building", "", 0.1)


def test_a_job_is_measured_uploaded_and_finished(
    server: FakeServer, nf_repository: NfRepository, home: Home
) -> None:
    head = nf_repository.commit("docs", README__md="words\n")
    loop.work_on(lease_of(nf_repository, head), agent_of(server, home))
    (upload,) = server.reported("/reports")
    report = parse_report(gzip.decompress(upload.content))
    assert report.status is RunStatus.UNCHANGED
    assert upload.url.params["job_id"] == "7"
    assert upload.url.params["fence"] == "3"
    (finish,) = server.reported("/agent/jobs/7/finish")
    assert json.loads(finish.content) == {"fence": 3, "outcome": "done", "message": None}
    assert server.reported("/agent/jobs/7/progress")


@pytest.mark.parametrize(
    ("limit", "budgets"), [(None, [1200.0, 1200.0]), ("1000", [1000.0, 1200.0])], ids=str
)
def test_a_job_with_more_time_has_it_up_to_the_hosts_limit(
    nf_repository: NfRepository,
    work: WorkDir,
    monkeypatch: pytest.MonkeyPatch,
    limit: str | None,
    budgets: list[float],
) -> None:
    """The limit is one of cycles; rates and soaks are as many times as long as by nalm.toml."""
    if limit is not None:
        monkeypatch.setenv("NALM_BUDGET_SECONDS", limit)
    head = nf_repository.commit("docs", README__md="words\n")
    more = {"budget_seconds": 1200.0, "scenarios": ["tiny", "tiny:rate"]}
    lease = lease_of(nf_repository, head).model_copy(update=more)
    pieces = loop.pieces(lease, Repository(nf_repository.path, work.fresh("git")))
    assert [one.request.budget_seconds for one in pieces] == budgets


def test_a_projects_configuration_takes_the_place_of_the_commits_own(
    server: FakeServer, nf_repository: NfRepository, home: Home
) -> None:
    nf_repository.commit("none yet", README__md="no nalm.toml\n")
    nf_repository.git("rm", "-q", "nalm.toml")
    nf_repository.git("commit", "-q", "-m", "never had one")
    head = nf_repository.commit("docs", README__md="words\n")
    text = NALM_TOML.replace("scenarios.tiny", "scenarios.given")
    lease = lease_of(nf_repository, head).model_copy(update={"configuration": text})
    loop.work_on(lease, agent_of(server, home))
    (upload,) = server.reported("/reports")
    report = parse_report(gzip.decompress(upload.content))
    assert (report.status, report.scenario.name) == (RunStatus.UNCHANGED, "given")
    assert report.configuration is not None
    assert report.configuration.name == "configuration of tiny"
    assert report.configuration.sha256 == hashlib.sha256(text.encode()).hexdigest()


def test_a_cells_report_has_the_servers_limit(nf_repository: NfRepository, work: WorkDir) -> None:
    text = f'{NALM_TOML}[ablation.beta]\npairs = [{{ off = "tiny", on = "tiny" }}]\n'
    head = nf_repository.commit("a table", nalm__toml=text)
    requested = LeasedExperiment(id=4, kind=Kind.ABLATION, names=[], seed=1)
    more = {"experiment": requested, "report_bytes": 1 << 20}
    lease = lease_of(nf_repository, head).model_copy(update=more)
    (piece,) = loop.pieces(lease, Repository(nf_repository.path, work.fresh("git")))
    assert piece.request.report_bytes == 1 << 20


def test_the_cells_of_an_experiment_are_uploaded_but_those_that_are_in_or_cannot_be_here(
    server: FakeServer, nf_repository: NfRepository, home: Home
) -> None:
    pairs = ", ".join(f'{{ off = "{off}", on = "tiny" }}' for off in ("alone", "wide", "tiny"))
    scenario = 'features = ["alpha"]\ntraffic = "traffic/capture.bin"\npackets = 20000\n'
    tables = f"[scenarios.alone]\n{scenario}[scenarios.wide]\nlcores = 16\n{scenario}"
    text = f"{NALM_TOML}{tables}[ablation.beta]\npairs = [{pairs}]\n"
    head = nf_repository.commit("tables", nalm__toml=text)
    requested = LeasedExperiment(id=4, kind=Kind.ABLATION, names=[], seed=1)
    reported = {"experiment": requested, "measured": ["beta:tiny"]}
    loop.work_on(lease_of(nf_repository, head).model_copy(update=reported), agent_of(server, home))
    (upload,) = server.reported("/reports")
    report = parse_report(gzip.decompress(upload.content))
    assert report.experiment is not None and report.scenario.name == "beta:alone"
    assert sorted(report.experiment.cells) == ["beta:alone", "beta:tiny", "beta:wide"]
    assert {arm.build.commit for arm in report.arms.values()} == {head}
    (finish,) = server.reported("/agent/jobs/7/finish")
    (left,) = json.loads(finish.content)["not_here"]
    assert (left["scenario"], left["needs"]["lcores"]) == ("beta:wide", 16)


CORES = """
[experiments.cores.tiny]
lcores = { 1 = "alone", 2 = "wide", 4 = "wide" }
"""


def test_core_counts_that_no_table_names_or_the_host_lacks_are_reported(
    server: FakeServer, nf_repository: NfRepository, home: Home
) -> None:
    scenario = 'features = ["alpha"]\ntraffic = "traffic/capture.bin"\n'
    tables = f"[scenarios.alone]\nlcores = 2\n{scenario}[scenarios.wide]\nlcores = 64\n{scenario}"
    requested = LeasedExperiment(id=4, kind=Kind.CORES, names=[], seed=1)
    for text in (NALM_TOML, NALM_TOML + tables + CORES):
        head = nf_repository.commit("tables", nalm__toml=text, README__md=text)
        lease = lease_of(nf_repository, head).model_copy(update={"experiment": requested})
        loop.work_on(lease, agent_of(server, home))
    assert server.reported("/reports") == []
    none, wide = (json.loads(one.content) for one in server.reported("/agent/jobs/7/finish"))
    assert none["outcome"] == "failed"
    assert "no [experiments.cores]: there is nothing to measure" in none["message"]
    (left,) = wide["not_here"]
    assert (wide["outcome"], left["scenario"], left["needs"]["lcores"]) == ("done", "tiny", 64)
    assert left["needs"]["loads"]


def test_what_a_queue_came_to_ends_the_job(
    server: FakeServer, nf_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    result = QueueResult(tables={}, unusable={"tiny": "seen"})
    monkeypatch.setattr(LoadExperiment, "needs", lambda _: {"tiny": Needs(loads=True)})
    monkeypatch.setattr(LoadExperiment, "measure", lambda *_: result)
    head = nf_repository.commit("docs", README__md="words\n")
    requested = LeasedExperiment(id=4, kind=Kind.QUEUE, names=["tiny"], seed=1)
    lease = lease_of(nf_repository, head).model_copy(update={"experiment": requested})
    loop.work_on(lease, agent_of(server, home))
    (finish,) = server.reported("/agent/jobs/7/finish")
    assert json.loads(finish.content)["under_load"] == result.model_dump(mode="json")


def test_a_job_of_rates_is_measured_and_uploaded(
    server: FakeServer, traffic_repository: NfRepository, home: Home
) -> None:
    program = (traffic_repository.path / "traffic_nf.c").read_text()
    few = "[rates]\nlaunches = 2\ntrials = 2\ntrial_s = 0.05\nleave_out_s = 0.0\npps = 20000\n"
    head = traffic_repository.commit(
        "slower",
        nalm__toml=RATES_TOML.replace("[rates]\n", few),
        traffic_nf__c=program.replace("number % 100 == 99 ? 2000", "number % 50 == 49 ? 2000"),
    )
    lease = lease_of(traffic_repository, head).model_copy(update={"scenarios": ["*:rate"]})
    loop.work_on(lease, agent_of(server, home))
    (upload,) = server.reported("/reports")
    report = parse_report(gzip.decompress(upload.content))
    assert (report.scenario.name, report.status) == ("made:rate", RunStatus.MEASURED)
    assert report.rates is not None and {one.trial.launch for one in report.rates.trials} == {0, 1}
    (finish,) = server.reported("/agent/jobs/7/finish")
    assert json.loads(finish.content)["outcome"] == "done"


def test_a_control_is_measured_although_the_code_is_equal(
    server: FakeServer, nf_repository: NfRepository, home: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Both arms are one commit; the server's answer says that it is to be measured all the same."""
    requested: list[Request] = []

    def measure(request: Request, *_: object) -> None:
        requested.append(request)
        raise HostError("seen")

    monkeypatch.setattr(loop, "measure", measure)
    head = nf_repository.commit("docs", README__md="words\n")
    server.lease = lease_of(nf_repository, head).model_dump() | {"base_sha": head, "control": True}
    lease = client_of(server, []).lease("host", "class", 0)
    assert lease is not None
    loop.work_on(lease, agent_of(server, home))
    (request,) = requested
    assert request.force
    assert request.base.commit == request.head.commit == head


def test_every_job_looks_at_the_compilers_again(
    server: FakeServer, nf_repository: NfRepository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent runs for months, and packages are upgraded under it."""
    seen: list[str] = []

    def measure(*_: object) -> None:
        seen.append(toolchain().compiler)
        raise HostError("seen")

    compiler = tmp_path / "cc"
    monkeypatch.setattr(loop, "measure", measure)
    monkeypatch.setenv("CC", str(compiler))
    head = nf_repository.commit("docs", README__md="words\n")
    agent = agent_of(server, Home(tmp_path / "home"))
    for version in ("1.0", "1.0.1"):
        compiler.write_text(f"#!/bin/sh\necho cc {version}\n")
        compiler.chmod(0o755)
        loop.work_on(lease_of(nf_repository, head), agent)
    assert seen == ["cc 1.0", "cc 1.0.1"]
    forget_toolchain()


def test_a_second_job_fetches_what_is_new(
    server: FakeServer, nf_repository: NfRepository, tmp_path: Path
) -> None:
    home = Home(tmp_path / "home")
    for text in ("one\n", "two\n"):
        head = nf_repository.commit("docs", README__md=text)
        loop.work_on(lease_of(nf_repository, head), agent_of(server, home))
    assert [json.loads(one.content)["outcome"] for one in server.reported("/agent/jobs/7/finish")] == [
        "done"
    ] * 2


def test_a_mistake_in_nalm_toml_fails_the_job(
    server: FakeServer, nf_repository: NfRepository, home: Home
) -> None:
    head = nf_repository.commit("bad", nalm__toml="version = 2\n")
    loop.work_on(lease_of(nf_repository, head), agent_of(server, home))
    (finish,) = server.reported("/agent/jobs/7/finish")
    reported = json.loads(finish.content)
    assert reported["outcome"] == "failed"
    assert "nalm.toml:1: version" in reported["message"]
    assert not server.reported("/reports")


def test_a_repository_out_of_reach_fails_the_job(
    server: FakeServer, nf_repository: NfRepository, tmp_path: Path
) -> None:
    head = nf_repository.commit("docs", README__md="words\n")
    lease = lease_of(nf_repository, head).model_copy(update={"repository": str(tmp_path / "gone.git")})
    loop.work_on(lease, agent_of(server, Home(tmp_path / "home")))
    (finish,) = server.reported("/agent/jobs/7/finish")
    assert "read access" in json.loads(finish.content)["message"]


def test_a_generator_that_others_use_fails_no_commit(
    server: FakeServer, traffic_repository: NfRepository, home: Home
) -> None:
    with TrexServer() as trex:
        trex.ports[0].owner = "alice"
        address = f'kind = "trex"\nhost = "127.0.0.1"\nport = {trex.port}\n'
        lab = f"[generator.lab]\n{address}ports = [0]\nwait_seconds = 0\n"
        text = RATES_TOML.replace("[rates]\n", '[rates]\ngenerator = "lab"\nmodes = ["mrr"]\n') + lab
        traffic_repository.commit("slower", nalm__toml=text)
        program = (traffic_repository.path / "traffic_nf.c").read_text()
        head = traffic_repository.commit("change", traffic_nf__c=program.replace("? 2000", "? 2001"))
        lease = lease_of(traffic_repository, head).model_copy(update={"scenarios": ["*:rate"]})
        loop.work_on(lease, agent_of(server, home))
    (finish,) = server.reported("/agent/jobs/7/finish")
    reported = json.loads(finish.content)
    assert (reported["outcome"], reported["kind"]) == ("failed", "generator_busy")
    assert "alice" in reported["message"]


@pytest.mark.parametrize("reached", ["", "other"])
def test_a_host_that_does_not_reach_the_generator_leaves_its_runs_to_others(
    server: FakeServer,
    traffic_repository: NfRepository,
    home: Home,
    reached: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(GENERATORS, reached)
    lab = '[generator.lab]\nkind = "trex"\nhost = "127.0.0.1"\nports = [0]\n'
    text = RATES_TOML.replace("[rates]\n", '[rates]\ngenerator = "lab"\nmodes = ["mrr"]\n') + lab
    head = traffic_repository.commit("lab", nalm__toml=text)
    lease = lease_of(traffic_repository, head).model_copy(update={"scenarios": ["*:rate"]})
    loop.work_on(lease, agent_of(server, home))
    (finish,) = server.reported("/agent/jobs/7/finish")
    (not_here,) = json.loads(finish.content)["not_here"]
    assert (not_here["scenario"], not_here["needs"]["generators"]) == ("made:rate", ["lab"])


def test_an_agent_that_must_end_waits_for_no_server(
    nf_repository: NfRepository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server took the connection of a renewal and never answers it."""
    monkeypatch.setattr("nalm_agent.daemon.heartbeat.ENDING_SECONDS", 0.0)
    requested, never = threading.Event(), threading.Event()

    def silent(_request: httpx.Request) -> httpx.Response:
        requested.set()
        never.wait()
        return httpx.Response(200, json={})

    transport = httpx.MockTransport(silent)
    client = ServerClient("http://server/", "good", print, transport=transport)
    lease = lease_of(nf_repository, nf_repository.commit("docs", README__md="words\n"))
    with pytest.raises(KeyboardInterrupt), Heartbeat(client, lease, print):
        requested.wait()
        raise KeyboardInterrupt
    never.set()


def test_a_lost_lease_drops_the_result(
    server: FakeServer, nf_repository: NfRepository, tmp_path: Path
) -> None:
    head = nf_repository.commit("slower", work__h="#define ALPHA_WORK 90\n")
    server.progress_status = 409
    loop.work_on(lease_of(nf_repository, head), agent_of(server, Home(tmp_path / "home")))
    assert not server.reported("/reports")
    assert not server.reported("/agent/jobs/7/finish")
