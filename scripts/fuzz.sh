#!/usr/bin/env bash
# Fuzzes every target of fuzz/: any Python under every op, any recipe, any git tree, any variant name.
# usage: scripts/fuzz.sh [SECONDS [TARGET...]]     10 seconds a target unless told; the long run is 600
# cargo-fuzz is installed when it is missing. What it finds is in fuzz/artifacts; the corpus grows in fuzz/corpus.
set -euo pipefail
shopt -s globstar
cd "$(dirname "$0")/.."
seconds=${1:-10}
shift || true
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(python recipe trees variant)
command -v cargo-fuzz >/dev/null || cargo install cargo-fuzz --locked
# Coverage needs options of the compiler that only nightly admits to; the stable one has them.
export RUSTC_BOOTSTRAP=1
for target in "${targets[@]}"; do
  corpus=fuzz/corpus/$target
  mkdir -p "$corpus"
  if [ "$target" = python ]; then
    for file in examples/*/upstream/**/*.py; do printf '\0' | cat - "$file" >"$corpus/$(basename "$file")"; done
  elif [ "$target" = recipe ]; then
    for file in examples/*/port.kdl; do head -c 4000 "$file" >"$corpus/$(echo "$file" | tr / -)"; done
  fi
  echo "== $target, $seconds seconds"
  log=$(mktemp)
  failed=0
  cargo fuzz run --sanitizer none "$target" -- -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 >"$log" 2>&1 ||
    failed=1
  grep -E "ERROR|panicked|SUMMARY|stat::number_of_executed_units|stat::average_exec|^Done" "$log" || true
  # A target that does not build has found nothing either.
  if [ $failed = 1 ]; then
    tail -30 "$log" >&2
    echo "found: $(ls fuzz/artifacts/"$target" 2>/dev/null | head -3)" >&2
    exit 1
  fi
  rm "$log"
done
