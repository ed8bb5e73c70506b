#!/usr/bin/env bash
# docs/tutorial.md for real: every command of the page, then the port is loaded with the package `kernels`; the same with
# einops. Needs python3 with venv, git and the package index. UPSTREAMS names a directory to keep einops in.
#   BINARY=target/release/kernel-port scripts/tutorial.sh
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
binary=${BINARY:-${CARGO_TARGET_DIR:-target}/debug/kernel-port}
[ -x "$binary" ] || cargo build --locked -q
upstreams=$(realpath -m "${UPSTREAMS:-target/upstreams}")
python=$(realpath -s "$(scripts/python-with-kernels.sh)")
mkdir -p "$upstreams"
"$python" scripts/upstreams.py "$upstreams" einops

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && cp "$binary" "$work/bin/kernel-port"
ln -s "$root/docs" "$root/examples" "$work"
export PATH=$work/bin:$PATH GIT_CONFIG_NOSYSTEM=1 HOME=$work
for who in AUTHOR COMMITTER; do
  export "GIT_${who}_NAME=you" "GIT_${who}_EMAIL=you@example.com"
done
load() { "$python" "$root/scripts/load_kernel.py" "$@"; }
same() { [ "$1" = "$2" ] || { printf 'expected %s\nbut found %s\n' "$2" "$1" >&2; exit 1; }; }

# A command a record: what follows `$ `, with the lines that follow `> `.
page() {
  awk 'BEGIN { ORS = "" }
    /^```/ { inside = $0 == "```console"; more = 0; next }
    inside && /^\$ / { print "\036" substr($0, 3) "\n"; more = 1; next }
    inside && more && /^>/ { print substr($0, 3) "\n"; next }
    { more = 0 }' docs/tutorial.md
}
commands=0
while IFS= read -r -d $'\036' command; do
  [ -n "$command" ] || continue
  # One of them fails on purpose: the final checks say what is missing. What each prints is compared by `cargo test`.
  if ! (cd "$work" && bash -c "$command") > "$work/log" 2>&1 && ! grep -q 'final checks' "$work/log"; then
    cat "$work/log"
    exit 1
  fi
  commands=$((commands + 1))
done < <(page; printf '\036')
echo "tutorial.md: $commands commands"
cd "$work"
same "$(load out 'k.rms_norm([[3.0, 3.0]], eps=0.0)')" '[[1.0, 1.0]]'
same "$(load out 'k.layer_norm([[1.0, 3.0]], eps=0.0)')" '[[-1.0, 1.0]]'
echo "tinynorm: loaded by the kernels package"
kernel-port examples/einops/port.kdl --dir "$upstreams/einops" --out einops-out --require-pins --quiet
same "$(load einops-out 'k.rearrange(np.arange(6).reshape(2, 3), "a b -> b a").tolist()')" '[[0, 3], [1, 4], [2, 5]]'
echo "einops: loaded by the kernels package"
