# SPDX-License-Identifier: BSD-3-Clause
"""The file of sessions: PDRs, FARs, QERs and URRs of each."""

from collections.abc import Callable
from ipaddress import IPv4Address, IPv6Address
from pathlib import Path

from spec.upf_rules import ACCESS, Far, Pdr, Qer, Urr, read_filter

Key = tuple[str, int | bytes]


def read_sessions(path: Path) -> dict[Key, list[Pdr]]:
    """The file's PDRs by what packets find them by, in the order in which they are looked at."""
    found: dict[Key, list[Pdr]] = {}
    sessions: list[list[list[str]]] = []
    for line in path.read_text(encoding="ascii").splitlines():
        words = line.split("#")[0].split()
        if words == ["session"]:
            sessions.append([])
        elif words:
            sessions[-1].append(words)
    for lines in sessions:
        pdrs = _session(lines)
        home = next((ue.packed for pdr in pdrs for ue in pdr.ues if ue.version == 4), b"")
        for pdr in sorted(pdrs, key=lambda pdr: (pdr.precedence, pdr.number)):
            pdr.home = home
            for key in _keys(pdr):
                found.setdefault(key, []).append(pdr)
    return found


def _keys(pdr: Pdr) -> list[Key]:
    if pdr.side == ACCESS:
        return [("teid", pdr.teid)]
    return [("ue", ue.packed[:8]) for ue in pdr.ues]


def _session(lines: list[list[str]]) -> list[Pdr]:
    fars = {int(words[1]): _far(words[2:]) for words in lines if words[0] == "far"}
    qers = {int(words[1]): _qer(words[2:]) for words in lines if words[0] == "qer"}
    urrs = {int(words[1]): _urr(words[2:]) for words in lines if words[0] == "urr"}
    return [_pdr(words[1:], fars, qers, urrs) for words in lines if words[0] == "pdr"]


def _far(words: list[str]) -> Far:
    if words[0] != "access":
        return Far(words[0])
    return Far("access", int(words[1], 0), IPv4Address(words[2]).packed)


def _qer(words: list[str]) -> Qer:
    qer = Qer()
    while words:
        if words[0] == "qfi":
            qer.qfi, words = int(words[1]), words[2:]
        elif words[0] == "gate":
            qer.open, words = [word == "open" for word in words[1:3]], words[3:]
        else:
            qer.kbit, words = [int(word) for word in words[1:3]], words[3:]
    return qer


def _urr(words: list[str]) -> Urr:
    urr = Urr()
    while words:
        if words[0] == "quota":
            urr.quota, words = int(words[1]), words[2:]
        else:
            urr.threshold[words[1]], words = int(words[2]), words[3:]
    urr.due = dict(urr.threshold)
    return urr


def _pdr(words: list[str], fars: dict[int, Far], qers: dict[int, Qer], urrs: dict[int, Urr]) -> Pdr:
    pdr = Pdr(int(words[0]), int(words[1]), words[2])
    words = words[3:]
    if pdr.side == ACCESS:
        pdr.teid, words = int(words[0], 0), words[1:]
    take: dict[str, Callable[[str], None]] = {
        "ue": lambda word: pdr.ues.append(IPv6Address(word) if ":" in word else IPv4Address(word)),
        "far": lambda word: setattr(pdr, "far", fars[int(word)]),
        "qer": lambda word: pdr.qers.append(qers[int(word)]),
        "urr": lambda word: pdr.urrs.append(urrs[int(word)]),
        "qfi": lambda word: pdr.match_qfis.add(int(word)),
    }
    while words:
        if words[0] == "predefined":
            pdr.predefined, words = True, words[1:]
        elif words[0] == "filter":
            pdr.filter, words = read_filter(" ".join(words[1:])), []
        else:
            take[words[0]](words[1])
            words = words[2:]
    return pdr
