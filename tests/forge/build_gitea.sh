#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Gitea, built from its module by way of the Go proxy, into .cache/forge: the program and the files it serves.
set -euo pipefail
cd "$(dirname "$0")/../.."
module=code.gitea.io/gitea version=v1.26.0 needs_go=1.26.2
target=$PWD/.cache/forge
tags='sqlite sqlite_unlock_notify'
fail() { printf 'tests/forge: %s\n' "$*" >&2; exit 4; }

[ "$(cat "$target/version" 2>/dev/null)" = "$version" ] && [ -x "$target/gitea" ] && exit 0
command -v go >/dev/null || fail "Go is missing, which builds Gitea $version: install Go $needs_go or later from https://go.dev/dl
(Debian 12's own golang is too old), put its bin into PATH, and call again."
have=$(go env GOVERSION)
if [ "$(go env GOTOOLCHAIN)" = local ] && [ "$(printf '%s\n' "go$needs_go" "$have" | sort -V | head -n 1)" != "go$needs_go" ]; then
	fail "Gitea $version needs Go $needs_go; here is $have: install a later one, or unset GOTOOLCHAIN=local so that go fetches it."
fi
command -v gcc >/dev/null || fail "gcc is missing, which builds Gitea's SQLite: apt-get install gcc libc6-dev"

mkdir -p "$target"
echo "==> Gitea $version: fetching its source"
go mod download -json "$module@$version" >"$target/module.json" 2>"$target/build.log" || {
	tail -n 5 "$target/module.json" "$target/build.log" >&2
	fail "the source of $module could not be fetched: is the Go proxy (go env GOPROXY) reachable?"
}
source=$(sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' "$target/module.json")
cd "$source"
total=$(go list -deps -tags "$tags" . 2>>"$target/build.log" | wc -l)
echo "==> Gitea $version: building, once; up to 25 minutes on two cores (log: .cache/forge/build.log)"
began=$SECONDS
# -v names each package when it is compiled; what Go's own cache has is not named.
go build -v -trimpath -tags "$tags" -ldflags '-s -w' -o "$target/gitea.new" . 2>&1 | tee -a "$target/build.log" |
	awk -v total="$total" '{ if (++n % 100 == 0) { printf "    %d of at most %d packages\n", n, total; fflush() } }' || {
	tail -n 15 "$target/build.log" >&2
	fail "Gitea could not be built"
}
rm -rf "$target/static" && mkdir "$target/static"
cp -r options public templates "$target/static/"
chmod -R u+w "$target/static"
mv "$target/gitea.new" "$target/gitea"
echo "$version" >"$target/version"
echo "==> Gitea $version: built in $((SECONDS - began)) s"
