#!/usr/bin/env bash
# Runs the kept ports of real upstreams and loads them; see real_ports.py.
# usage: scripts/real-ports.sh [NAME...]     without names: all six. UPSTREAMS names a directory to keep the upstreams in.
# Needs python3 with venv, git and the package index.
set -euo pipefail
cd "$(dirname "$0")/.."
upstreams=${UPSTREAMS:-target/upstreams}
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(einops causal-conv1d mamba-ssm liger-kernel natten fla-core)
mkdir -p "$upstreams"
python=$(scripts/python-with-kernels.sh)
"$python" scripts/upstreams.py "$upstreams" "${names[@]}"
cargo build --quiet --locked
program=${CARGO_TARGET_DIR:-target}/debug/kernel-port
"$python" scripts/real_ports.py "$program" "$upstreams" "${names[@]}"
# The same packages ported by three ops alone, judged by CPython's own parser and import system.
"$python" scripts/oracle_ports.py "$program" "$upstreams" "${names[@]}"
