# SPDX-License-Identifier: Apache-2.0
"""FD.io CSIT's test case results (FDio/csit, resources/model_schema/test_case.schema.yaml, 1.x).

A test is a scenario, named by its network card and itself. MRR's receive rates are pps, and its trials are
launches. NDR, PDR and the soak's critical rate are scenarios of their own with `-ndr`, `-pdr` or `-soak` at
the end of the name, because another load is another scenario. Their value is the lower bound, and both bounds
are the interval. Rates of connections are not read.
"""

from __future__ import annotations

import re
from typing import Any

from nalm_core.imports.figures import (
    CHAIN,
    MAX_NAME,
    Given,
    ImportedRun,
    ImportedValue,
    ImportFailedError,
    mean,
    moment,
    name_of,
    number,
    parse_json,
    required,
)
from nalm_core.report.history_figure import t_interval

BOUNDED = {"ndrpdr": {"ndr": "ndr", "pdr": "pdr"}, "soak": {"critical_rate": "soak"}}
LONGEST_ENDING = 5
CARD = re.compile(r"^.*?(?<![^-])\d+ge\d+p[^-]+(?=-|$)", re.IGNORECASE)
"""The beginning of a suite's name up to its network card: `2n1l-10ge2p1x710` of 2n1l-10ge2p1x710-ethip4."""


def read(text: str, given: Given) -> list[ImportedRun]:
    """Reads a document or a list of documents, without tests that failed or have no rate."""
    document = parse_json(text)
    tests = document if isinstance(document, list) else [document]
    runs = [run for index, one in enumerate(tests) for run in _runs(one, f"[{index}]", given)]
    if not runs:
        raise ImportFailedError("no test passed with a rate in packets per second")
    return runs


def _runs(test: Any, path: str, given: Given) -> list[ImportedRun]:
    if (
        not isinstance(test, dict)
        or not isinstance(test.get("result"), dict)
        or not isinstance(test.get("test_id"), str)
    ):
        raise ImportFailedError(
            f"{path}: expected a test case of CSIT's model 1.x, with `test_id` and `result`"
        )
    passed = test.get("passed", False)
    if not isinstance(passed, bool):
        raise ImportFailedError(f"{path}.passed should be true or false")
    if not passed:
        return []
    commit = given.commit or commit_of(str(test.get("dut_version", "")))
    time = given.time or moment(required(test.get("start_time"), "time"), f"{path}.start_time")
    scenario = given.scenario or _scenario(test["test_id"])
    host = _host(test.get("hosts"), f"{path}.hosts")
    return [
        ImportedRun(
            required(commit, "commit"),
            scenario + ending,
            time,
            [value],
            host,
        )
        for ending, value in _rates(test["result"], f"{path}.result")
    ]


def commit_of(version: str) -> str | None:
    """The commit at the end of VPP's version, such as 24.02-rc0~123-gabcdef012; None if there is none."""
    end = version.rpartition("-g")[2].split("~")[0]
    return end if "-g" in version and len(end) >= 7 and set(end) <= set("0123456789abcdef") else None


def _scenario(test_id: str) -> str:
    """The test's own name after the network card, which the name of its suite has. Other folders are left
    out: they are the same for all tests of a run."""
    folders, _, own = test_id.rpartition(".")
    card = CARD.match(folders.rpartition(".")[2])
    return name_of(f"{card[0]}-{own}" if card else own, MAX_NAME - LONGEST_ENDING)


def _host(hosts: Any, path: str) -> str | None:
    if hosts is None:
        return None
    if not isinstance(hosts, list) or not all(isinstance(one, str) for one in hosts):
        raise ImportFailedError(f"{path}: expected a list of names")
    return hosts[0][:128] or None if hosts else None


def _rates(result: dict[str, Any], path: str) -> list[tuple[str, ImportedValue]]:
    kind = result.get("type")
    if kind == "mrr":
        rate = _part(result, "receive_rate", "rate", path=path)
        if rate.get("unit") != "pps":
            return []
        trials = rate.get("values") or [rate.get("avg")]
        if not isinstance(trials, list):
            raise ImportFailedError(f"{path}.receive_rate.rate.values: expected a list of numbers")
        samples = [number(one, f"{path}.receive_rate.rate.values") for one in trials]
        _, low, high = t_interval(samples)
        return [("", ImportedValue(CHAIN, "pps", mean(samples), low, high, samples))]
    found = []
    for field, ending in BOUNDED.get(str(kind), {}).items():
        lower = _part(result, field, "lower", "rate", path=path)
        upper = _part(result, field, "upper", "rate", path=path)
        if lower.get("unit") == "pps":
            low = number(lower.get("value"), f"{path}.{field}.lower")
            high = number(upper.get("value"), f"{path}.{field}.upper")
            found.append((f"-{ending}", ImportedValue(CHAIN, "pps", low, low, high)))
    return found


def _part(document: dict[str, Any], *keys: str, path: str) -> dict[str, Any]:
    for key in keys:
        path = f"{path}.{key}"
        inner = document.get(key)
        if not isinstance(inner, dict):
            raise ImportFailedError(f"{path}: expected an object")
        document = inner
    return document
