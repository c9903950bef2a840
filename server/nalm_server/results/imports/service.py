# SPDX-License-Identifier: Apache-2.0
"""Imports other tools' results into series of their own, each file once, without verdicts."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable

from nalm_core.imports import csit, google_benchmark, ovs_pmd, plain_csv, vpp_runtime
from nalm_core.imports.figures import Given, ImportedRun, ImportFailedError, moment, name_of, parse_mapping
from nalm_core.text.commit_name import short
from sqlalchemy.orm import Session

from nalm_server.auth.access import project_repository as projects
from nalm_server.auth.access.roles import Role
from nalm_server.auth.access.service import require_project
from nalm_server.auth.audit import service as audit
from nalm_server.auth.tokens.principal import Principal
from nalm_server.base.body_limits import require_values
from nalm_server.base.errors import InvalidError
from nalm_server.db.context import Context
from nalm_server.git import ports as git
from nalm_server.git.commits import order
from nalm_server.git.commits import repository as commits
from nalm_server.git.commits.models import CommitRow
from nalm_server.jobs.agents import repository as hosts
from nalm_server.results.imports import repository
from nalm_server.results.imports.models import ImportRow
from nalm_server.results.imports.schemas import ImportTaken, Options
from nalm_server.results.models import RunRow
from nalm_server.results.series import repository as history
from nalm_server.results.series.models import SeriesValueRow

READERS: dict[str, Callable[[str, Given], list[ImportedRun]]] = {
    "google-benchmark": google_benchmark.read,
    "csit": csit.read,
    "vpp-runtime": vpp_runtime.read,
    "ovs-pmd-perf": ovs_pmd.read,
    "csv": plain_csv.read,
}
NOTE = "They get no verdict: series of source imported:{form} are only shown beside measured ones."
SHA_LENGTHS = (40, 64)
MOST_VALUES = 500_000
"""Maximum number of values in one file."""


def take(
    context: Context, caller: Principal, project: str, *, form: str, body: bytes, options: Options
) -> ImportTaken:
    """Parses outside the transaction."""
    runs = _read(form, body, options)
    digest = hashlib.sha256(f"{form} {options.model_dump_json()} ".encode() + body).hexdigest()
    now = context.clock()
    with context.sessions() as session:
        found = require_project(session, caller, project, Role.MAINTAINER)
        projects.lock(session, found.id)
        known = repository.find(session, found.id, digest)
        row = known or _store(
            session,
            caller,
            ImportRow(
                project_id=found.id,
                digest=digest,
                format=form,
                runs=len(runs),
                values=sum(len(run.values) for run in runs),
                imported_by=caller.name[:128],
                imported_at=now,
            ),
            runs,
            options.host_class,
        )
        taken = ImportTaken(runs=row.runs, values=row.values, new=known is None, note=NOTE.format(form=form))
        session.commit()
    return taken


def _read(form: str, body: bytes, options: Options) -> list[ImportedRun]:
    require_values(body, MOST_VALUES)
    try:
        given = Given(
            options.commit,
            name_of(options.scenario) if options.scenario else None,
            moment(options.time, "time") if options.time else None,
            dict(parse_mapping(one) for one in options.metrics),
        )
        runs = READERS[form](body.decode("utf-8-sig"), given)
    except UnicodeDecodeError as error:
        raise InvalidError(f"The file is not UTF-8: byte {error.start} is not valid.") from error
    except ImportFailedError as error:
        raise InvalidError(f"The file has no valid results of {form}: {error}.") from error
    for run in runs:
        counts = Counter((value.stage, value.metric) for value in run.values)
        twice = next((key for key, count in counts.items() if count > 1), None)
        if twice:
            raise InvalidError(f"{twice[1]} of stage {twice[0]} occurs twice for {short(run.commit)}.")
    return runs


def _store(
    session: Session,
    caller: Principal,
    row: ImportRow,
    runs: list[ImportedRun],
    host_class: str,
) -> ImportRow:
    repository.add(session, row)
    measured = [_store_run(session, row, index, run, host_class) for index, run in enumerate(runs)]
    git.commits_changed(session, list({commit.id: commit for commit in measured}.values()))
    audit.record(
        session,
        caller,
        "import.add",
        f"import {row.id}",
        row.imported_at,
        project_id=row.project_id,
        detail=row.format,
    )
    return row


def _store_run(
    session: Session, taken: ImportRow, index: int, run: ImportedRun, host_class: str
) -> CommitRow:
    commit = _commit(session, taken.project_id, run.commit)
    scenario = history.named_scenario(session, taken.project_id, run.scenario)
    host = hosts.named(session, run.host or "imported", host_class, taken.imported_at)
    row = RunRow(
        run_id=hashlib.sha256(f"{taken.project_id} {taken.digest} {index}".encode()).hexdigest()[:32],
        project_id=taken.project_id,
        scenario_id=scenario.id,
        host_id=host.id,
        commit_id=commit.id,
        import_id=taken.id,
        head_sha=commit.sha,
        host_class=host_class,
        status="imported",
        digest=taken.digest,
        started_at=run.time,
        finished_at=run.time,
        received_at=taken.imported_at,
    )
    source = f"imported:{taken.format}"
    keys = [(value.metric, value.stage, source) for value in run.values]
    series = history.series_ids(session, scenario.id, host_class, keys)
    values = [
        SeriesValueRow(
            series_id=series[key], value=value.value, low=value.low, high=value.high, launches=value.launches
        )
        for key, value in zip(keys, run.values, strict=True)
    ]
    repository.add_run(session, row, values)
    return commit


def _commit(session: Session, project_id: int, sha: str) -> CommitRow:
    """The commit with this prefix; an unknown commit needs its full SHA."""
    if not set(sha) <= set("0123456789abcdef") or len(sha) < 7:
        raise InvalidError(f"{sha!r} is no commit: 7 hexadecimal digits or more.")
    found = commits.find_by_prefix(session, project_id, sha)
    if len(found) == 1:
        return found[0]
    if found:
        raise InvalidError(f"More than one commit begins with {sha}: give more digits.")
    if len(sha) not in SHA_LENGTHS:
        raise InvalidError(f"No push or report has named a commit {sha}: give its full SHA.")
    return order.record(session, project_id, sha, None)
