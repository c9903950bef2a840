# SPDX-License-Identifier: Apache-2.0
"""A report that can be read can be judged and summarised, and the result written as JSON."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from nalm_core.explain import explain
from nalm_core.report.run_report import Arm
from nalm_core.report.serialization import dump_report, parse_report
from nalm_core.report.summary import summarise
from nalm_core.stats.sequential import decide
from nalm_core.verdict.compare import compose
from nalm_core.verdict.verdict import judge
from nalm_synthetic import Side, changed, make_report
from tiers import size_of_tier

PLAIN = dump_report(make_report(changed(nat=170.0), launches=4, turns=3))
FEATURES = dump_report(
    make_report(Side(features=["nat", "dpi", "l3fwd"], code="b"), head_as_base=changed(), launches=4, turns=3)
)
NUMBER = st.one_of(st.sampled_from([0, 1, 2, 2**63, 2**64 - 1]), st.integers(0, 2**40))


def numbers(part, path=()):
    """Paths of all counters below a part of the document."""
    items = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in items:
        if isinstance(value, int) and not isinstance(value, bool):
            if key not in ("launch", "turn", "order", "lcore"):
                yield (*path, key)
        else:
            yield from numbers(value, (*path, key))


def put(part, path, value):
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value


@settings(
    max_examples=size_of_tier(60, 20),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data(), source=st.sampled_from([PLAIN, FEATURES]))
def test_any_counters(data, source) -> None:
    document = json.loads(source)
    paths = [("rounds", *path) for path in numbers(document["rounds"])]
    paths += [("instructions", *path) for path in numbers(document["instructions"]) if path[-1] != "packets"]
    for path in data.draw(st.lists(st.sampled_from(paths), min_size=1, max_size=40)):
        put(document, path, data.draw(NUMBER))
    document["settings"]["alpha"] = data.draw(st.sampled_from([1e-300, 0.01, 0.999999]))
    document["settings"]["looks"] = data.draw(st.sampled_from([1, 3, 100]))
    report = parse_report(json.dumps(document))
    decide(report)
    summaries = [summarise(report, arm) for arm in report.arms]
    verdict = judge(report)
    results = [verdict, explain(report, verdict), *summaries, compose(summaries[0], summaries[1])]
    for result in results:
        if result is not None:
            json.dumps(result.model_dump(mode="json"), allow_nan=False)


def test_any_counters_past_the_checks(monkeypatch) -> None:
    """Most such reports are invalid; with the checks off, nothing is taken for granted."""
    monkeypatch.setattr("nalm_core.verdict.checks.checks_of", lambda *_: [])

    @settings(max_examples=size_of_tier(60, 20), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(data=st.data(), source=st.sampled_from([PLAIN, FEATURES]))
    def judged(data, source) -> None:
        document = json.loads(source)
        paths = [("rounds", *path) for path in numbers(document["rounds"])]
        for path in data.draw(st.lists(st.sampled_from(paths), min_size=1, max_size=60)):
            put(document, path, data.draw(NUMBER))
        document["checks"] = []
        json.dumps(judge(parse_report(json.dumps(document))).model_dump(mode="json"), allow_nan=False)

    judged()
    assert Arm.HEAD_AS_BASE in parse_report(FEATURES).arms
