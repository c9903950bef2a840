# SPDX-License-Identifier: Apache-2.0
from operator import attrgetter

from nalm_core.profiles.annotate import annotate, annotate_stretches, passages, unbroken
from nalm_core.profiles.line_costs import cycle_lines, instruction_lines
from nalm_core.report.run_report import Arm
from nalm_core.report.source_text import Stretch
from nalm_core_calls import with_calls
from nalm_synthetic import changed, make_report

numbers = attrgetter("numbers")
BASE = "one\ntwo\nthree\nfour\nfive\nsix\n"
HEAD = "one\nzwei\nextra\nthree\nfour\nfive\nsix\n"


def test_a_line_that_moved_is_compared_with_itself() -> None:
    lines = annotate(BASE, HEAD, {2: 1.0, 3: 5.0}, {2: 1.5, 4: 9.0})
    assert [line.mark for line in lines] == [" ", "-", "+", "+", " ", " ", " ", " "]
    three = next(line for line in lines if line.text == "three")
    assert (three.base_line, three.head_line, three.change) == (3, 4, 4.0)
    assert [line.text for line in lines if line.base_line is not None] == BASE.split()
    assert [line.text for line in lines if line.head_line is not None] == HEAD.split()


def test_costs_are_neither_lost_nor_invented() -> None:
    lines = annotate(BASE, HEAD, {at: 10.0**at for at in range(1, 7)}, {at: at / 8 for at in range(1, 8)})
    assert sum(line.base for line in lines) == sum(10.0**at for at in range(1, 7))
    assert sum(line.head for line in lines) == sum(range(1, 8)) / 8


def test_passages_show_what_changed_and_nothing_else() -> None:
    lines = annotate(BASE, HEAD, {2: 1.0, 6: 5.0}, {2: 1.5, 7: 5.4})
    found = passages(lines, least=0.5, around=0)
    assert [[line.text for line in passage] for passage in found] == [["two", "zwei"]]
    assert [[line.text for line in one][-1] for one in passages(lines, least=0.3, around=1)] == [
        "extra",
        "six",
    ]
    same = annotate(BASE, BASE, {1: 3.0}, {1: 3.0})
    assert passages(same, least=0.1, around=2) == []


def test_one_side_alone_and_no_text_at_all() -> None:
    assert [line.mark for line in annotate("", BASE, {}, {})] == ["+"] * 6
    assert annotate("", "", {}, {}) == []


def test_what_a_report_holds_of_a_file_reads_as_the_file_with_its_gaps() -> None:
    held = [
        Stretch(base=2, lines=["two"]),
        Stretch(head=2, lines=["zwei", "extra"]),
        Stretch(base=3, head=4, lines=["three"]),
        Stretch(base=6, head=7, lines=["six\u202e"]),
    ]
    lines = annotate_stretches(held, {2: 1.0, 3: 5.0}, {2: 1.5, 7: 9.0})
    whole = annotate(BASE, HEAD, {2: 1.0, 3: 5.0}, {2: 1.5, 7: 9.0})
    assert lines[:-1] == [line for line in whole if line.text in {"two", "zwei", "extra", "three"}]
    assert (lines[-1].text, lines[-1].base_line, lines[-1].head_line) == ("six\ufffd", 6, 7)
    assert [len(part) for part in unbroken(lines, numbers)] == [4, 1]
    assert unbroken(whole, numbers) == [whole]


def test_lines_cost_what_the_report_says_without_the_generators() -> None:
    report = with_calls()
    costs = instruction_lines(report, Arm.HEAD)
    assert costs is not None
    assert "src/gen.c" not in costs
    count = next(one for one in report.instructions if one.arm is Arm.HEAD)
    nat = next(one for one in count.lines if one.function == "nat_process")
    assert costs["src/nat.c"] == {line: cost / count.packets for line, cost in nat.lines.items()}
    plain = make_report(changed(), launches=2, turns=2)
    assert instruction_lines(plain, Arm.HEAD) is None
    assert cycle_lines(plain, Arm.HEAD, 100) is None
