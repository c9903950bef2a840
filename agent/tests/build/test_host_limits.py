# SPDX-License-Identifier: Apache-2.0
"""The host limits what nalm.toml can request."""

from __future__ import annotations

import pytest
from nalm_agent.build.host_limits import BUILD_MEMORY, require_granted_here
from nalm_agent.config.nalm_toml import parse
from nalm_agent.runtime.errors import ConfigError, HostError
from tiny import NALM_TOML

TABLES = {
    "build": 'artifacts = ["tiny_nf"]\n',
    "run": "[run]\n",
    "judge": "[judge]\n",
    "scenarios.tiny": "packets = 20000\n",
}


def with_key(table: str, line: str) -> str:
    """nalm.toml that says it, whatever it said of that before."""
    text = NALM_TOML.replace("ready_seconds = 5\n", "")
    assert TABLES[table] in text
    return text.replace(TABLES[table], f"{TABLES[table]}{line}\n", 1)


REQUESTED = [
    ("build", "limit_seconds", 7201, "7200 s", "NALM_BUILD_SECONDS"),
    ("build", "memory_mb", 1 << 40, "MB", "NALM_BUILD_MEMORY_MB"),
    ("run", "ready_seconds", 601, "600 s", "NALM_READY_SECONDS"),
    ("judge", "budget_seconds", 7201, "7200 s", "NALM_BUDGET_SECONDS"),
    ("scenarios.tiny", "memory_mb", 1 << 40, "MB", "NALM_NF_MEMORY_MB"),
]


@pytest.mark.parametrize("requested", REQUESTED, ids=str)
def test_more_than_this_host_gives(
    requested: tuple[str, str, int, str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table, key, value, most, setting = requested
    config = parse(with_key(table, f"{key} = {value}"))
    with pytest.raises(ConfigError) as caught:
        require_granted_here(config)
    message = caught.value.message
    assert message.startswith(f"{table}.{key} = ")
    assert most in message
    assert f"({setting})" in message
    monkeypatch.setenv(setting, str(value))
    require_granted_here(config)


def test_a_turn_is_no_way_round_the_budget() -> None:
    config = parse(NALM_TOML.partition("[judge]")[0] + "[judge]\nturn_ms = 10000000\n")
    with pytest.raises(ConfigError, match=r"judge\.turn_ms \* judge\.turns_per_launch"):
        require_granted_here(config)


@pytest.mark.parametrize("value", ["inf", "nan", "+inf", "-inf"])
@pytest.mark.parametrize(
    ("table", "key"), [("build", "limit_seconds"), ("run", "ready_seconds"), ("judge", "budget_seconds")]
)
def test_no_time_without_end(table: str, key: str, value: str) -> None:
    with pytest.raises(ConfigError, match=rf"nalm\.toml:[0-9]+: {table}\.{key}: expected a finite number"):
        parse(with_key(table, f"{key} = {value}"))


def test_what_nalm_toml_does_not_say_fits_every_host(monkeypatch: pytest.MonkeyPatch) -> None:
    for setting in ("NALM_BUILD_MEMORY_MB", "NALM_BUILD_SECONDS"):
        monkeypatch.setenv(setting, "70")
    require_granted_here(parse(NALM_TOML))


@pytest.mark.parametrize("value", ["0", "many", "-1", "1.5"])
def test_settings_are_numbers(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NALM_BUILD_MEMORY_MB", value)
    with pytest.raises(HostError, match="not a whole number above 0"):
        BUILD_MEMORY.value()
