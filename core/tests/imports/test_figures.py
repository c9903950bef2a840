# SPDX-License-Identifier: Apache-2.0
"""Factors, names and counts of other tools: what is no number is a mistake, never a crash."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from nalm_core.imports import ovs_pmd, plain_csv, vpp_runtime
from nalm_core.imports.figures import Given, ImportFailedError, name_of, parse_mapping

NINES = "9" * 5000
TIME = datetime(2026, 11, 21, tzinfo=UTC)


def given(*mapped: str) -> Given:
    return Given("a" * 40, "sfc_a", TIME, dict(parse_mapping(one) for one in mapped))


@pytest.mark.parametrize("factor", ["0", "-1", "1e-400"])
def test_a_factor_is_above_0(factor: str) -> None:
    with pytest.raises(ImportFailedError, match="a factor should be above 0"):
        parse_mapping(f"x=cpp*{factor}")
    assert parse_mapping("x=cpp*0.5")[1].factor == 0.5


@pytest.mark.parametrize(("column", "cells"), [(2, "1e300,"), (3, "1,1e300")])
def test_a_product_beyond_floating_point_is_a_mistake(column: int, cells: str) -> None:
    with pytest.raises(ImportFailedError, match=f"line 2, column {column}: .* times its factor is too large"):
        plain_csv.read(f"metric,value,launches\nx,{cells}\n", given("x=cpp*1e300"))


@pytest.mark.parametrize("column", [0, 1, 2])
def test_vpps_counts_of_too_many_digits_are_a_mistake(column: int) -> None:
    counts = ["1", "1", "1"]
    counts[column] = NINES
    thread = f"Thread {counts[2]} vpp_main (lcore 1)\n" if column == 2 else ""
    table = (
        f" Name State Calls Vectors Suspends Clocks Vectors/Call\n n active {' '.join(counts[:2])} 0 1e1 1\n"
    )
    with pytest.raises(ImportFailedError, match="should be a whole number of up to 20 digits"):
        vpp_runtime.vpp_threads(f"{thread.replace('lcore 1', f'lcore {counts[2]}')}Time 1.0, 10 sec\n{table}")


def test_a_core_of_too_many_digits_is_a_mistake() -> None:
    with pytest.raises(ImportFailedError, match="line 1, column 30: core_id should be a whole number"):
        ovs_pmd.pmd_threads(f"pmd thread numa_id 0 core_id {NINES}:\n")


def test_names_that_are_cut_differ_by_their_ends() -> None:
    long = "lookup/" + "x" * 80
    first, second = name_of(f"{long}/64"), name_of(f"{long}/128")
    assert first != second and len(first) == len(second) == 64 and first[:50] == second[:50]
    assert name_of(f"{long}/64") == first
    assert name_of("y" * 64) == "y" * 64
