# SPDX-License-Identifier: BSD-3-Clause
# Sourced by the tests that run the program. $1: the binary, $2: the source directory.
set -eu
nf=$1
source=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

memory=256 # MB of EAL

export UBSAN_OPTIONS="halt_on_error=1:print_stacktrace=1"

fail() { echo "$0: $*" >&2; cat "$work/err" >&2; exit 1; }

# run LCORES ARGUMENT...: totals in $work/out, messages in $work/err
run() {
	lcores=$1; shift
	"$nf" --lcores="$lcores" --no-pci --no-huge -m $memory --no-shconf --no-telemetry -- "$@" >"$work/out" 2>"$work/err"
}
member() { sed -n "s/.*\"$1\":\"\{0,1\}\([0-9a-z]*\).*/\1/p" "$work/out"; }
