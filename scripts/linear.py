#!/usr/bin/env python3
"""Whether twice the files, or twice the ops, take twice the instructions, for every op.

usage: linear.py PROGRAM [--files N]     (default: 900 and 1,800 files)

Counted by valgrind's callgrind, less those of an empty recipe on the same tree; for `globs`, of a prune that keeps
the same files, as files pruned cost less than files kept. A ratio above 2.2 fails.
"""

import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PYTHON = "import os\nimport pytest\nfrom pkg.s0 import m0\nimport pkg.s1.m1 as x\n\n\ndef test_{n}():\n    return m0.f(x, torch.ops.ns.f, 'word {n}')\n"

# Ops by name. `globs` and `replaces` are twice as many on the same tree.
RECIPES = {
    "prune": 'prune keep="pkg/**"',
    "delete": 'delete in="docs/**"',
    "move": 'move from="pkg" to="torch-ext/pkg"',
    "copy": 'copy from="pkg" to="torch-ext/pkg"',
    "rename": 'rename in="docs/**" find=".txt" with=".md" files={docs}',
    "overlay": 'overlay from="overlay"',
    "replace": 'replace in="docs/**" find="word" with="other word" count={docs}',
    "strip_suffix": 'strip_suffix in="docs/**" suffix="end\\n" files={docs}',
    "expect": 'expect in="docs/**" find="word" count={docs}',
    "expect-absent": 'expect in="**" find="not there" count=0',
    "convert_import": 'convert_import in="pkg/**" prefix="pkg"',
    "remap_module": 'remap_module in="pkg/**" from="pkg.s0" to="pkg.other"',
    "relativize_imports": 'relativize_imports in="pkg/**" package_root="pkg"',
    "ensure_init": 'ensure_init under="docs" changes=0',
    "ensure_import": 'ensure_import in="pkg/**/m*.py" from="sys" name="path"',
    "kernelize_imports": 'kernelize_imports in="pkg/**" package="pkg" kernel="o/pkg" version=1',
    "mark_tests": 'mark_tests in="pkg/**" marker="kernels_ci"',
    "remap_strings": 'remap_strings in="pkg/**" from="nothing" to="other" changes=0',
    "prefix_torch_ops": 'move from="pkg" to="torch-ext/pkg"\nprefix_torch_ops in="torch-ext/pkg/**" namespace="ns"',
    "kernel": 'kernel name="k" backend="cuda" src="csrc/**"\nmanifest name="kk" version=1 edition=5 license="MIT" backends="cuda" torch_src="a.cpp"',
    "globs": 'prune keep="a.cpp,pkg/**,{globs}"',
    "replaces": "{replaces}",
}


def tree(work, files):
    for number in range(files):
        if number % 3 == 0:
            path, text = f"up/pkg/s{number // 3 % 20}/m{number // 3}.py", PYTHON.replace("{n}", str(number))
        elif number % 3 == 1:
            path, text = f"up/docs/d{number % 97}/f{number}.txt", f"a word and {number}\nend\n"
        else:
            path, text = f"up/csrc/c{number % 53}/k{number}.cu", f"int f{number}() {{ return {number}; }}\n"
        file = work / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        if number % 3 == 1:
            over = work / "overlay" / f"o{number % 97}" / f"{number}.txt"
            over.parent.mkdir(parents=True, exist_ok=True)
            over.write_text(text)
    for sub in range(20):
        (work / f"up/pkg/s{sub}/__init__.py").write_text("")
    (work / "up/pkg/__init__.py").write_text("")
    (work / "up/a.cpp").write_text("")
    return work


def instructions(program, work, recipe):
    (work / "port.kdl").write_text("recipe version=1\n" + recipe + "\n")
    pinned = ["taskset", "-c", str(min(os.sched_getaffinity(0)))]
    counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    command = [*pinned, *counting, program, "port.kdl", "--dir", "up", "--dry-run", "--quiet"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found or done.returncode and "final checks" not in done.stderr:
        sys.exit(f"{recipe[:200]}\n{done.stderr[:1500]}")
    return int(found[1]) / 1e6


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("--files", type=int, default=900)
    options = arguments.parse_args()
    program, failed = str(options.program.resolve()), False
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        works = [(tree(pathlib.Path(first), options.files), options.files), (tree(pathlib.Path(second), 2 * options.files), 2 * options.files)]
        empty = [instructions(program, work, 'expect in="no" files=0') for work, _ in works]
        print(f"reading the tree: {empty[0]:.1f} and {empty[1]:.1f} million, {empty[1] / empty[0]:.2f}")
        # What is subtracted where the ops are twice as many, and the tree is the same.
        bases = {"globs": instructions(program, works[1][0], 'prune keep="a.cpp,pkg/**"'), "replaces": empty[1]}
        for name, text in RECIPES.items():
            counts = []
            for (work, files), base in zip(works, empty):
                if name in bases:
                    work, base = works[1][0], bases[name]
                number = files // 3
                ops = files // 10
                filled = {
                    "docs": number,
                    "globs": ",".join(f"docs/*/f{n * 3 + 1}.txt" for n in range(files // 9)),
                    "replaces": "\n".join(f'replace in="docs/d{(n * 3 + 1) % 97}/f{n * 3 + 1}.txt" find="word" with="x" count=1' for n in range(ops)),
                }
                recipe = text
                for key, value in filled.items():
                    recipe = recipe.replace("{" + key + "}", str(value))
                counts.append(max(instructions(program, work, recipe) - base, 0.1))
            ratio = counts[1] / counts[0]
            over = ratio > 2.2 and counts[1] > 1
            failed |= over
            print(f"{name}: {counts[0]:.1f} and {counts[1]:.1f} million, {ratio:.2f}{' (over)' if over else ''}", flush=True)
    sys.exit(failed)


main()
