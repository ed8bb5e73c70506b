#!/usr/bin/env bash
# Fetches from real git servers on the loopback: HTTP with protocol 2 and without, and file://. Cold, warm, offline, wrong
# commit, moved tag, a server that is gone, interrupted at random moments, many runs at once.
#
#   scripts/fetch-test.sh                     100 kills, 50 parallel runs
#   SHORT=5 scripts/fetch-test.sh             5 kills, 10 parallel runs
#   BINARY=... SEED=...                       another program, another sequence
set -euo pipefail
cd "$(dirname "$0")/.."
server=$(realpath scripts/git-http-server.py)
BINARY=$(realpath "${BINARY:-target/release/kernel-port}")
KILLS=${SHORT:-100}
PARALLEL=$([ -n "${SHORT:-}" ] && echo 10 || echo 50)
SEED=${SEED:-$(date +%s)}
[ -x "$BINARY" ] || { echo "$BINARY is not there; build it, or name one with BINARY=" >&2; exit 2; }

work=$(mktemp -d)
servers=()
finish() { for pid in "${servers[@]}"; do kill "$pid" 2>/dev/null || true; done; rm -rf "$work"; }
trap finish EXIT
cd "$work"
export HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=k GIT_AUTHOR_EMAIL=k@k GIT_COMMITTER_NAME=k GIT_COMMITTER_EMAIL=k@k
export KERNEL_PORT_CACHE=$work/cache
RANDOM=$((SEED % 32768))
echo "seed $SEED, $KILLS kills, $PARALLEL parallel runs"

git init -q up
mkdir up/pkg
for ((i = 0; i < 300; i++)); do head -c 2000 /dev/urandom | base64 >up/pkg/f$i; done
printf '#!/bin/sh\n' >up/run.sh && chmod 755 up/run.sh && ln -s pkg up/link
git -C up add -A && git -C up commit -qm one
commit=$(git -C up rev-parse HEAD)
git clone -q up checkout
echo more >up/pkg/more && git -C up add -A && git -C up commit -qm two && git -C up tag v1

fail() { echo "FAILED: $* (SEED=$SEED)" >&2; cp -r "$work" "$work.kept"; echo "kept in $work.kept" >&2; exit 1; }
# serve OPTIONS...: sets `url`
serve() {
  exec {output}< <(exec python3 "$server" "$work" "$@")
  servers+=($!)
  read -r port <&"$output"
  url=http://127.0.0.1:$port/up/.git
}
port() { local out=$1; shift; "$BINARY" -e "source repo=\"$url\" commit=\"$commit\"" --out "$out" --force "$@" >log 2>&1; }
tree() { grep '^tree ' log; }
# The git of a killed run may still be writing.
forget() { until rm -rf cache 2>/dev/null; do sleep 0.1; done; }
# What killed runs left beside the entries goes with the next fetch of the same commit, or with the one after.
cached() { find cache -mindepth 3 -maxdepth 3 ! -name '*.lock' ! -name '*.partial-*' | wc -l; }

git -C checkout remote add same file:///same
"$BINARY" -e "source repo=\"file:///same\" commit=\"$commit\"" --dir checkout --out given >log
expected=$(tree)
check() { [ "$(tree)" = "$expected" ] || fail "$1: another tree: $(cat log)"; }

url=file://$work/up
port out && check "file://"
forget

serve
two=$url
port out && check cold
[ "$(cached)" = 1 ] || fail "cold: $(cached) entries"
port out && check warm
port out --offline && check offline
git -C up tag -f v1 "$commit" >/dev/null 2>&1
git -C up tag -f v1 HEAD >/dev/null 2>&1
forget && port out && check "moved tag"
right=$commit commit=$(printf %040d 7)
port wrong && fail "a commit that is not there was fetched"
grep -q "has no commit $commit" log || fail "wrong commit: $(cat log)"
commit=$right
kill "${servers[0]}" && wait "${servers[0]}" 2>/dev/null || true
port out && check "warm without a server"
forget
port gone && fail "a server that is gone answered"
grep -q 'the host cannot be reached' log || fail "gone: $(cat log)"
port gone --offline && fail "an empty cache gave a tree"
grep -q 'is not in the cache' log || fail "offline: $(cat log)"
[ ! -e gone ] || fail "a failed fetch wrote an output"
echo "ok: cold, warm, offline, moved tag, wrong commit, gone"

serve --v0
port out && check "without protocol 2"
[ "$url" != "$two" ] || fail "the same server"
echo "ok: a server that refuses commit ids"

forget
serve --slow 0.3
killed=0
for ((i = 0; i < KILLS; i++)); do
  forget
  "$BINARY" -e "source repo=\"$url\" commit=\"$commit\"" --out out --force >log 2>&1 &
  pid=$!
  sleep "0.$(printf %03d $((RANDOM % 900)))"
  if kill -9 $pid 2>/dev/null; then killed=$((killed + 1)); fi
  wait $pid 2>/dev/null || true
  # What is in the cache is whole, and what is left beside it hinders nobody.
  if [ -e cache/sources ] && port out --offline; then check "after kill $i, offline"; fi
  if ((i % 5 == 0)); then
    port out || fail "after kill $i: $(cat log)"
    check "after kill $i"
    [ "$(cached)" = 1 ] || fail "after kill $i: $(cached) entries"
  fi
done
echo "ok: interrupted $killed times"

forget
pids=()
for ((i = 0; i < PARALLEL; i++)); do
  "$BINARY" -e "source repo=\"$url\" commit=\"$commit\"" --out "many/$i" >"log-$i" 2>&1 &
  pids+=($!)
done
for ((i = 0; i < PARALLEL; i++)); do
  wait "${pids[$i]}" || fail "parallel run $i: $(cat "log-$i")"
  cp "log-$i" log && check "parallel run $i"
done
[ "$(cached)" = 1 ] || fail "parallel: $(cached) entries"
echo "ok: $PARALLEL runs at once"
