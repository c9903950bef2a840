#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Stand-ins for the images that the shipped files name, from Debian by debootstrap, for hosts that can pull none.
# Usage: stand_ins.sh FOLDER; as root, with dockerd running (DOCKER_HOST). An image that is there is left alone.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
work=$1
mkdir -p "$work"

there() { docker image inspect "$1" >/dev/null 2>&1; }

if ! there nalm-stand-in:base; then
	[ -d "$work/base/etc" ] || debootstrap --variant=minbase bookworm "$work/base" >"$work/debootstrap.log"
	# What this host trusts, pip and npm in the containers trust.
	mkdir -p "$work/base/etc/ssl"
	cp /etc/ssl/certs/ca-certificates.crt "$work/base/etc/ssl/host.crt"
	tar -C "$work/base" -c . | docker import \
		-c 'ENV SSL_CERT_FILE=/etc/ssl/host.crt PIP_CERT=/etc/ssl/host.crt' \
		-c 'ENV NODE_EXTRA_CA_CERTS=/etc/ssl/host.crt' - nalm-stand-in:base >/dev/null
fi
for one in python:3.11-slim-bookworm postgres:15-bookworm redis:7-bookworm nginx:stable-bookworm; do
	there "$one" && continue
	echo "stand-in for $one"
	docker build -q -t "$one" -f "$here/stand-ins/${one%%:*}.Dockerfile" "$here/stand-ins" >/dev/null
done
