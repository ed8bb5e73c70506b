#!/usr/bin/env bash
# judge-manifests.sh [COUNT] [SEED]: the builder's own parser judges what the manifest op accepts.
#
# Random manifests (default 300: all keys, random subsets, hostile strings, about half with something wrong) are put
# together twice: as a recipe for our checks, and as a build.toml without them. `Build.open` of the PyPI package
# kernels==0.17.2 reads the second. The two verdicts must agree, and the file our op writes must say the same as the
# one put together without it, for the parser and for Python's tomllib.
#
# Differences that are meant, each recognised by our own message (the table below); anything else fails the script:
#
# We refuse, the parser accepts, because the builder fails later or the result is not what was meant:
#   section name         becomes part of a CMake target
#   `;` in a flag        CMake cuts the flag in two
#   Python packages      checked by the builder after parsing, not by the parser
#   backends, sections   a backend without a section builds nothing; a section of an unlisted backend is never built
#   listed twice         a mistake in a list
#   version "+1.2"       the parser reads numbers as Rust does
#   oldest > newest      no version fits
#   URLs                 "https:a/b", "@h:p" and the like: the parser normalises them, nobody means them
#   Hub names, branches  the parser takes any text
#   ROCm names           the parser takes any text
#   extensions           ".json" and "*" match no file
#   paths                leave the tree
#   empty licence
# We accept, the parser refuses:
#   edition 6            not released; 0.17.2 reads edition 5 only (a warning says so)
#   unknown dependency   a warning: the list grows with the builder
#
# Needs python3 with venv and the package index (see python-with-kernels.sh).
set -euo pipefail
cd "$(dirname "$0")/.."
count=${1:-300} seed=${2:-1}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
python=$(scripts/python-with-kernels.sh)
cargo run -q --example generate_manifests -- "$work" "$count" "$seed"
"$python" - "$work" 2>"$work/stderr" <<'PY'
import collections, pathlib, re, sys, tempfile, tomllib
from kernels._rust import Build

STRICTER = {
    "section name": r"is no section name|name= is empty",
    "flag with ;": r"holds `;`",
    "Python package": r"is no Python package",
    "backends and sections": r"is listed, but|section .* is for .*, but backends|a second section",
    "listed twice": r"names \".*\" twice",
    "version": r"\"\+1\.2\" is no version",
    "oldest > newest": r"but the oldest allowed is",
    "URL": r"is no git URL",
    "Hub name or branch": r"is no repository of the Hub|is no branch name|is no revision",
    "ROCm name": r"is no ROCm architecture",
    "extension": r"is no file extension",
    "path": r"holds `\.\.`|is absolute",
    "empty licence": r"license= is empty",
}
WIDER = {
    "edition 6": r"edition= is 6, which kernel-builder",
    "unknown dependency": r"is no dependency that kernel-builder",
}


def parser(text):
    with tempfile.TemporaryDirectory() as directory:
        pathlib.Path(directory, "build.toml").write_bytes(text)
        try:
            Build.open(directory)
        except ValueError as error:
            return str(error)
    return None


agree, differ, wrong = collections.Counter(), collections.Counter(), []
for case in sorted(p for p in pathlib.Path(sys.argv[1]).iterdir() if p.is_dir()):
    lines = (case / "verdict").read_text().splitlines()
    errors = [line[7:] for line in lines if line.startswith("error: ")]
    refused = parser((case / "build.toml").read_bytes())
    written = (case / "written.toml").read_bytes() if (case / "written.toml").exists() else None
    show = lambda why: wrong.append(f"{case.name}: {why}\n" + (case / "recipe.kdl").read_text())
    if errors:
        reasons = {next((name for name, text in STRICTER.items() if re.search(text, e)), None) for e in errors}
        if refused:
            agree["both refuse"] += 1
        elif None in reasons:
            show("we refuse, the parser accepts: " + "; ".join(errors))
        else:
            differ.update(f"only we refuse: {name}" for name in reasons)
        continue
    ours = parser(written)
    meant = [name for name, text in WIDER.items() if any(re.search(text, line) for line in lines)]
    said, asked = (tomllib.loads(text.decode()) for text in (written, (case / "build.toml").read_bytes()))
    if "edition 6" in meant:
        for section in said.get("kernel", {}).values():
            section["backend"] = section.pop("language").removeprefix("cpp-")
    if said != asked:
        show(f"our build.toml says {said}, asked for {asked}")
    elif bool(ours) != bool(refused) and "edition 6" not in meant:
        show(f"the parser on ours: {ours}; on what was asked for: {refused}")
    elif not refused:
        agree["both accept"] += 1
    elif meant:
        differ.update(f"only the parser refuses: {name}" for name in meant)
    else:
        show(f"we accept, the parser refuses: {refused}")
for what, number in (*agree.items(), *sorted(differ.items())):
    print(f"{number:5}  {what}")
for text in wrong[:10]:
    print("\nUNEXPLAINED", text)
sys.exit(f"{len(wrong)} differences without an explanation" if wrong else 0)
PY
