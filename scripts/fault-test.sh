#!/usr/bin/env bash
# Faults under an output: full disk, read-only and unwritable places, mount points, overlays, a source file that
# vanishes or cannot be read. The old output must be intact, the exit status 5, the message clear, and nothing left
# behind. Cases that need to mount or to change the user are skipped where that is not permitted.
#
#   scripts/fault-test.sh            BINARY=... names another program
set -euo pipefail
cd "$(dirname "$0")/.."
BINARY=$(realpath "${BINARY:-target/release/kernel-port}")
[ -x "$BINARY" ] || { echo "$BINARY is not there; build it, or name one with BINARY=" >&2; exit 2; }

work=$(mktemp -d)
mounts=()
cleanup() {
  for ((i = ${#mounts[@]} - 1; i >= 0; i--)); do umount "${mounts[i]}" 2>/dev/null || true; done
  chmod -R u+rwx "$work" 2>/dev/null || true
  rm -rf --one-file-system "$work"
}
trap cleanup EXIT
cd "$work"
chmod 755 .
export HOME=/nonexistent

passed=0 skipped=0
case=
fail() { echo "FAILED: $case: $*" >&2; [ ! -s err ] || sed 's/^/  | /' err >&2; exit 1; }
trap 'echo "FAILED: $case: line $LINENO" >&2; sed "s/^/  | /" "$work/err" >&2' ERR
begin() { case=$1; rm -f err log; : >err; }
pass() { passed=$((passed + 1)); echo "ok    $case"; }
skip() { skipped=$((skipped + 1)); echo "skip  $1: $2"; }
# mounted WHERE ARGS...: mounts, or fails when that is not permitted.
mounted() { local where=$1; shift; mkdir -p "$where"; mount "$@" "$where" 2>/dev/null && mounts+=("$work/$where"); }
unmounted() { umount "$1"; }
port() { "$BINARY" -e "$recipe" --dir "$1" --out "$2" "${@:3}" >log 2>err; }
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups "$@"; }
refuses() { # STATUS MESSAGE COMMAND...
  local want=$1 message=$2 status=0
  shift 2
  "$@" || status=$?
  [ $status = "$want" ] || fail "exit status $status, expected $want"
  grep -q -- "$message" err || fail "the message does not say: $message"
  ! grep -q -i 'panicked' err || fail "panic"
}
intact() { diff -r "$1" "$2" >/dev/null || fail "$2 is not as it was: $(diff -r "$1" "$2" | head -3)"; }
clean() { local left; left=$(find "$1" -name '.kernel-port-*' | head -3); [ -z "$left" ] || fail "left $left"; }

recipe='move from="d" to="moved"'
small() { rm -rf "$1"; mkdir -p "$1/d"; echo "$2" >"$1/d/f"; echo keep >"$1/a"; }
small one 1
small two 2
mkdir -p big/d; for i in $(seq 40); do head -c 100000 /dev/urandom >big/d/$i; done
port one want-one; port two want-two

begin "full disk, output beside its staging"
if mounted disk -t tmpfs -o size=1m tmpfs; then
  port one disk/out
  refuses 5 "No space left on device" port big disk/out
  intact want-one disk/out; clean disk
  port two disk/out; intact want-two disk/out; pass
else skip "$case" "mount is not permitted"; fi

begin "full disk, output on the mount point"
if mounted point -t tmpfs -o size=1m tmpfs; then
  port one point; intact want-one point
  port two point; intact want-two point
  refuses 5 "No space left on device" port big point
  intact want-two point; clean point; pass
else skip "$case" "mount is not permitted"; fi

begin "mount point that holds something else"
if mounted other -t tmpfs -o size=1m tmpfs; then
  echo last-good >other/build.toml
  refuses 5 "no port-provenance.json" port one other
  [ "$(cat other/build.toml)" = last-good ] || fail "lost"
  port one other --force; intact want-one other; pass
else skip "$case" "mount is not permitted"; fi

begin "no inodes left"
if mounted inodes -t tmpfs -o size=8m,nr_inodes=12 tmpfs; then
  port one inodes/out
  refuses 5 "No space left on device" port big inodes/out
  intact want-one inodes/out; clean inodes; pass
else skip "$case" "mount is not permitted"; fi

begin "bind mount of one file system"
mkdir -p volume
if mounted bound --bind volume; then
  port one bound; intact want-one volume
  port two bound; intact want-two volume; clean volume; pass
else skip "$case" "mount is not permitted"; fi

begin "read-only file system"
if mounted ro -t tmpfs -o size=1m tmpfs; then
  port one ro/out; mount -o remount,ro ro
  refuses 5 "Read-only file system" port two ro/out
  refuses 5 "Read-only file system" port two ro/new/out
  intact want-one ro/out; pass
else skip "$case" "mount is not permitted"; fi

begin "output in the lower layer of an overlay"
mkdir -p lower upper scratch; port one lower/out
if mounted layers -t overlay -o lowerdir=lower,upperdir=upper,workdir=scratch overlay; then
  port two layers/out; intact want-two layers/out; clean layers
  intact want-one lower/out; port one layers/out; intact want-one layers/out; pass
else skip "$case" "mount is not permitted"; fi

begin "unwritable parent: the output is replaced inside"
if nobody true 2>/dev/null; then
  mkdir -p p; port one p/out; chown -R 65534 p/out; chmod 555 p
  : >err; chmod 666 err; : >log; chmod 666 log
  nobody "$BINARY" -e "$recipe" --dir two --out p/out >log 2>err || fail "did not write"
  intact want-two p/out; clean p; pass
else skip "$case" "cannot change the user"; fi

begin "unwritable parent and output"
if nobody true 2>/dev/null; then
  mkdir -p q; port one q/out; chmod 555 q q/out
  refuses 5 "Permission denied" eval 'nobody "$BINARY" -e "$recipe" --dir two --out q/out >log 2>err'
  refuses 5 "Permission denied" eval 'nobody "$BINARY" -e "$recipe" --dir two --out q/new >log 2>err'
  intact want-one q/out; clean q; pass
else skip "$case" "cannot change the user"; fi

begin "old output that its owner may not enter"
mkdir -p r; port one r/out; chmod 000 r/out/moved
if nobody true 2>/dev/null; then
  chown -R 65534 r
  refuses 5 "Permission denied" eval 'nobody "$BINARY" -e "$recipe" --dir two --out r/out >log 2>err'
  nobody chmod 500 r/out/moved
  nobody "$BINARY" -e "$recipe" --dir two --out r/out >log 2>err || fail "did not write"
  intact want-two r/out; clean r; pass
else skip "$case" "cannot change the user"; fi

begin "source file that may not be read"
if nobody true 2>/dev/null; then
  small locked 3; chmod 000 locked/a; mkdir -p s; port one s/out; chown -R 65534 s
  refuses 5 "Permission denied" eval 'nobody "$BINARY" -e "$recipe" --dir locked --out s/out >log 2>err'
  intact want-one s/out; clean s; pass
else skip "$case" "cannot change the user"; fi

begin "source file that gives EIO"
small eio 4; : >eio/broken; mkdir -p t; port one t/out
# The memory of this shell reads as EIO at address 0.
if mount --bind /proc/$$/mem eio/broken 2>/dev/null; then
  mounts+=("$work/eio/broken")
  refuses 5 "Input/output error" port eio t/out
  intact want-one t/out; clean t; pass
else skip "$case" "mount is not permitted"; fi

begin "source file that vanishes while the port is written"
mkdir -p u; port one u/out
mkdir -p racy/d racy/e; for i in $(seq 3000); do echo $i >racy/e/$i; done; echo x >racy/d/f
seen=0
for try in $(seq 20); do
  : >racy/e/zz
  "$BINARY" -e "$recipe" --dir racy --out u/out >log 2>err &
  pid=$!
  sleep 0.0$((try % 9 + 1)); rm -f racy/e/zz
  if wait $pid; then
    rm -rf u/out; port one u/out
  else
    seen=$((seen + 1))
    grep -q "racy/e/zz: No such file" err || fail "the message does not name the file"
    intact want-one u/out
  fi
  clean u
done
if [ $seen -gt 0 ]; then pass; echo "      (caught $seen times in 20)"; else skip "$case" "the file never vanished in time"; fi

begin "modes whatever the umask"
for mask in 000 022 077 777; do
  rm -rf v; mkdir v
  (umask $mask; "$BINARY" -e "$recipe" --dir one --out "$work/v/p/out" >/dev/null 2>"$work/v.err") || fail "umask $mask: $(cat v.err)"
  [ "$(stat -c %a v/p v/p/out v/p/out/moved v/p/out/moved/f v/p/out/port-provenance.json | xargs)" = "755 755 755 644 644" ] || fail "umask $mask"
done
pass

begin "two runs into one output"
mkdir -p s1/d s2/d; for i in $(seq 1500); do echo one >s1/d/f$i; echo two >s2/d/g$i; done
for n in $(seq 10); do
  rm -rf o; mkdir o
  "$BINARY" -e "$recipe" --dir s1 --out o >/dev/null 2>err & a=$!
  "$BINARY" -e "$recipe" --dir s2 --out o >/dev/null 2>err2 & b=$!
  wait $a || fail "the first failed"
  wait $b || fail "the second failed: $(cat err2)"
  f=$(find o -name 'f*' | wc -l) g=$(find o -name 'g*' | wc -l)
  case "$f $g" in "1500 0" | "0 1500") ;; *) fail "$f of the first and $g of the second" ;; esac
done
clean .
pass

echo "$passed passed, $skipped skipped"
