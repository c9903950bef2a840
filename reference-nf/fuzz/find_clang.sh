#!/usr/bin/env bash
# SPDX-License-Identifier: BSD-3-Clause
# Prints the name of a clang that can link libFuzzer, the plain name first, then the newest.
set -uo pipefail
program='int LLVMFuzzerTestOneInput(const char *d, unsigned long n) { return !d && n; }'
for clang in clang $(compgen -c clang- | grep -xE 'clang-[0-9]+' | sort -rVu); do
	if "$clang" -fsanitize=fuzzer,address -x c -o /dev/null - <<<"$program" 2>/dev/null; then
		echo "$clang"
		exit 0
	fi
done
echo "no clang with libFuzzer found: install clang and libclang-rt-dev (.ci/install test)" >&2
exit 1
