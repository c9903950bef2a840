# SPDX-License-Identifier: Apache-2.0
"""`nalm init` on repositories with banner comments, huge files or many captures, and on one without git."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from building import Builder
from full_disk import full_disk
from nalm_agent.config.nalm_toml import parse
from nalm_agent.desk import init_look
from nalm_agent.desk.init import write_first_config
from nalm_agent.desk.init_look import look_at
from nalm_agent.native.library import FOLDER
from nalm_agent.runtime.errors import UsageError
from tiny import Nalm, NfRepository


@pytest.mark.timeout(30)
@pytest.mark.parametrize(
    "text",
    [
        "*" * 200_000 + "/\n",
        "a " * 200_000,
        "a *" * 100_000,
        "f(" * 100_000,
        "a" * 400_000,
        "f(uint8_t " * 50_000,
        "{ " * 200_000,
        " " * 400_000 + "nalm_probe.h",
        "\n" * 400_000,
    ],
    ids=["stars", "words", "pointers", "calls", "one-word", "types", "braces", "blanks", "lines"],
)
def test_no_text_holds_it_up(tmp_path: Path, text: str) -> None:
    for name in ("main.c", "meson.build", "Makefile", "CMakeLists.txt"):
        (tmp_path / name).write_text(text)
    found = look_at(tmp_path)
    assert found.packet_functions == [] and found.stages == {}


def test_packet_functions_are_in_the_order_of_likelihood(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("APP = fwd\n# libdpdk\n")
    (tmp_path / "a_debug.c").write_text(
        "static int is_timestamp_enabled(const struct rte_mbuf *m) { return 0; }\n"
        "void dump_rx_pkts(struct rte_mbuf *m[], int n) { if (n) { } }\n"
    )
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "fwd_test.c").write_text("void forward_two(struct rte_mbuf **m) { }\n")
    (tmp_path / "parse.c").write_text(
        "static void\nparse_header(const uint8_t *bytes, uint16_t length)\n{\n}\n"
        "void set_port(uint8_t port) { }\nint main(int argc, char **argv) { while (argc) { } }\n"
    )
    (tmp_path / "worker.c").write_text(
        "static void nat_rewrite(struct rte_mbuf *m) {}\n"
        "static void worker(struct rte_mbuf **pkts, uint16_t n) { rte_eth_rx_burst(0, 0, pkts, n); }\n"
    )
    names = look_at(tmp_path).packet_functions
    assert names[:2] == ["nat_rewrite", "worker"]
    assert names.index("parse_header") < names.index("is_timestamp_enabled")
    assert names.index("parse_header") < names.index("forward_two")
    assert not {"set_port", "main", "while", "if"} & set(names)


def test_each_guess_is_among_what_to_check(tmp_path: Path) -> None:
    repository = tmp_path / "mini"
    repository.mkdir()
    (repository / "meson.build").write_text("project('mini', 'c')\nsubdir('app')\n")
    for name in ("one.pcap", "two.pcap"):
        (repository / name).write_bytes(b"")
    _, remarks = write_first_config(repository)
    said = "\n".join(remarks)
    assert '"mini" in [build] artifacts' in said and "meson.build names no executable" in said
    assert "ignored: two.pcap" in said
    assert "is not in a git repository" in said


def test_a_full_disk_leaves_no_empty_file(tmp_path: Path) -> None:
    """It would count as the repository's own nalm.toml."""
    with full_disk(), pytest.raises(UsageError, match="cannot be written"):
        write_first_config(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_in_a_repository_nothing_is_said_of_git(nf_repository: NfRepository) -> None:
    (nf_repository.path / "nalm.toml").unlink(missing_ok=True)
    _, remarks = write_first_config(nf_repository.path)
    assert not any("git repository" in one for one in remarks)


def test_a_driver_of_nalm_loop(tmp_path: Path) -> None:
    (tmp_path / "Makefile").write_text("APP = dpi\n")
    shutil.copy(FOLDER / "nalm_loop.h", tmp_path)
    (tmp_path / "dpi.c").write_text(
        '#include "nalm_loop.h"\nint main(int argc, char **argv)\n'
        '{ return nalm_loop(argv[1], "dpi", inspect, NULL); }\n'
    )
    config = parse(write_first_config(tmp_path)[0].read_text())
    assert config.run.command == ["{build}/dpi", "{traffic}"]
    assert config.stages["dpi"].functions == ["main", "nalm_loop*", "inspect"]


def test_what_was_left_out_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "big.c").write_text("x" * (init_look.MAX_FILE_BYTES + 1))
    assert any("big.c beyond its first 1 MiB" in one for one in write_first_config(tmp_path)[1])
    (tmp_path / "nalm.toml").unlink()
    monkeypatch.setattr(init_look, "MAX_FILES", 0)
    assert "not examined: files beyond the first 0" in write_first_config(tmp_path)[1]
    (tmp_path / "nalm.toml").unlink()
    monkeypatch.setattr(init_look, "SECONDS", -1.0)
    assert any("stopped after" in one for one in write_first_config(tmp_path)[1])


def test_a_program_of_a_folder_below_is_found_and_the_others_are_named(tmp_path: Path) -> None:
    (tmp_path / "meson.build").write_text("project('fwd', 'c')\nsubdir('tools')\nsubdir('app')\n")
    for folder, program in (("app", "fwd"), ("app/more", "other"), ("tools", "dump")):
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "meson.build").write_text(f"x = executable('{program}',\n 'main.c')\n")
    path, said = write_first_config(tmp_path)
    config = parse(path.read_text())
    assert config.build.artifacts == ["app/fwd"] and config.run.command[0] == "{build}/app/fwd"
    assert "[build] artifacts has app/fwd; the build also makes tools/dump, app/more/other" in said
    assert not any("is a guess" in one for one in said)


