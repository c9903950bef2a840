# SPDX-License-Identifier: Apache-2.0
"""Choices that libraries make by CPU at run time, made alike with and without valgrind and on every host."""

SIMD_BITS = 256
"""Widest vectors DPDK may use: valgrind knows no AVX-512, and every source must see the same code."""

PINNED = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX512DQ,-AVX512CD,-ERMS,-FSRM",
    "LD_BIND_NOW": "1",
    "LC_ALL": "C",
}
"""Choices of libraries by CPU, made the same with and without valgrind."""
