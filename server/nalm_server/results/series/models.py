# SPDX-License-Identifier: Apache-2.0
"""Tables: scenarios, series, series_values, function_series, function_values, history_points."""

from __future__ import annotations

from sqlalchemy import JSON, ForeignKey, Index, String, UniqueConstraint, false
from sqlalchemy.orm import Mapped, mapped_column

from nalm_server.db.engine import Base, Floats


class ScenarioRow(Base):
    """A scenario, as its newest run describes it."""

    __tablename__ = "scenarios"
    __table_args__ = (UniqueConstraint("project_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(64))
    model: Mapped[str] = mapped_column(String(16))
    lcores: Mapped[int]
    traffic: Mapped[str] = mapped_column(String(256))
    load: Mapped[str] = mapped_column(String(32))
    stages: Mapped[list[str]] = mapped_column(JSON)
    """Of rates: causes of losses."""


class ProjectMetricRow(Base):
    """A metric that the project's nalm.toml defines, as its newest run describes it."""

    __tablename__ = "project_metrics"

    project_id: Mapped[int] = mapped_column(ForeignKey("projects.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(32), primary_key=True)
    unit: Mapped[str] = mapped_column(String(24))
    better: Mapped[str] = mapped_column(String(8))
    source: Mapped[str] = mapped_column(String(16))


class SeriesRow(Base):
    """One metric of one stage of one scenario on one host class, from one source, at one load."""

    __tablename__ = "series"
    __table_args__ = (UniqueConstraint("scenario_id", "metric", "host_class", "stage", "source"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"))
    metric: Mapped[str] = mapped_column(String(32))
    host_class: Mapped[str] = mapped_column(String(128))
    stage: Mapped[str] = mapped_column(String(64))
    """`chain` for the whole."""
    source: Mapped[str] = mapped_column(String(32))
    margin: Mapped[float | None]
    """Of an own metric: the relative change that matters, as the newest run of the default branch has it."""
    gates: Mapped[bool] = mapped_column(server_default=false())
    """Of an own metric: a change of its history for the worse makes an alert, as that run has it."""


class SeriesValueRow(Base):
    """One run's value in a series, with the figures of its launches."""

    __tablename__ = "series_values"
    __table_args__ = (
        Index(None, "run_id"),
        # A history is an index-only scan; SQLite's primary key is close enough to that.
        Index(
            "ix_series_values_covering",
            "series_id",
            "run_id",
            postgresql_include=["value", "low", "high"],
            info={"only": "postgresql"},
        ).ddl_if(dialect="postgresql"),
    )

    series_id: Mapped[int] = mapped_column(ForeignKey("series.id", ondelete="CASCADE"), primary_key=True)
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    value: Mapped[float]
    low: Mapped[float | None]
    high: Mapped[float | None]
    launches: Mapped[list[float] | None] = mapped_column(Floats)
    """Value of each launch. None in rows from before revision 0006."""
    samples: Mapped[list[float] | None] = mapped_column(JSON)
    """The same, in rows from before revision 0006."""
    units: Mapped[list[float] | None] = mapped_column(Floats)
    """The independent values, over which the interval is: means of layouts of code. None: those of the
    launches, and in rows from before revision 0051."""


FUNCTION_BYTES = 500
"""Maximum length of a function's name in a series, in bytes of UTF-8: a PostgreSQL index key has 2,700
bytes."""


class FunctionSeriesRow(Base):
    """One C function under one stage of one scenario on one host class, from one source."""

    __tablename__ = "function_series"
    __table_args__ = (UniqueConstraint("scenario_id", "host_class", "stage", "function", "source"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    scenario_id: Mapped[int] = mapped_column(ForeignKey("scenarios.id", ondelete="CASCADE"))
    host_class: Mapped[str] = mapped_column(String(128))
    stage: Mapped[str] = mapped_column(String(64))
    function: Mapped[str] = mapped_column(String(FUNCTION_BYTES))
    source: Mapped[str] = mapped_column(String(32))


class FunctionValueRow(Base):
    """One run's figures of a function: exact counts, and cycles where samples carry them."""

    __tablename__ = "function_values"
    __table_args__ = (Index(None, "run_id"),)

    series_id: Mapped[int] = mapped_column(
        ForeignKey("function_series.id", ondelete="CASCADE"), primary_key=True
    )
    run_id: Mapped[int] = mapped_column(ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True)
    ipp: Mapped[float]
    """Instructions per packet of the function itself, without callees."""
    calls: Mapped[float]
    """Calls per packet."""
    cpp: Mapped[float | None]
    """Cycles per packet by samples. None: too few samples, or none."""
    error: Mapped[float | None]
    """Standard error of cpp."""


class HistoryPointRow(Base):
    """The run that a history shows at a commit, with its columns of run and verdict: see
    history_repository.refresh."""

    __tablename__ = "history_points"
    __table_args__ = (
        # On PostgreSQL a history is an index-only scan.
        Index(
            "ix_history_points_commit",
            "scenario_id",
            "host_class",
            "commit_id",
            unique=True,
            postgresql_include=[
                *("run_number", "run_id", "base_sha", "display", "cause", "stage"),
                *("ratio_cpp", "low", "high"),
            ],
        ),
    )

    run_number: Mapped[int] = mapped_column(
        ForeignKey("runs.id", ondelete="CASCADE"), primary_key=True, autoincrement=False
    )
    run_id: Mapped[str] = mapped_column(String(32))
    scenario_id: Mapped[int]
    """As commit_id without a reference of its own: the run has both."""
    host_class: Mapped[str] = mapped_column(String(128))
    commit_id: Mapped[int]
    base_sha: Mapped[str | None] = mapped_column(String(64))
    display: Mapped[str] = mapped_column(String(16))
    cause: Mapped[str | None] = mapped_column(String(16))
    stage: Mapped[str | None] = mapped_column(String(64))
    ratio_cpp: Mapped[float | None]
    low: Mapped[float | None]
    high: Mapped[float | None]
