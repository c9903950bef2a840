# SPDX-License-Identifier: Apache-2.0
"""Metrics beside those of packets and cycles in a run report: shipped ones, and those of nalm.toml.

Both arms are measured as head's nalm.toml says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from nalm_core.report.catalogue import METRICS, SHIPPED
from nalm_core.report.own_metrics import OwnMetric
from nalm_core.report.run_report import Arm

from nalm_agent.artifacts.limited_reading import LimitedReading
from nalm_agent.build.build import Built
from nalm_agent.config.metrics import MetricConfig
from nalm_agent.config.nalm_toml import Config
from nalm_agent.config.thresholds import Effective
from nalm_agent.measure.arms import Ready
from nalm_agent.measure.hot_code import Sizes, hot_code, size_of
from nalm_agent.measure.metric_readings import LaunchMetrics, UnreadError, of_build
from nalm_agent.measure.report_builder import ReportBuilder
from nalm_agent.store.home import WorkDir

FROM_STORE = "the build came from the store"
NO_SIZE = "an artifact is not a valid ELF file"
NOT_REACHED = "no launch reached its end"
BUILT_ARMS = (Arm.BASE, Arm.HEAD)
"""The third arm runs head's build."""


def readings_of(builder: ReportBuilder, config: Config, arms: Mapping[Arm, Ready]) -> LaunchMetrics | None:
    """Reads metrics of the launches; None for a cell of an experiment, which has none."""
    if builder.subject.experiment is not None:
        return None
    places = {
        arm: {"{source}": str(one.built.source), "{build}": str(one.built.directory)}
        for arm, one in arms.items()
    }
    return LaunchMetrics(config.metrics, places)


def own_metrics(
    config: Config,
    arms: Mapping[Arm, Ready],
    readings: LaunchMetrics,
    work: WorkDir,
    builder: ReportBuilder,
    *,
    reading: LimitedReading,
) -> list[OwnMetric]:
    """All metrics of a run, those of nalm.toml first. builder: of its report, with counts of instructions.
    reading: of files of the builds."""
    margin_of = {one.metric: one for one in builder.margins if one.stage is None}
    builds = {arm: arms[arm].built for arm in BUILT_ARMS}
    found = [
        _of_builds(_defined(name, metric, margin_of[name]), builds, _reader(metric, work))
        if metric.every == "build"
        else _of_launches(_defined(name, metric, margin_of[name]), arms, readings)
        for name, metric in config.metrics.items()
    ]
    sizes = hot_code(builds, builder.instructions, reading)
    return [*found, *_shipped(arms, builds, readings, margin_of, sizes)]


def _defined(name: str, metric: MetricConfig, margin: Effective) -> OwnMetric:
    return OwnMetric(
        name=name,
        unit=metric.unit,
        better=metric.better,
        every=metric.every,
        exact=metric.every == "build",
        source=metric.source,
        margin=margin.margin,
        gates=margin.judged,
    )


def _shipped(
    arms: Mapping[Arm, Ready],
    builds: Mapping[Arm, Built],
    readings: LaunchMetrics,
    margin_of: Mapping[str, Effective],
    hot_sizes: Sizes,
) -> Iterator[OwnMetric]:
    of_builds: dict[str, Callable[[Arm, Built], float]] = {
        "binary_bytes": lambda _, built: _size(built, "loaded_bytes"),
        "code_bytes": lambda _, built: _size(built, "code_bytes"),
        "hot_code_bytes": lambda arm, _: size_of(hot_sizes, arm),
        "build_seconds": lambda _, built: _build_seconds(built),
    }
    for name in SHIPPED:
        about = METRICS[name]
        in_builds = name in of_builds
        metric = OwnMetric(
            name=name,
            unit=about.unit,
            better="lower",
            every="build" if in_builds else "launch",
            exact=in_builds and name != "build_seconds",
            source=about.sources[0],
            margin=margin_of[name].margin,
            gates=margin_of[name].judged,
        )
        if in_builds:
            yield _of_builds(metric, builds, of_builds[name])
        else:
            yield _of_launches(metric, arms, readings)


def _reader(metric: MetricConfig, work: WorkDir) -> Callable[[Arm, Built], float]:
    return lambda _, built: of_build(metric, built, work=work)


def _of_builds(
    metric: OwnMetric, builds: Mapping[Arm, Built], read: Callable[[Arm, Built], float]
) -> OwnMetric:
    values, missing = dict[Arm, list[float]](), dict[Arm, str]()
    for arm, built in builds.items():
        try:
            values[arm] = [read(arm, built)]
        except UnreadError as error:
            missing[arm] = error.message
    return metric.model_copy(update={"values": values, "missing": missing})


def _of_launches(metric: OwnMetric, arms: Mapping[Arm, Ready], readings: LaunchMetrics) -> OwnMetric:
    values, missing = readings.values.get(metric.name, {}), readings.missing.get(metric.name, {})
    unread = {arm: NOT_REACHED for arm in arms if arm not in values and arm not in missing}
    return metric.model_copy(update={"values": dict(values), "missing": {**missing, **unread}})


def _size(built: Built, name: str) -> float:
    sizes = [getattr(built.contents.programs[path], name) for path in built.contents.artifacts]
    if None in sizes:
        raise UnreadError(NO_SIZE)
    return float(sum(sizes))


def _build_seconds(built: Built) -> float:
    if built.build.build_seconds is None:
        raise UnreadError(FROM_STORE)
    return built.build.build_seconds
