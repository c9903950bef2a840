# SPDX-License-Identifier: Apache-2.0
"""What `make dist` makes is whole, and says of which version and commit it is."""

from __future__ import annotations

import tarfile
import zipfile
from pathlib import Path

import pytest
from installed_systems import ROOT, TAG, Made, bare_system, clone_of, run

pytestmark = pytest.mark.timeout(3600)
VERSION = TAG[1:]
MISSING_ON_A_BARE_SYSTEM = ("valgrind", "compiler")


def names(made: Made, room: str) -> set[str]:
    return set(zipfile.ZipFile(made.file(f"nalm_{room}-{VERSION}-*.whl")).namelist())


def test_wheels_are_whole(made: Made) -> None:
    assert {"nalm_server/static/index.html", "nalm_server/migrations/env.py"} <= names(made, "server")
    native = {f"nalm_agent/native/{name}" for name in ("nalm_probe.h", "nalm_loop.h", "dpdk_lent.c")}
    assert native <= names(made, "agent")
    assert "nalm_core/release.py" in names(made, "core")
    for room in ("agent", "server"):
        with zipfile.ZipFile(made.file(f"nalm_{room}-{VERSION}-*.whl")) as wheel:
            metadata = wheel.read(f"nalm_{room}-{VERSION}.dist-info/METADATA").decode()
        assert f"Requires-Dist: nalm-core=={VERSION}" in metadata.splitlines()
    for line in made.file("SHA256SUMS").read_text().splitlines():
        assert (made.dist / line.split(maxsplit=1)[1]).exists()


def test_the_source_archive_makes_the_same_version(made: Made, tmp_path: Path) -> None:
    with tarfile.open(made.file(f"nalm-{VERSION}.tar.gz")) as archive:
        archive.extractall(tmp_path, filter="data")
    sources = tmp_path / f"nalm-{VERSION}"
    run(["python", "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], sources / "core")
    with zipfile.ZipFile(tmp_path / f"nalm_core-{VERSION}-py3-none-any.whl") as wheel:
        metadata = f"nalm_core-{VERSION}.dist-info/extra_metadata/commit"
        assert wheel.read(metadata).decode().strip() == made.commit


def test_a_commit_after_the_tag_and_a_change_are_said(tmp_path: Path) -> None:
    checkout = clone_of("HEAD", tmp_path / "nalm")
    run(["git", "tag", TAG], checkout)
    run(
        ["git", "-c", "user.name=A", "-c", "user.email=a@b", "commit", "-q", "--allow-empty", "-m", "x"],
        checkout,
    )
    (checkout / "LICENSE").write_text("changed")
    run(["python", "-m", "hatchling", "build", "-t", "wheel", "-d", tmp_path], checkout / "core")
    (wheel,) = tmp_path.glob("nalm_core-*.whl")
    assert wheel.name.startswith(f"nalm_core-{VERSION}.post1.dev")
    with zipfile.ZipFile(wheel) as archive:
        (commit,) = (name for name in archive.namelist() if name.endswith("extra_metadata/commit"))
        assert archive.read(commit).decode().strip().endswith("-dirty")


@pytest.mark.parametrize("suite", ["bookworm", "jammy", "noble"])
def test_pipx_on_a_bare_system(suite: str, made: Made, tmp_path: Path) -> None:
    """As docs/install.md says, on a system without compiler and valgrind, which `nalm doctor` then names."""
    system = bare_system(suite, tmp_path)
    run(["cp", "-r", made.dist, system.root / "dist"])
    jammy = suite == "jammy"
    system.run("apt-get update -q && apt-get install -qy --no-install-recommends pipx git python3-venv")
    if jammy:
        system.run("apt-get install -qy --no-install-recommends python3.11 python3.11-venv")
    python = "--python python3.11 " if jammy else ""
    system.run(f'pipx install {python}--pip-args="-c dist/constraints.txt" dist/nalm_agent-*.whl')
    assert system.run("nalm --version").strip() == f"nalm {VERSION} (commit {made.commit})"
    code, said = system.code("nalm doctor")
    assert code == 4, said
    assert [one for one in MISSING_ON_A_BARE_SYSTEM if one not in said] == []


def test_the_debian_package_of_the_agent(made: Made, tmp_path: Path) -> None:
    system = bare_system("bookworm", tmp_path)
    package = made.file("nalm-agent_*.deb")
    run(["cp", package, system.root / package.name])
    system.run(f"apt-get update -q && apt-get install -qy --no-install-recommends ./{package.name}")
    assert system.run("nalm --version").strip() == f"nalm {VERSION} (commit {made.commit})"
    assert "/var/lib/nalm-agent" in system.run("getent passwd nalm-agent")
    assert system.run("ls /usr/share/man/man1/nalm-check.1.gz /usr/lib/systemd/system/nalm-agent.service")
    code, said = system.code("nalm doctor")
    assert "valgrind" not in [line.split()[0] for line in said.splitlines() if "missing" in line], said
    system.run(
        "mkdir -p /var/lib/nalm-agent && touch /var/lib/nalm-agent/kept && apt-get remove -qy nalm-agent"
    )
    assert not (system.root / "usr" / "bin" / "nalm").exists() and code in (0, 4)
    system.run("ls /var/lib/nalm-agent/kept && apt-get purge -qy nalm-agent && test ! -e /var/lib/nalm-agent")


def test_the_documents_name_what_is_made(made: Made) -> None:
    text = (ROOT / "docs" / "install.md").read_text()
    for pattern in (
        "nalm_core-*.whl",
        "nalm_agent-*.whl",
        "nalm_server-*.whl",
        "constraints.txt",
        "nalm-agent_*.deb",
        "nalm-*.tar.gz",
    ):
        assert pattern in text and made.file(pattern)


def test_the_reference_nf_is_built_on_ubuntu(tmp_path: Path) -> None:
    """`make` installs what is missing and builds with another DPDK, gcc and Python than Debian's."""
    system = bare_system("noble", tmp_path)
    run(["git", "clone", "-q", ROOT, system.root / "nalm"])
    system.run("apt-get update -q && apt-get install -qy --no-install-recommends make git ca-certificates")
    system.run("cd nalm && make install && make nf PATH=$PWD/.venv/bin:$PATH")
    assert "--config" in system.run("nalm/reference-nf/build/nalm-nf --help")


def test_a_release_with_an_older_dpdk_is_refused(tmp_path: Path) -> None:
    system = bare_system("jammy", tmp_path)
    run(["git", "clone", "-q", ROOT, system.root / "nalm"])
    code, said = system.code("nalm/.ci/install run")
    assert code == 4
    assert "has a DPDK before 22.11" in said
