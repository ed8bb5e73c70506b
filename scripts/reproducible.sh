#!/usr/bin/env bash
# The same port from every kind of source, on every kind of machine, gives the same bytes: from a checkout, a worktree, shallow,
# partial, sparse and bare clones, the cache; with autocrlf, filters, export-subst and eol attributes; under other locales,
# umasks, homes, time zones and directories.
#
#   scripts/reproducible.sh                   the made-up upstream, SHA-1 and SHA-256
#   scripts/reproducible.sh CHECKOUT...       these too (a port that keeps every file)
#   SHORT=1 scripts/reproducible.sh           SHA-1 only
#   BINARY=...                                another program
set -euo pipefail
cd "$(dirname "$0")/.."
BINARY=$(realpath "${BINARY:-target/release/kernel-port}")
[ -x "$BINARY" ] || { echo "$BINARY is not there; build it, or name one with BINARY=" >&2; exit 2; }
checkouts=()
for checkout in "$@"; do checkouts+=("$(realpath "$checkout")"); done

work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
cd "$work"
export HOME=$work/home GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 KERNEL_PORT_CACHE=$work/cache
export GIT_AUTHOR_NAME=k GIT_AUTHOR_EMAIL=k@k GIT_COMMITTER_NAME=k GIT_COMMITTER_EMAIL=k@k
mkdir -p "$HOME"
fail() { echo "FAILED: $*" >&2; sed 's/^/  /' log >&2 || true; exit 1; }

# An upstream on which checkouts differ: attributes that change bytes on the way out, and names that do not survive everywhere.
make_upstream() {
  rm -rf "$1"; git init -q "$2" "$1"; cd "$1"
  mkdir -p pkg/sub csrc docs
  printf '"""Doc."""\nimport os\nfrom pkg.sub.b import y\nimport pkg.sub as s\nx = y\n' >pkg/a.py
  printf 'from pkg import a\r\ny = 2\r\n' >pkg/sub/b.py
  : >pkg/__init__.py; : >pkg/sub/__init__.py
  printf 'int k(); // $Id$ $Format:%%H$\n' >csrc/k.cu
  printf 'int h();\n' >csrc/k.h
  printf '#!/bin/sh\necho k\n' >run.sh; chmod 755 run.sh
  printf 'one\r\ntwo\nthree\r\n' >docs/mixed.txt
  printf 'SECRET word\n' >docs/filtered.up
  printf 'h\303\251llo\n' >docs/wide.u16
  printf 'kept\n' >docs/ignored-by-export
  printf '\0\1\2\377binary\r\n' >docs/blob.bin
  printf 'x\n' >$'docs/caf\303\251'; printf 'x\n' >'docs/a blank "and" quote'; printf 'x\n' >$'docs/latin\351'
  printf 'x\n' >docs/UPPER; ln -s ../run.sh docs/link; : >docs/empty
  seq 60000 >docs/large.txt
  cp docs/wide.u16 ../wide; iconv -f UTF-8 -t UTF-16 ../wide >docs/wide.u16
  cat >.gitattributes <<'ATTRIBUTES'
* text=auto
*.py text
*.cu ident export-subst
*.up filter=up
*.u16 text working-tree-encoding=UTF-16
docs/mixed.txt -text
docs/large.txt text eol=crlf
docs/ignored-by-export export-ignore
ATTRIBUTES
  printf '*.pyc\nbuild/\n' >.gitignore
  git -c core.autocrlf=false -c core.safecrlf=false -c filter.up.clean="tr a-z A-Z" add -A
  git commit -qm one
  cd "$work"
}

mkdir -p overlay/torch-ext/pkg; printf 'extra = 1\n' >overlay/torch-ext/pkg/extra.py; printf '#!/bin/sh\n' >overlay/tool; chmod 755 overlay/tool
recipe_of() { # URL COMMIT
  cat >port.kdl <<RECIPE
recipe version=1
source repo="$1" commit="$2"
move from="pkg" to="torch-ext/pkg"
relativize_imports in="torch-ext/pkg/a.py" package_root="torch-ext/pkg" changes=2
relativize_imports in="torch-ext/pkg/**" package_root="torch-ext/pkg"
replace in="docs/mixed.txt" find="two\\n" with="2\\n" count=1
overlay from="overlay"
kernel name="k" backend="cuda" src="csrc/k.cu"
manifest name="pkg" version=1 license="MIT" edition=5 backends="cuda" torch_src="csrc/*.h"
RECIPE
}

# try NAME ARGUMENTS...: runs the port and compares with the first run. `shell` is what stands before the program.
shell=()
try() {
  local name=$1; shift
  chmod -R u+rwx out 2>/dev/null || true; rm -rf out
  "${shell[@]}" "$BINARY" "$recipe" "$@" --out "$work/out" >log 2>&1 || fail "$title: $name: status $?"
  local tree; tree=$(grep '^tree ' log) || fail "$title: $name: no tree hash"
  if [ "$name" = checkout ]; then
    expected=${expected:-$tree}; rm -rf want; cp -a out want
    echo "$title: ${tree}"
  fi
  [ "$tree" = "$expected" ] || { diff -rq --no-dereference want out >&2; fail "$title: $name: $tree"; }
  diff -r --no-dereference want out >&2 || fail "$title: $name: the outputs differ"
  [ "$(cd out && find . -type f -perm -100 | LC_ALL=C sort)" = "$(cd want && find . -type f -perm -100 | LC_ALL=C sort)" ] ||
    fail "$title: $name: other modes"
  runs=$((runs + 1)); "$BINARY" "$recipe" "$@" --out "$work/out" --check >log 2>&1 || fail "$title: $name: --check: status $?"
}
clone() { rm -rf c; git clone -q "$@" "file://$work/up" c; }

