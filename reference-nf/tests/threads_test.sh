#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Every model with an lcore for each role, more lcores than CPUs. The NF exits with 0 only if its totals add up, and
# under ThreadSanitizer only without a data race. With FEW_THREADS only some of the configurations.
. "$(dirname "$0")/run_nf.sh"

cpus=$(nproc)
lcores() { # of this many roles
	i=0 map=
	while [ "$i" -lt "$1" ]; do
		map="$map${map:+,}$i@$((i % cpus))"
		i=$((i + 1))
	done
	echo "$map"
}

threads() { # roles configuration settings...
	roles=$1 conf=$2
	shift 2
	sets=
	case $conf in sfc_*) set -- "$@" l3fwd.routes_generated=100 ;; esac
	case $conf in sfc_a*) set -- "$@" dpi.patterns="$source/spec/tests/few_patterns.txt" ;; esac
	for assignment in "$@"; do sets="$sets --set $assignment"; done
	run "$(lcores "$roles")" --config "$source/conf/$conf.conf" --packets 20000 $sets ||
		fail "exit $?: $conf $* on $roles lcores"
	[ "$(member in)" = 20000 ] || fail "$conf $*: not every packet arrived"
}

at_night() { [ -n "${FEW_THREADS:-}" ] || threads "$@"; }

# one of each model, and of each way that packets or tables cross threads
threads 2 sfc_a
threads 4 sfc_a model.model=pipeline
threads 4 sfc_a model.workers=2 model.state=locked
threads 7 sfc_a model.workers=2 model.state=separated model.databases=2
threads 4 sfc_a model.workers=2 chain.flow_cache=on io.offload=checksum,mark
threads 3 mix model.workers=2 io.offload=rss l3fwd.routes6_generated=100
threads 4 hop model.workers=2 hop.buffers=fdt
threads 4 upf model.workers=2 pdr.churn_per_second=2000

at_night 4 sfc_a model.workers=2
memory=512 # its buffers hold a whole datagram
at_night 4 sfc_a_services model.workers=2 io.fragments=reassemble io.fragment_datagrams=16
memory=256
at_night 4 sfc_b model.workers=2
at_night 4 sfc_b model.model=pipeline traffic.profile=64 traffic.meter=latency
at_night 4 router model.workers=2 openflow.prefixes_generated=1000 openflow.mode=interpreted
at_night 4 vbng model.workers=2 traffic.profile=64
at_night 4 mix model.workers=2 l3fwd.routes6_generated=100
at_night 4 upf model.workers=2 io.offload=checksum,hash,decap
at_night 3 sfc_a model.workers=2 model.state=locked io.offload=rss
at_night 2 hop
at_night 4 sfc_b model.model=pipeline hop.buffers=mbuf hop.fields="$source/conf/hop_fields.txt"
at_night 2 upf pdr.churn_per_second=2000
at_night 7 upf model.model=pipeline pdr.churn_per_second=2000
at_night 6 upf model.workers=2 model.state=separated pdr.churn_per_second=2000
