#!/usr/bin/env bash
# One archive of a release: the binary, completions, man page, licence and README, and its checksum beside it.
#   scripts/package.sh TARGET DIR      TARGET is a Rust target, such as x86_64-unknown-linux-musl
set -euo pipefail
target=${1:?usage: package.sh TARGET DIR}
dist=${2:?usage: package.sh TARGET DIR}
cd "$(dirname "$0")/.."
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -n 1)
case ${GITHUB_REF_NAME:-} in
  v*) [ "$GITHUB_REF_NAME" = "v$version" ] || { echo "the tag is $GITHUB_REF_NAME, Cargo.toml says $version" >&2; exit 1; } ;;
esac
cargo build --release --locked --target "$target"
binary=target/$target/release/kernel-port
case $target in
  # A binary that still asks for a loader is not static; `ldd` says so with an exit status that differs between systems.
  *-musl) if ldd "$binary" 2>&1 | grep -q '=>'; then echo "$binary is not static" >&2; exit 1; fi ;;
esac
name=kernel-port-$version-$target
mkdir -p "$dist"
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir -p "$stage/$name/completions"
install -m 755 "$binary" "$stage/$name/kernel-port"
for shell in bash elvish fish powershell zsh; do
  "$binary" completions "$shell" > "$stage/$name/completions/kernel-port.$shell"
done
"$binary" man > "$stage/$name/kernel-port.1"
install -m 644 LICENSE README.md CHANGELOG.md "$stage/$name"
# The same commit gives the same archive: no times, owners or order of the machine.
tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C "$stage" -c "$name" | gzip -n > "$dist/$name.tar.gz"
(cd "$dist" && sha256sum "$name.tar.gz" > "$name.tar.gz.sha256")
echo "$dist/$name.tar.gz"
