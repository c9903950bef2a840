# SPDX-License-Identifier: Apache-2.0
"""The line of a failed build's output that its message names: real output of compilers and build tools."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path

import pytest
from nalm_agent.build.commands import first_complaint

GO = "# x\n./x.go:4:2: undefined: y\n./x.go:5:6: declared and not used: unused\n"
GO_SYNTAX = "# x\n./x.go:4:5: syntax error: missing condition in if statement\n"
GO_IMPORT = "x.go:3:8: package nowhere/y is not in std (/usr/local/go/src/nowhere/y)\n"
GO_MODULES = (
    "go: downloading example.org/y v1.2.0\n"
    "go: example.org/y@v1.2.0: reading https://proxy.example/y: 404 Not Found\n"
)
LD = """/usr/bin/ld: /tmp/ccNqXRXe.o: in function `main':
a.c:(.text+0x5): undefined reference to `y'
collect2: error: ld returned 1 exit status
"""
LD_LIBRARY = """/usr/bin/ld: cannot find -lnowhere: No such file or directory
collect2: error: ld returned 1 exit status
"""
LD_TWICE = """/usr/bin/ld: c.o: in function `main':
b.c:(.text+0x0): multiple definition of `main'; b.o:b.c:(.text+0x0): first defined here
collect2: error: ld returned 1 exit status
"""
GOLD = """/tmp/cc9U9SMt.o:a.c:function main: error: undefined reference to 'y'
collect2: error: ld returned 1 exit status
"""
MESON = """Found CMake: /usr/bin/cmake (3.25.1)
Run-time dependency nowhere found: NO (tried pkgconfig and cmake)

m/meson.build:2:0: ERROR: Dependency "nowhere" not found, tried pkgconfig and cmake

A full log can be found at /build/meson-logs/meson-log.txt
"""
CARGO = """   Compiling x v0.1.0 (/nalm/source)
error[E0425]: cannot find function `y` in this scope
 --> src/main.rs:1:13
  |
1 | fn main() { y(); }
  |             ^ not found in this scope

error: could not compile `x` (bin "x") due to 1 previous error
"""
CARGO_LINK = """error: linking with `cc` failed: exit status: 1
  |
  = note: some arguments are omitted. use `--verbose` to show all linker arguments
  = note: rust-lld: error: undefined symbol: y
          >>> referenced by main.rs:2 (src/main.rs:2)
          collect2: error: ld returned 1 exit status

error: could not compile `x` (bin "x") due to 1 previous error
"""
CARGO_NONE = "error: could not find `Cargo.toml` in `/nalm/source` or any parent directory\n"
CMAKE = """-- The C compiler identification is GNU 12.2.0
CMake Error at CMakeLists.txt:3 (find_package):
  By not providing "FindNowhere.cmake" in CMAKE_MODULE_PATH this project has
  asked CMake to find a package configuration file provided by "Nowhere", but
  CMake did not find one.

-- Configuring incomplete, errors occurred!
"""
NINJA = "ninja: error: loading 'build.ninja': No such file or directory\n"
MAKE = """gcc -c x.c
x.c:1:24: error: 'y' undeclared (first use in this function)
make: *** [Makefile:2: x.o] Error 1
"""
MAKE_ALONE = "false\nmake: *** [Makefile:2: all] Error 1\n"


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (GO, "./x.go:4:2: undefined: y"),
        (GO_SYNTAX, "./x.go:4:5: syntax error: missing condition in if statement"),
        (GO_IMPORT, "x.go:3:8: package nowhere/y is not in std (/usr/local/go/src/nowhere/y)"),
        (GO_MODULES, "go: example.org/y@v1.2.0: reading https://proxy.example/y: 404 Not Found"),
        (LD, "a.c:(.text+0x5): undefined reference to `y'"),
        (LD_LIBRARY, "/usr/bin/ld: cannot find -lnowhere: No such file or directory"),
        (LD_TWICE, "b.c:(.text+0x0): multiple definition of `main'; b.o:b.c:(.text+0x0): first defined here"),
        (GOLD, "/tmp/cc9U9SMt.o:a.c:function main: error: undefined reference to 'y'"),
        (MESON, 'm/meson.build:2:0: ERROR: Dependency "nowhere" not found, tried pkgconfig and cmake'),
        (CARGO, "error[E0425]: cannot find function `y` in this scope"),
        (CARGO_LINK, "  = note: rust-lld: error: undefined symbol: y"),
        (CARGO_NONE, "error: could not find `Cargo.toml` in `/nalm/source` or any parent directory"),
        (
            CMAKE,
            "CMake Error at CMakeLists.txt:3 (find_package):\n"
            '  By not providing "FindNowhere.cmake" in CMAKE_MODULE_PATH this project has',
        ),
        (NINJA, "ninja: error: loading 'build.ninja': No such file or directory"),
        (MAKE, "x.c:1:24: error: 'y' undeclared (first use in this function)"),
        (MAKE_ALONE, "make: *** [Makefile:2: all] Error 1"),
        ("sh: 1: gcc-99: not found\n", "sh: 1: gcc-99: not found"),
        ("x.c:1:1: warning: unused variable 'y'\n", None),
        ("panic: nil map\n\n\t/build/x.go:12 +0x1d\n", None),
    ],
)
def test_the_first_complaint_is_named(output: str, line: str | None) -> None:
    assert first_complaint(f"some output\n{output}the end\n") == line


TOOLS = {
    "go": (
        {"go.mod": "module x\n", "x.go": "package main\n\nfunc main() {\n\ty()\n}\n"},
        "go build",
        "./x.go:4:2: ",
    ),
    "ld": ({"a.c": "int y(void);\nint main(void){return y();}\n"}, "gcc a.c", "a.c:(.text+0x"),
    "clang": ({"a.c": "int main(void){return y;}\n"}, "clang -c a.c", "a.c:1:23: error: "),
    "meson": ({"meson.build": "project('x')\nsubdir('no')\n"}, "meson setup b", "meson.build:2:0: ERROR: "),
    "rustc": ({"x.rs": "fn main() { y(); }\n"}, "rustc x.rs", "error[E0425]: cannot find function `y`"),
    "ninja": ({"build.ninja": "build a: nope b\n"}, "ninja", "ninja: error: build.ninja:1: "),
}
"""Files, a command that fails, and how the complaint begins."""


@pytest.mark.parametrize("tool", TOOLS)
def test_the_tools_of_this_host_complain_so(tool: str, tmp_path: Path) -> None:
    files: Mapping[str, str]
    files, command, begins = TOOLS[tool]
    if shutil.which(tool) is None:
        pytest.skip(f"no {tool} on this host")
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    done = subprocess.run(
        command.split(),
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    assert done.returncode != 0
    assert (first_complaint(done.stdout) or "").startswith(begins), done.stdout
