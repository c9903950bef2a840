#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
#
# check_hot_path.sh BINARY: fails if code that runs per packet can make a system call, log, allocate, free or take a lock.
#
# Reads the disassembly: from every root (*_process, the steps of the roles, the loop) it follows each direct
# call and jump within the binary. Calls that leave the binary must be on the list below, each with its
# reason; a `syscall` or a locked instruction is a finding. Calls through pointers are not followed: stages
# are roots themselves, and the drivers' burst functions are DPDK's. The probe's parking function runs outside
# turns and is not followed.
set -eu

binary=${1:?usage: check_hot_path.sh BINARY}
[ -r "$binary" ] || { echo "check_hot_path: cannot read $binary" >&2; exit 2; }

objdump -d --no-show-raw-insn "$binary" | awk '
BEGIN {
	allow("rte_hash_lookup_with_hash_data rte_hash_lookup_with_hash_bulk_data rte_hash_add_key_with_hash_data rte_hash_del_key_with_hash") # nat: tables made beforehand
	allow("rte_acl_classify")                                       # acl: reads tables made beforehand
	allow("rte_fib_lookup_bulk rte_lpm6_lookup_bulk_func")          # l3fwd: reads tables made beforehand
	allow("rte_acl_classify")                                       # dpi: likewise
	allow("rte_pktmbuf_free_bulk")                                  # back to the pool: a ring made beforehand
	allow("rte_eth_call_rx_callbacks rte_eth_call_tx_callbacks")    # none is registered
	allow("__rte_panic")                                            # ends the process: a broken pool
	allow("memcpy memset memmove memcmp")
}
function allow(names,   i, n, list) { n = split(names, list, " "); for (i = 1; i <= n; i++) allowed[list[i]] = 1 }
/^[0-9a-f]+ <.*>:$/ { name = $2; sub(/^</, "", name); sub(/>:$/, "", name); known[name] = 1; next }
/^ +[0-9a-f]+:/ {
	if ($2 == "syscall" || $2 == "sysenter" || $2 == "int") finding[name] = finding[name] " " $2
	if ($2 == "lock") finding[name] = finding[name] " lock:" $3
	if (match($0, /<[^>]+>/) && ($2 ~ /^(bnd|call|j)/)) {
		target = substr($0, RSTART + 1, RLENGTH - 2); sub(/\+0x[0-9a-f]+$/, "", target)
		if (target != name && !((name, target) in seen)) { seen[name, target] = 1; calls[name] = calls[name] " " target }
	}
}
END {
	for (f in known)
		if (f ~ /_(process|step)$/ || f == "runner_loop") { todo[++last] = f; queued[f] = 1; roots++ }
	if (roots == 0) { print "check_hot_path: no *_process in the binary: is it stripped?"; exit 2 }
	for (at = 1; at <= last; at++) {
		f = todo[at]
		if (f in finding) { printf "check_hot_path: %s:%s\n", f, finding[f]; bad = 1 }
		m = split(calls[f], targets, " ")
		for (i = 1; i <= m; i++) {
			t = targets[i]
			if (t ~ /^(nalm_probe|runner)_park/) continue
			if (t ~ /@plt$/) {
				sub(/@plt$/, "", t)
				if (!(t in allowed)) { printf "check_hot_path: %s calls %s\n", f, t; bad = 1 }
			} else if (!(t in queued)) { queued[t] = 1; todo[++last] = t }
		}
	}
	if (!bad) printf "check_hot_path: %d functions, nothing found\n", last
	exit bad
}'
