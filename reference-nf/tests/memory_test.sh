#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Without huge pages EAL's memory is private, and asks the kernel for transparent ones: flag "hg" of proc(5), smaps. The
# NF exits with 0 only if its totals add up, so that the memory has kept its content.
. "$(dirname "$0")/run_nf.sh"

[ -d /sys/kernel/mm/transparent_hugepage ] || exit 77 # this kernel has none: skipped

run 0@0 --config "$source/conf/sfc_a.conf" --set chain.stages=nat,l3fwd --set l3fwd.routes_generated=100 &
until grep -q replaying "$work/err" 2>/dev/null; do
	kill -0 $! 2>/dev/null || fail "it ended before packets passed"
	sleep 0.05
done
process=$(tr -d ' ' <"/proc/$!/task/$!/children")
# the size, file and flags of each mapping that is at least as large as EAL's memory, and smaller than a sanitizer's
awk -v least=$((memory * 1024)) '
	/^[0-9a-f]+-/ { file = $6 }
	$1 == "Size:" { large = $2 >= least && $2 < 2 * least }
	$1 == "VmFlags:" && large { print file, $0 }' "/proc/$process/smaps" >"$work/large"
kill "$process"
wait $! || fail "exit $?"
grep -q ' hg' "$work/large" || fail "no memory on transparent pages: $(cat "$work/large")"
! grep -q memfd "$work/large" || fail "EAL's file is still mapped: $(cat "$work/large")"