COPY = ["cp", "-r", "{source}/.", "{build}"]
OF_DPDK = "APP = fwd\nall: build/$(APP)-shared\n\tln -sf $(APP)-shared build/$(APP)\n"


@pytest.mark.parametrize(
    ("name", "text", "commands", "program"),
    [
        ("Makefile", "APP = fwd\n", [COPY, ["make", "-C", "{build}/nf"]], "nf/fwd"),
        ("Makefile", OF_DPDK, [COPY, ["make", "-C", "{build}/nf"]], "nf/build/fwd"),
        ("Makefile", "APP = fwd\nO ?= out\n", [["make", "-C", "{source}/nf", "O={build}"]], "fwd"),
        (
            "CMakeLists.txt",
            "project(x)\nadd_executable(fwd fwd.c)\n",
            [
                [
                    *("cmake", "-S", "{source}/nf", "-B", "{build}", "-DCMAKE_BUILD_TYPE=Release"),
                    *("-DCMAKE_C_FLAGS=-g", "-DCMAKE_CXX_FLAGS=-g"),
                ],
                ["cmake", "--build", "{build}"],
            ],
            "fwd",
        ),
    ],
    ids=["make", "make as in DPDK's examples", "make with a directory for output", "CMake"],
)
def test_a_build_file_below_the_root(
    tmp_path: Path, *, name: str, text: str, commands: list[list[str]], program: str
) -> None:
    for folder in ("nf", "nf/deeper", "other"):
        (tmp_path / folder).mkdir()
    (tmp_path / "nf" / name).write_text(text)
    (tmp_path / "nf" / "deeper" / "CMakeLists.txt").write_text(
        "project(deeper)\nadd_executable(deeper a.c)\n"
    )
    path, said = write_first_config(tmp_path)
    config = parse(path.read_text())
    assert config.build.commands == commands
    assert config.build.artifacts == [program] and config.run.command[0] == f"{{build}}/{program}"
    assert "[build] commands build nf, since the root has no build file" in said


def test_a_program_with_autotools(tmp_path: Path) -> None:
    (tmp_path / "configure.ac").write_text("AC_INIT([fwd], [1.0])\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "Makefile.am").write_text("bin_PROGRAMS = fwd\nfwd_SOURCES = fwd.c\n")
    path, said = write_first_config(tmp_path)
    config = parse(path.read_text())
    assert config.build.commands[0] == COPY and "autoreconf" in config.build.commands[1][2]
    assert config.build.artifacts == ["src/fwd"]
    assert not any("since the root" in one for one in said)


def test_make_builds_what_init_wrote(tmp_path: Path) -> None:
    """The sources are read-only, and the Makefile writes beside them."""
    nf = NfRepository(tmp_path / "nf")
    nf.path.mkdir()
    nf.git("init", "-q", "-b", "main")
    makefile = "APP = fwd\nall: build/$(APP)\nbuild/$(APP): fwd.c\n\tmkdir -p build\n\t$(CC) -g -o $@ fwd.c\n"
    nf.write("Makefile", makefile)
    nf.write("fwd.c", "int main(void) { return 0; }\n")
    write_first_config(nf.path)
    nf.git("add", ".")
    nf.git("commit", "-qm", "first")
    built = Builder(nf, tmp_path).again()
    assert built.contents.artifacts == ["build/fwd"]


def test_a_long_look_says_what_it_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "main.c").write_text("")
    monkeypatch.setattr(init_look, "QUIET_SECONDS", -1.0)
    said: list[str] = []
    write_first_config(tmp_path, said.append)
    assert "reading sources, 0 of 1 files" in said


def test_a_link_to_a_directory_above_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to(tmp_path)
    (tmp_path / "a.pcap").write_bytes(b"")
    assert look_at(tmp_path).captures == ["a.pcap"]


def test_the_command_ends_soon_on_a_banner(nalm: Nalm, tmp_path: Path) -> None:
    (tmp_path / "a.c").write_text("*" * 5000 + "/\n")
    done = nalm.run("init", cwd=tmp_path)
    assert done.returncode == 0 and "wrote" in done.stdout


def test_hostile_names_make_a_valid_file(tmp_path: Path) -> None:
    repository = tmp_path / ("long-" * 20)
    repository.mkdir()
    (repository / "meson.build").write_text("project('x', 'c')\nexecutable('a\"b', 'main.c')\n")
    (repository / 'my "best" \\ ca\x7fpture.pcap').write_bytes(b"")
    (repository / "main.c").write_text(
        '#include "nalm_probe.h"\nstatic const struct nalm_stage_spec stages[] = {\n'
        '{"a.b", 0, pass}, {"_hidden", 0, pass}, {"' + "long" * 20 + '", 0, pass}, {"nat", 0, pass}};\n'
    )
    path, _ = write_first_config(repository)
    config = parse(path.read_text())
    assert config.project.name == ("long-" * 20)[:64].strip("-")
    assert config.scenarios["main"].traffic == 'my "best" \\ ca\x7fpture.pcap'
    assert list(config.stages) == ["a.b", "nat"] and config.build.artifacts == ['a"b']
