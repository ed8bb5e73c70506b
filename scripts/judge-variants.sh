#!/usr/bin/env bash
# Compares our reading of build variant names, and our choice for a system, with the client that loads kernels.
# Usage: scripts/judge-variants.sh [SEED]
# JUDGE_VENV names a virtual environment outside the repository; it is made, with kernels==0.17.2, when it is not there.
set -euo pipefail
cd "$(dirname "$0")/.."
venv=${JUDGE_VENV:-${TMPDIR:-/tmp}/kernel-port-judge}
if ! "$venv/bin/python" -c 'import kernels' 2>/dev/null; then
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet 'kernels==0.17.2'
fi
cargo build --quiet
exec "$venv/bin/python" scripts/judge-variants.py "${CARGO_TARGET_DIR:-target}/debug/kernel-port" "${1:-1}"