suite() { # TITLE TREE; the upstream is in up/, the recipe in port.kdl
  title=$1 expected=$2 recipe=port.kdl
  git -C up remote remove origin 2>/dev/null || true
  git -C up remote add origin "file://$work/up"
  git -C up config uploadpack.allowFilter true
  git -C up config uploadpack.allowAnySHA1InWant true
  clone; try checkout --dir c
  for setting in core.autocrlf=true core.autocrlf=input core.autocrlf=false core.eol=crlf core.symlinks=true core.precomposeUnicode=true \
    core.ignoreCase=true core.quotePath=true core.checkStat=minimal core.trustctime=false filter.up.smudge='tr A-Z a-z' core.bigFileThreshold=1k; do
    clone -c "$setting"; try "clone with $setting" --dir c
  done
  clone -c core.autocrlf=true -c core.eol=crlf -c filter.up.smudge='tr A-Z a-z' -c filter.up.clean='tr a-z A-Z' -c filter.up.required=true
  try "clone with all of them" --dir c
  printf '[core]\n autocrlf = true\n attributesFile = %s/attributes\n excludesFile = %s/ignore\n[filter "up"]\n smudge = tr A-Z a-z\n clean = tr a-z A-Z\n' "$HOME" "$HOME" >"$HOME/.gitconfig"
  printf '*.md text eol=crlf\n' >"$HOME/attributes"; printf '*.py\n' >"$HOME/ignore"
  clone; try "clone under the user's settings" --dir c
  rm "$HOME/.gitconfig"; try "the same, settings gone" --dir c
  clone --depth 1; try "shallow clone" --dir c
  clone --filter=blob:none; try "partial clone" --dir c
  clone --filter=tree:0; try "clone without trees" --dir c
  clone; git -C c sparse-checkout set --cone docs; try "sparse checkout" --dir c
  clone; git -C c gc -q --aggressive; git -C c pack-refs --all; try "packed" --dir c
  clone; git -C c checkout -q --detach; try "detached" --dir c
  clone; find c -not -path '*/.git/*' -exec touch -h -d 2001-02-03 {} +; try "other times" --dir c
  git -C up worktree add -q --detach "$work/w"; try "worktree" --dir w; git -C up worktree remove --force "$work/w"
  rm -rf bare.git; git clone -q --bare "file://$work/up" bare.git; git -C bare.git worktree add -q --detach "$work/w"
  try "worktree of a bare clone" --dir w; rm -rf bare.git w
  rm -rf c; git clone -q --shared "$work/up" c; git -C c remote set-url origin "file://$work/up"; try "objects of another" --dir c
  try "cache, cold"
  try "cache, warm" --offline
  rm -rf cache; umask 077; try "cache and output under umask 077"; umask 000; try "umask 000" --offline; umask 022
  clone -c core.autocrlf=true
  for locale in C POSIX C.UTF-8 en_US.UTF-8 tr_TR.UTF-8 ja_JP.eucJP; do
    shell=(env LC_ALL="$locale" LANG="$locale" LANGUAGE="$locale"); try "locale $locale" --dir c
  done
  shell=(env TZ=Asia/Kathmandu SOURCE_DATE_EPOCH=1 COLUMNS=20 NO_COLOR=1); try "time zone" --dir c
  shell=(env -i "PATH=$PATH" HOME=/nonexistent); try "another home" --dir c
  shell=(env -u HOME); try "no home" --dir c
  shell=(env GIT_DIR=/nonexistent GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=core.autocrlf GIT_CONFIG_VALUE_0=true); try "git's environment" --dir c
  shell=(env RAYON_NUM_THREADS=1); command -v taskset >/dev/null && shell+=(taskset -c 0); try "one processor" --dir c
  shell=(env -C / "KERNEL_PORT_CACHE=$work/cache"); recipe=$work/port.kdl; try "another directory" --dir "$work/c"
  shell=(); mkdir -p "$work/deep/er"; mv c "$work/deep/er/c ö"; try "another place" --dir "$work/deep/er/c ö"; rm -rf deep cache
}

runs=0
for format in sha1 $([ -n "${SHORT:-}" ] || echo sha256); do
  make_upstream up "--object-format=$format"
  recipe_of "file://$work/up" "$(git -C up rev-parse HEAD)"
  # The object format leaves no trace in the tree.
  suite "made up, $format" "${expected:-}"
done
for checkout in "${checkouts[@]}"; do
  rm -rf up; git clone -q "file://$checkout" up
  printf 'recipe version=1\nsource repo="%s" commit="%s"\n' "file://$work/up" "$(git -C up rev-parse HEAD)" >port.kdl
  suite "$(basename "$checkout")" ""
done
echo "$runs runs, each twice: the same bytes"
