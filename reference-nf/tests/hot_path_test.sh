#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# scripts/check_hot_path.sh passes the NF and reports the offender. $1: binary, $2: source, $3: offender, $4: its
# calls
set -eu
check=$2/scripts/check_hot_path.sh
"$check" "$1"
if found=$("$check" "$3"); then
	echo "nothing found in $3" >&2
	exit 1
fi
for name in $4; do
	echo "$found" | grep -q "calls $name\$" || { echo "$name is not found: $found" >&2; exit 1; }
done
echo "$found" | grep -q "lock:" || { echo "no locked instruction is found: $found" >&2; exit 1; }
echo "$found" | grep -q "syscall" || { echo "no system call is found: $found" >&2; exit 1; }
