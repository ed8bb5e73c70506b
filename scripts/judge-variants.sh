#!/usr/bin/env bash
# Compares our reading of build variant names, and our choice for a system, with the client that loads kernels.
# Usage: scripts/judge-variants.sh [SEED]
# Needs python3 with venv and the package index (see python-with-kernels.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
python=$(scripts/python-with-kernels.sh)
cargo build --quiet
exec "$python" scripts/judge-variants.py "${CARGO_TARGET_DIR:-target}/debug/kernel-port" "${1:-1}"
