# SPDX-License-Identifier: Apache-2.0
"""Symbols of C++ and Rust are shown as people write the names; others stay as they are."""

from __future__ import annotations

import random

import pytest
from nalm_core.text.symbol_names import plain_name

NAMES = {
    "nat_process": "nat_process",
    "nat_process.constprop.0": "nat_process",
    "_Z5parsePKhj": "parse",
    "_ZL9nalm_loopPKcS0_PFbPvPKhjES1_.constprop.0": "nalm_loop",
    "_ZN4pcpp8UdpLayer14parseNextLayerEv": "pcpp::UdpLayer::parseNextLayer",
    "_ZNK4pcpp8UdpLayer10getDstPortEv": "pcpp::UdpLayer::getDstPort",
    "_ZN4pcpp6PacketC2EPNS_9RawPacketEbmNS_8OsiModelE": "pcpp::Packet::Packet",
    "_ZN4pcpp6PacketD1Ev": "pcpp::Packet::~Packet",
    "_ZNSt6vectorIiSaIiEE9push_backEOi": "std::vector::push_back",
    "_ZNSs6appendERKSs": "std::basic_string::append",
    "_ZSt4sortIPiEvT_S1_": "std::sort",
    "_Z3fooIiET_S0_": "foo",
    "_Z3barILb1EXadL_Z3oneiEELi5EEvv": "bar",
    "_ZN1a1bI1cLNS_4kindE3EE1dEv": "a::b::d",
    "_ZN12_GLOBAL__N_16lookupEj": "(anonymous namespace)::lookup",
    "_ZZN3nat7processEPhmENKUlPT_E_clIhEEDaS2_": "nat::process::{lambda}::operator()",
    "_ZN3key4hashB5cxx11Ev": "key::hash",
    "_ZeqRK3keyS1_": "operator==",
    "_ZN3keyaSEOS_": "key::operator=",
    "_ZN5tableC1IA18_KcLb1EEEOT_": "table::table",
    "_ZN6parser16destination_port17h0123456789abcdefE": "parser::destination_port",
    "_ZThn64_N4pcpp9IPv4LayerD1Ev": "pcpp::IPv4Layer::~IPv4Layer",
    "_ZTv0_n32_N1V1fEi": "V::f",
    "_ZTch0_h16_N4Cov35otherEv": "Cov3::other",
    "_ZNK3keycvbEv": "key::operator bool",
    "_ZNK1CcvPKhEv": "C::operator unsigned char const*",
    "_ZNK1CcvN4pcpp6PacketEEv": "C::operator pcpp::Packet",
    "_ZNK3lamMUlT_E_clIiEEDaS_": "lam::{lambda}::operator()",
    "tc.avx2.0": "tc",
    "tc.avx2": "tc",
    "tc.arch_haswell.1": "tc",
    "tc.default.2": "tc",
    "lookup.llvm.1234567890": "lookup",
    "lookup.__uniq.99.llvm.12": "lookup",
    "main.default.func1": "main.default.func1",
    "rte_lpm_add@@DPDK_24": "rte_lpm_add",
    "cfree@GLIBC_2.2.5": "free",
    "_cgo_568784cffaf0_Cfunc_done": "_cgo_Cfunc_done",
    "malloc@plt": "malloc@plt",
    # Forms that are not read stay symbols.
    "_ZNK3keycvS_Ev": "_ZNK3keycvS_Ev",
    "_ZTV3key": "_ZTV3key",
    "_ZN": "_ZN",
    "_ZNE": "_ZNE",
    "_Z0": "_Z0",
    "_Z99short": "_Z99short",
    "_Z": "_Z",
    f"_Z1f{'I' * 4000}": f"_Z1f{'I' * 4000}",
    f"_Z9{'f' * 5000}": f"_Z9{'f' * 5000}",
}


@pytest.mark.parametrize(("symbol", "name"), NAMES.items())
def test_plain_name(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name


def test_any_text_has_a_name() -> None:
    chance = random.Random(20)
    for symbol in NAMES:
        for _ in range(200):
            letters = list(symbol[:200])
            letters[chance.randrange(len(letters))] = chance.choice("NIELZSTX_0129aCD")
            assert plain_name("".join(letters[: chance.randrange(1, len(letters) + 1)]))
