#!/usr/bin/env bash
# Times whole runs on real upstreams; see bench.py. Results go to benches/RESULTS.md.
# usage: scripts/bench.sh [--full] [--rounds N] [--compare REV]
# UPSTREAMS names a directory to keep the upstreams in. --compare builds REV beside this and prints new to old.
set -euo pipefail
cd "$(dirname "$0")/.."
upstreams=${UPSTREAMS:-target/upstreams}
more=()
while [ $# -gt 0 ]; do
  case $1 in
    --compare)
      other=target/compared
      git worktree remove --force "$other" 2>/dev/null || true
      git worktree add --quiet --detach "$other" "${2:?--compare REV}"
      trap 'git worktree remove --force "$other"' EXIT
      (cd "$other" && CARGO_TARGET_DIR=$PWD/../compared-target cargo build --release --locked --quiet)
      more+=(--against target/compared-target/release/kernel-port)
      shift
      ;;
    *) more+=("$1") ;;
  esac
  shift
done
mkdir -p "$upstreams"
python3 scripts/upstreams.py "$upstreams" einops fla-core flash-attn liger-kernel mamba-ssm causal-conv1d
cargo build --release --locked --quiet
python3 scripts/bench.py "${CARGO_TARGET_DIR:-target}/release/kernel-port" "$upstreams" --results benches/RESULTS.md "${more[@]}"
