#!/usr/bin/env bash
# Prints the path of a Python that has the package `kernels` (the Hub's client and the real build.toml parser) and what
# the judging scripts need beside it. KERNELS_PYTHON names one; otherwise a virtual environment is made in the user's
# cache, from the package index.
set -euo pipefail
if [ -n "${KERNELS_PYTHON:-}" ]; then
  echo "$KERNELS_PYTHON"
  exit
fi
venv=${XDG_CACHE_HOME:-$HOME/.cache}/kernel-port/judge
if ! "$venv/bin/python" -c 'import kernels, numpy, einops' 2>/dev/null; then
  python3 -m venv "$venv" >&2
  "$venv/bin/pip" install --quiet 'kernels==0.17.2' numpy einops >&2
fi
echo "$venv/bin/python"
