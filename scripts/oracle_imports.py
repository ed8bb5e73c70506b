#!/usr/bin/env python3
"""Compares the imports that kernel-port finds with those of CPython's ast.

usage: oracle_imports.py [DIRECTORY...]     (default: the standard library)

Differences in statement, level, module, names, line or column, and syntax errors on files that CPython
accepts, are printed and counted; the exit status is 1 if there are any.
"""

import ast
import json
import os
import subprocess
import sys
import sysconfig
import unicodedata
import warnings

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def files(directories):
    for directory in directories:
        for base, below, names in os.walk(directory):
            below[:] = sorted(set(below) - {"site-packages"})
            for name in sorted(names):
                if name.endswith((".py", ".pyi")) and os.path.isfile(os.path.join(base, name)):
                    yield os.path.join(base, name)


def expected(path):
    with open(path, "rb") as f:
        content = f.read()
    tree = ast.parse(content)
    encoding = encoding_of(path)
    text = content.decode(encoding).replace("\r\n", "\n").replace("\r", "\n")
    lines = text.removeprefix("\ufeff").split("\n")
    found = []
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)):
            continue
        before = lines[node.lineno - 1].encode()[: node.col_offset].decode()
        is_from = isinstance(node, ast.ImportFrom)
        after = ast.get_source_segment(text.removeprefix("\ufeff"), node)
        found.append(
            {
                "kind": "from" if is_from else "import",
                "level": node.level if is_from else 0,
                "module": (node.module or "") if is_from else "",
                "names": [[alias.name, alias.asname] for alias in node.names],
                "line": node.lineno,
                "column": len(before) + 1,
                "parentheses": is_from and after.endswith(")"),
            }
        )
    return sorted(found, key=lambda i: (i["line"], i["column"]))


def encoding_of(path):
    import tokenize

    with open(path, "rb") as f:
        return tokenize.detect_encoding(f.readline)[0]


def main():
    warnings.simplefilter("ignore")
    sys.setrecursionlimit(100_000)
    directories = sys.argv[1:] or [sysconfig.get_paths()["stdlib"]]
    paths = list(files(directories))
    run = ["cargo", "run", "--quiet", "--example", "dump_imports"]
    dump = subprocess.run(run, cwd=ROOT, input="\n".join(paths), capture_output=True, text=True, check=True)
    wrong = rejected = imports = names = 0
    both_refuse = 0
    for line in dump.stdout.splitlines():
        found = json.loads(line)
        path = found["path"]
        try:
            want = expected(path)
        except (SyntaxError, ValueError) as error:
            both_refuse += "error" in found
            if "error" not in found:
                print(f"{path}: only CPython refuses: {error}")
                rejected += 1
            continue
        if "error" in found:
            print(f"{path}: only kernel-port refuses: {found['error']}")
            wrong += 1
            continue
        got = sorted(found["imports"], key=lambda i: (i["line"], i["column"]))
        for one in got:
            spelled, dots = one.pop("spelled"), one.pop("dots")
            plain = [name for name, _ in one["names"] if name != "*"]
            normal = [unicodedata.normalize("NFKC", s) for s in (spelled[0], *spelled[1])]
            ascii_only = all(s.isascii() for s in normal)
            if ascii_only and normal != [one["module"], *plain] or dots != one["level"]:
                print(f"{path}:{one['line']}: ranges spell {spelled}, {dots} dots: {one}")
                wrong += 1
        imports += len(want)
        names += sum(len(i["names"]) for i in want)
        if got != want:
            wrong += 1
            for a, b in zip(got, want):
                if a != b:
                    print(f"{path}: kernel-port {a}\n    CPython     {b}")
                    break
            else:
                print(f"{path}: {len(got)} imports found, CPython has {len(want)}")
    print(
        f"{len(paths)} files, {imports} imports, {names} names: {wrong} differences; "
        f"{both_refuse} files refused by both, {rejected} by CPython {sys.version.split()[0]} only"
    )
    return wrong > 0


sys.exit(main())
