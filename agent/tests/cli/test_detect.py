# SPDX-License-Identifier: Apache-2.0
"""`nalm detect` on standard input."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from nalm_agent.cli.detect import read
from nalm_agent.runtime.errors import UsageError
from nalm_agent.shell.app import app
from tiny import Nalm
from typer.testing import CliRunner

STEP = [100, 100.2, 99.9, 100.1, 99.8, 100, 100.1, 99.9, 105, 105.1, 104.9, 105.2, 104.8, 105, 105.1, 104.9]


def run(text: str, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["detect", *options], input=text)
    return done.exit_code, done.output if done.exception is None else repr(done.exception)


def test_a_list_of_series_is_answered_in_order() -> None:
    code, said = run(json.dumps([STEP, [], [[v, v * 1.0001, v * 0.9999] for v in STEP], [1.0] * 30]))
    assert code == 0
    found = [one["change_points"] for one in json.loads(said)]
    assert [len(one) for one in found] == [1, 0, 1, 0]
    (change,) = found[0]
    assert set(change) == {"index", "low", "high", "size", "relative", "probability", "p_value", "kind"}
    assert change["index"] == 8
    assert change["size"] == pytest.approx(0.05, abs=0.002)


def test_text_for_people() -> None:
    code, said = run(json.dumps([STEP]), "--text")
    assert code == 0
    assert "series 0: commit 8" in said
    assert "+5.0" in said


def test_json_goes_to_standard_output_or_to_a_file(tmp_path: Path) -> None:
    code, plain = run(json.dumps([STEP]))
    for options in (("--json",), ("--json", "-")):
        assert run(json.dumps([STEP]), *options) == (code, plain) == (0, plain)
    file = tmp_path / "found.json"
    code, said = run(json.dumps([STEP]), "--json", str(file), "--text")
    assert (code, file.read_text()) == (0, plain) and said.startswith("series 0: commit 8")
    code, said = run(json.dumps([STEP]), "--json", str(file))
    assert (code, said) == (0, "")
    _, said = run(json.dumps([STEP]), "--json", "--text")
    assert "--json and --text both print" in said
    _, said = run(json.dumps([STEP]), "--json", str(tmp_path / "none" / "found.json"))
    assert "is not a directory that you may write to" in said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{}", "not a JSON list"),
        ("[1]", "series 0 is not a list"),
        ('[{"valus": []}]', 'series 0: "valus" is not one of values, hosts, control'),
        ("[{}]", "series 0: values are missing"),
        ('[{"values": [1, 0]}]', "series 0, values, commit 1: 0 is not positive"),
        (
            '[{"values": [1], "control": [[2, -1]]}]',
            "series 0, control, commit 0, sample 1: -1 is not positive",
        ),
        ('[{"values": [1, 2], "control": [1]}]', "series 0: 2 values, but 1 in control"),
        ('[{"values": [1, 2], "hosts": ["a"]}]', "series 0: 2 values, but 1 in hosts"),
        ('[{"values": [1], "hosts": [1]}]', "series 0, hosts, commit 0: 1 is not a name"),
        ('[{"values": [1], "hosts": "a"}]', "series 0, hosts is not a list"),
        ('[[1, "2"]]', 'series 0, commit 1: "2"'),
        ("[[1], [2, true]]", "series 1, commit 1: true"),
        ('[[1, [2, "x"]]]', 'series 0, commit 1, sample 1: "x"'),
        ("[[1, [2, [3]]]]", "series 0, commit 1, sample 1: [3] is not a value"),
        ("[[1, " + "9" * 401 + "]]", "series 0, commit 1: a number too large"),
        ("[[1, " + "9" * 350 + "]]", "series 0, commit 1: a number too large"),
        ("[[1, -" + "9" * 5000 + "]]", "series 0, commit 1: -Infinity"),
        ("[[1, 1e999]]", "series 0, commit 1: a number too large"),
        ("[[NaN]]", "series 0, commit 0: NaN is not a value"),
        ("[" * 100_000, "nested too deeply"),
        ("[" * 100_000 + "]" * 100_000, "nested too deeply"),
        ('[[1, {"a": 1, "a": 2}]]', "'a' occurs twice"),
        ('[["' + "x" * 1000 + '"]]', "…"),
    ],
)
def test_a_mistake_is_named_with_its_place(text: str, said: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(text)
    assert said in caught.value.message
    assert len(caught.value.message) < 200


def test_the_command_ends_with_a_message_and_its_code(nalm: Nalm, tmp_path: Path) -> None:
    hostile = {
        "deep": "[" * 100_000,
        "long": f"[[{'9' * 401}]]",
        "latin": b"[[1, \xff]]",
        "utf16": "[[1]]".encode("utf-16"),
    }
    for name, text in hostile.items():
        given = text.encode() if isinstance(text, str) else text
        done = nalm.run("detect", stdin=given, cwd=tmp_path)
        assert done.returncode == 2, name
        assert "Traceback" not in done.stderr and "nalm:" in done.stderr and "next:" in done.stderr


def test_a_byte_order_mark_and_missing_samples_are_taken() -> None:
    assert read(b"\xef\xbb\xbf[[1, null, [2, null], [null]]]") == [[1, None, [2, None], [None]]]
    code, said = run(json.dumps([[[v, None, v * 1.0001] for v in STEP]]))
    assert code == 0 and len(json.loads(said)[0]["change_points"]) == 1


@pytest.mark.parametrize(
    ("values", "least", "most"),
    [(1, 0.0, 0.2), (2, 0.2, 0.5), (3, 0.6, 0.7), (4, 0.65, 0.7), (5, 0.7, 0.8)],
)
def test_few_values_at_the_end_are_suspected(values: int, least: float, most: float) -> None:
    code, said = run(json.dumps([[*STEP[:8], *([150, 150.2, 149.9, 150.1, 149.8][:values])]]))
    found = json.loads(said)[0]
    (change,) = found["suspicions" if values < 5 else "change_points"]
    assert code == 0 and least <= change["probability"] <= most
    assert len(found["change_points"]) + len(found["suspicions"]) == 1


def test_a_series_with_a_control_and_hosts() -> None:
    machine = [1.0] * 20 + [1.2] * 20
    code_change = [1.0] * 30 + [1.05] * 10
    noise = [1 + 0.001 * ((7 * n) % 5 - 2) for n in range(40)]
    values = [100 * m * c * e for m, c, e in zip(machine, code_change, noise, strict=True)]
    control = [7 * m for m in machine]
    hosts = ["a"] * 40
    code, said = run(json.dumps([{"values": values, "control": control, "hosts": hosts}, values]))
    divided, plain = json.loads(said)
    assert code == 0
    assert [one["index"] for one in divided["change_points"]] == [30]
    assert [one["index"] for one in plain["change_points"]] == [20, 30]
    assert divided["host_changes"] == [] and "host_changes" not in plain
    code, text = run(json.dumps([{"values": values, "control": control}]), "--text")
    assert code == 0 and "series 0: commit 30 (30 to 30): +5.0" in text


def test_drifts_and_states_are_reported_as_such() -> None:
    noise = [1 + 0.001 * ((7 * n) % 5 - 2) for n in range(200)]
    drift = [100 * e * (1 + 0.08 * min(max(n - 99, 0), 50) / 50) for n, e in enumerate(noise)]
    state = [105 * e if n % 40 in range(30, 36) else 100 * e for n, e in enumerate(noise)]
    code, said = run(json.dumps([drift, state]))
    (change,) = json.loads(said)[0]["change_points"]
    assert change["kind"] == "drift" and abs(change["low"] - 100) < 12 and abs(change["high"] - 149) < 12
    found = json.loads(said)[1]
    assert found["change_points"] == []
    assert [(one["first"], one["last"]) for one in found["states"]] == [
        (n + 30, n + 35) for n in range(0, 200, 40)
    ]
    code, text = run(json.dumps([drift, state]), "--text")
    assert code == 0 and "series 0: drift from commit" in text
    assert "series 1: commits 30 to 35: +5.0 %" in text and "a state of the machine that recurs" in text


def doubled(*zeros: int) -> list[float]:
    values = [100 + 0.3 * ((7 * n) % 5 - 2) for n in range(20)] + [
        200 + 0.3 * ((7 * n) % 5 - 2) for n in range(40)
    ]
    return [0.0 if n in zeros else value for n, value in enumerate(values)]


@pytest.mark.parametrize("zeros", [(), (5,), (5, 30)])
def test_a_value_of_0_leaves_the_size_of_a_step_as_it_is(zeros: tuple[int, ...]) -> None:
    code, said = run(json.dumps([doubled(*zeros)]))
    (change,) = json.loads(said)[0]["change_points"]
    assert (code, change["index"], change["relative"]) == (0, 20, True)
    assert change["size"] == pytest.approx(1.0, abs=0.02)


def test_a_step_from_0_has_the_unit_of_the_values() -> None:
    series = [[0] * 20 + [100] * 20, [-100] * 20 + [-90] * 20]
    code, said = run(json.dumps(series))
    found = [one["change_points"][0] for one in json.loads(said)]
    assert code == 0 and [one["relative"] for one in found] == [False, False]
    assert [one["size"] for one in found] == [pytest.approx(100), pytest.approx(10)]
    code, text = run(json.dumps(series), "--text")
    assert "%" not in text and "+100, not relative, since a level is not above 0" in text


@pytest.mark.parametrize(
    "values",
    [
        [1e-200] * 8 + [1e200] * 8,
        [1e200] * 8 + [1e-200] * 8,
        [0] * 8 + [1.7e308] * 8,
        [1.7e308] * 10 + [-1.7e308] * 10,
        [5e-324] * 8 + [1.7e308] * 8,
    ],
)
def test_values_of_all_sizes_have_a_size_that_is_a_number(values: list[float]) -> None:
    with_hosts = {"values": [abs(one) or 1.0 for one in values], "hosts": ["a", "b"] * (len(values) // 2)}
    code, said = run(json.dumps([values, with_hosts]))
    assert code == 0, said
    assert "Infinity" not in said and "NaN" not in said
    (change,) = json.loads(said)[0]["change_points"]
    assert change["index"] == len(values) // 2 and change["size"] != 0
    code, text = run(json.dumps([values]), "--text")
    assert code == 0 and len(text) < 200


def test_names_of_hosts_are_plain_on_the_terminal() -> None:
    noise = [1 + 0.001 * ((7 * n) % 5 - 2) for n in range(80)]
    values = [100 * e * (1.05 if n % 2 and n > 40 else 1) for n, e in enumerate(noise)]
    hosts = ["a\x1b[31mX\n" if n % 2 else "b" for n in range(80)]
    code, said = run(json.dumps([{"values": values, "hosts": hosts}]), "--text")
    assert code == 0 and "host aX, commit 41: +5." in said and "\x1b" not in said
