#!/usr/bin/env bash
# Kills runs (SIGKILL) at random moments while they replace an output, and while they change a checkout in place.
# After each kill --out must hold the whole old or the whole new tree, and the next run must succeed; a checkout must
# be whole again, old or new, after the next run.
#
#   scripts/kill-test.sh             500 kills of each kind
#   SHORT=30 scripts/kill-test.sh    30 of each
#   BINARY=... SEED=... FILES=...    another program, another sequence, another size
#   TMPDIR=/dev/shm ...              three minutes for the 500; on ext4, which is slow to reuse what was just deleted, ten
set -euo pipefail
cd "$(dirname "$0")/.."
BINARY=$(realpath "${BINARY:-target/release/kernel-port}")
KILLS=${SHORT:-500}
FILES=${FILES:-1200}
SEED=${SEED:-$(date +%s)}
[ -x "$BINARY" ] || { echo "$BINARY is not there; build it, or name one with BINARY=" >&2; exit 2; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
export HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=k GIT_AUTHOR_EMAIL=k@k GIT_COMMITTER_NAME=k GIT_COMMITTER_EMAIL=k@k
RANDOM=$((SEED % 32768))
echo "seed $SEED, $FILES files, $KILLS kills of each kind"

for tree in one two; do
  mkdir -p $tree/d $tree/e
  for ((i = 0; i < FILES; i++)); do echo "$tree $i" >$tree/$([ $((i % 2)) = 0 ] && echo d || echo e)/$tree$i; done
  chmod 755 $tree/d/${tree}0
  ln -s d/${tree}0 $tree/link
done
recipe='move from="d" to="moved"'

fail() { echo "FAILED: $* (SEED=$SEED)" >&2; cp -r "$work" "$work.kept"; echo "kept in $work.kept" >&2; exit 1; }
now() { date +%s%N; }
# Sleeps for most of the time that a whole run takes, at most.
nap() { local us=$(((RANDOM * 32768 + RANDOM) % ($1 * 8 / 10 / 1000) + 1)); sleep "$((us / 1000000)).$(printf %06d $((us % 1000000)))"; }
same() { diff -r --no-dereference -q "$1" "$2" >/dev/null 2>&1; }
leftovers() { find . -maxdepth 1 -name '.kernel-port-*' | wc -l; }

port() { "$BINARY" -e "$recipe" --dir "$1" --out out >/dev/null; }
for tree in one two; do port $tree; cp -a out want-$tree; done
start=$(now); port one; took=$(($(now) - start))
declare -A ended=([old]=0 [new]=0 [early]=0)
last=one next=two
for ((n = 1; n <= KILLS; n++)); do
  "$BINARY" -e "$recipe" --dir $next --out out >/dev/null 2>&1 &
  pid=$!
  nap $took
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null && ended[early]=$((ended[early] + 1))
  if same out want-$next; then
    ended[new]=$((ended[new] + 1))
    swap=$last last=$next next=$swap
  elif same out want-$last; then
    ended[old]=$((ended[old] + 1))
  else
    fail "kill $n left neither the old nor the new output"
  fi
  if [ $((n % 5)) = 0 ]; then
    port $next 2>err || fail "the run after kill $n failed: $(cat err)"
    same out want-$next || fail "the run after kill $n wrote something else"
    [ "$(leftovers)" = 0 ] || fail "the run after kill $n left $(ls -A | grep kernel-port)"
    swap=$last last=$next next=$swap
  fi
done
echo "--out: $KILLS kills, ${ended[old]} left the old tree, ${ended[new]} the new one (${ended[early]} runs had ended before), never a mix"

# In place: half of the files move, so the checkout is changed in many places.
git init -q repo
cp -a one/. repo
git -C repo add -A
git -C repo commit -qm one
cp -a repo want-before
place() { "$BINARY" -e "$recipe" --dir repo --in-place "$@"; }
start=$(now); place >/dev/null 2>err || fail "--in-place: $(cat err)"; took=$(($(now) - start))
cp -a repo want-after
[ -f want-after/port-provenance.json ] && [ -f want-after/moved/one0 ] || fail "--in-place changed nothing"
whole() { diff -r --no-dereference -q -x .git repo "$1" >/dev/null 2>&1; }
ended=([after]=0 [begun]=0 [decided]=0)
for ((n = 1; n <= KILLS; n++)); do
  git -C repo clean -fdxq
  git -C repo reset --hard -q
  # Not through the function: that would put a shell between, and only the shell would die.
  "$BINARY" -e "$recipe" --dir repo --in-place >/dev/null 2>&1 &
  pid=$!
  if [ $((n % 2)) = 0 ]; then
    nap $took
  else
    # Every other kill comes while files are renamed.
    while [ ! -e repo/.kernel-port-journal/decided ] && kill -0 $pid 2>/dev/null; do :; done
    nap 20000000
  fi
  kill -9 $pid 2>/dev/null || true
  wait $pid 2>/dev/null || true
  if [ -e repo/.kernel-port-journal/decided ]; then
    ended[decided]=$((ended[decided] + 1))
  elif [ -e repo/.kernel-port-journal ]; then
    ended[begun]=$((ended[begun] + 1))
  else
    whole want-before || whole want-after || fail "kill $n left a mix without a journal"
  fi
  # The tree may be ported already, so this run may say so; what counts is the state it leaves.
  place >/dev/null 2>err || true
  if whole want-after; then
    ended[after]=$((ended[after] + 1))
  elif whole want-before; then
    fail "kill $n: the next run left the checkout unported: $(cat err)"
  else
    fail "kill $n: the next run left the checkout half ported: $(cat err)"
  fi
done
echo "--in-place: $KILLS kills, ${ended[begun]} while preparing, ${ended[decided]} while renaming; the next run ported all"
