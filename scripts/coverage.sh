#!/usr/bin/env bash
# Line coverage of src by the unit tests and the tests that run the program. Prints a line a file and the sum.
# usage: scripts/coverage.sh      cargo-tarpaulin is installed when it is missing; about 5 minutes
set -euo pipefail
cd "$(dirname "$0")/.."
command -v cargo-tarpaulin >/dev/null || cargo install cargo-tarpaulin --locked
cargo tarpaulin --engine llvm --follow-exec --target-dir target/tarpaulin --include-files 'src/*' --lib --test cli
