#!/usr/bin/env bash
# docs/tutorial.md for real: every command of the page, then the port is loaded with the package `kernels`; the same with
# einops from the package index. Takes a minute. Needs python3 (3.11 or newer) with venv, git and the package index.
#   BINARY=target/release/kernel-port scripts/tutorial.sh
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
binary=${BINARY:-target/debug/kernel-port}
[ -x "$binary" ] || cargo build --locked -q
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/bin" && cp "$binary" "$work/bin/kernel-port"
ln -s "$root/docs" "$root/examples" "$work"
export PATH=$work/bin:$PATH GIT_CONFIG_NOSYSTEM=1 HOME=$work
for who in AUTHOR COMMITTER; do
  export "GIT_${who}_NAME=upstream" "GIT_${who}_EMAIL=upstream@example.com"
done
commit() { # date message: everything in the work tree, with the same id on every machine
  git add -A -f
  GIT_AUTHOR_DATE=$1 GIT_COMMITTER_DATE=$1 git commit -q -m "$2"
}

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q --disable-pip-version-check 'kernels==0.17.2' numpy hatchling
load() { "$work/venv/bin/python" "$root/scripts/load_kernel.py" "$@"; }
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
  # What the page greps from a run that fails is a pipe's status; the page's test compares the output.
  (cd "$work" && bash -c "$command") > "$work/log" 2>&1 || { grep -q 'final checks' "$work/log" || { cat "$work/log"; exit 1; }; }
  commands=$((commands + 1))
done < <(page; printf '\036')
echo "tutorial.md: $commands commands"
cd "$work"
same "$(load out 'k.rms_norm([[3.0, 3.0]], eps=0.0)')" '[[1.0, 1.0]]'
same "$(load out 'k.layer_norm([[1.0, 3.0]], eps=0.0)')" '[[-1.0, 1.0]]'
echo "tinynorm: loaded by the kernels package"

git init -q -b main einops
git -C einops remote add origin https://example.com/upstream/einops.git
day=0
for version in 0.7.0 0.8.1; do
  day=$((day + 1))
  "$work/venv/bin/pip" download -q --disable-pip-version-check --no-deps --no-binary :all: --no-build-isolation -d sdist "einops==$version"
  find einops -mindepth 1 -maxdepth 1 ! -name .git -exec rm -rf {} +
  tar -xzf "sdist/einops-$version.tar.gz" -C einops --strip-components=1 --no-same-owner
  (cd einops && commit "2025-01-0${day}T00:00:00Z" "einops $version")
done
kernel-port examples/einops/port.kdl --dir einops --out einops-out --require-pins --quiet
same "$(load einops-out 'k.rearrange(np.arange(6).reshape(2, 3), "a b -> b a").tolist()')" '[[0, 3], [1, 4], [2, 5]]'
echo "einops: loaded by the kernels package"
