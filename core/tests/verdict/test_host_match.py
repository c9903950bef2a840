# SPDX-License-Identifier: Apache-2.0
from pathlib import Path

import pytest
from nalm_core.report.host_match import (
    MEASURED,
    RULES,
    comparable,
    differences,
    huge_pages_of,
    without_huge_pages,
)
from nalm_core.report.run_report import Arm, Host
from nalm_core.report.summary import summarise
from nalm_core.verdict.compare import INCOMPARABLE, NEW_SEGMENT, compose
from nalm_synthetic import changed, make_report

HOST = Host(
    name="bench-1",
    host_class="epyc-2c-2.6ghz-huge",
    cpu_model="EPYC",
    cores=2,
    tsc_hz=2_596_000_000,
    memory_bytes=8 << 30,
    kernel="6.1.0-30",
    os="Debian 12",
    virtual=True,
    huge_pages=True,
    governor="performance",
    caches={"L1d": 48 << 10, "L3": 32 << 20},
    pinned={"simd_bits": "256"},
    smt=False,
    numa_nodes=1,
    microcode="0x1000065",
    turbo=False,
    isolated_cpus=[1],
    mitigations={"spectre_v2": "Mitigation: Retpolines"},
    thp="madvise",
    cmdline_digest="0123456789abcdef",
    libraries={"libc": "glibc 2.36", "dpdk": "22.11.5"},
    latencies_ns={"L1d": 1.2},
    transfer_ns={"0-1": 60.0},
)
OTHER = {
    "name": "bench-2",
    "host_class": "epyc-2c-2.6ghz-nohuge",
    "cpu_model": "Xeon",
    "cores": 4,
    "tsc_hz": 2_100_000_000,
    "memory_bytes": 4 << 30,
    "kernel": "6.12",
    "os": "Debian 13",
    "virtual": False,
    "huge_pages": False,
    "governor": "powersave",
    "caches": {"L1d": 48 << 10, "L3": 16 << 20},
    "pinned": {"simd_bits": "512"},
    "smt": True,
    "numa_nodes": 2,
    "microcode": "0x1000066",
    "turbo": True,
    "isolated_cpus": [],
    "mitigations": {"spectre_v2": "Vulnerable"},
    "thp": "always",
    "cmdline_digest": "fedcba9876543210",
    "libraries": {"libc": "glibc 2.36", "dpdk": "24.11.1"},
}


def other(**values: object) -> Host:
    return HOST.model_copy(update=values)


def test_every_field_of_a_host_has_a_rule_or_is_a_measurement() -> None:
    assert set(RULES) | MEASURED == set(Host.model_fields)
    assert set(OTHER) == set(RULES)


@pytest.mark.parametrize("field", RULES)
def test_each_field_is_seen_with_its_severity(field: str) -> None:
    (found,) = differences(HOST, other(**{field: OTHER[field]}))
    assert found.field.partition(".")[0] == field and found.severity == RULES[field]
    assert found.base != found.head
    assert comparable([found]) is (RULES[field] == "segment")


@pytest.mark.parametrize(
    "host",
    [
        HOST,
        other(tsc_hz=HOST.tsc_hz + 500_000),
        other(memory_bytes=HOST.memory_bytes - (64 << 20)),
        other(latencies_ns={"L1d": 9.9}, transfer_ns=None),
        other(microcode=None, libraries=None, turbo=None),
    ],
)
def test_what_is_no_difference(host: Host) -> None:
    assert differences(HOST, host) == [] and differences(host, HOST) == []


def test_a_library_that_came_is_named_and_the_worst_is_first() -> None:
    found = differences(HOST, other(libraries={**HOST.libraries, "hyperscan": "5.4.0"}, cores=4))
    assert [(one.field, one.base, one.head) for one in found] == [
        ("cores", "2", "4"),
        ("libraries.hyperscan", "none", "5.4.0"),
    ]


def test_two_runs_are_composed_as_far_as_their_hosts_allow() -> None:
    base, head = (summarise(make_report(changed(), seed=seed), Arm.HEAD) for seed in (1, 2))
    alike = compose(base, head, (HOST, HOST))
    assert alike is not None and alike.chain is not None and len(alike.notes) == 1
    updated = compose(base, head, (HOST, other(kernel="6.12")))
    assert updated is not None and updated.chain == alike.chain
    assert "kernel 6.1.0-30 / 6.12" in updated.notes[1] and NEW_SEGMENT in updated.notes[1]
    elsewhere = compose(base, head, (HOST, other(cpu_model="Xeon")))
    assert elsewhere is not None and elsewhere.chain is None and elsewhere.stages == []
    assert "cpu model EPYC / Xeon" in elsewhere.notes[0] and INCOMPARABLE in elsewhere.notes[0]


def test_the_rules_are_documented() -> None:
    text = (Path(__file__).parents[3] / "docs" / "hosts.md").read_text()
    for severity in ("segment", "incomparable"):
        item = text.split(f"- **`{severity}`**: ")[1].split("\n- ")[0].split("\n\n")[0]
        named = {name for name in RULES if f"`{name}`" in item}
        assert named == {name for name, rule in RULES.items() if rule == severity}


def test_a_host_class_says_whether_its_hosts_use_huge_pages() -> None:
    with_them, without, unknown = "epyc-2c-2.6ghz-huge", "epyc-2c-2.6ghz-nohuge", "vm-2"
    assert [huge_pages_of(one) for one in (with_them, without, unknown)] == [True, False, None]
    assert without_huge_pages(with_them) == without_huge_pages(without) == "epyc-2c-2.6ghz"
    assert without_huge_pages(unknown) == unknown
