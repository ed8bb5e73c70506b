#!/usr/bin/env python3
"""Counts the instructions of three fixed workloads and compares them with those that benches/INSTRUCTIONS records.

usage: instructions.py PROGRAM [--write]

A workload that takes more than 5 % above its record fails: make it faster, or run with --write and say in the line's note
why it may cost more. Counts are of valgrind's callgrind on one processor, so they do not depend on how busy the machine is;
they do depend on the compiler, and with another one than the record names nothing is judged.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
RECORD = HERE.parent / "benches/INSTRUCTIONS"
ALLOWED = 1.05


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def python_package(work):
    """400 modules that import each other absolutely, all rewritten."""
    for number in range(400):
        sub = f"s{number % 20}"
        lines = [f"from pkg.{f's{(number + k) % 20}'} import m{(number + k) % 400}" for k in range(3)]
        body = "\n\n".join(f"def f{k}(x, y=1):\n    if x > y:\n        return [x * {k}, y, {{'a': x}}]\n    return m{number}.call(x, key=y)" for k in range(12))
        write(work / "up/pkg" / sub / f"m{number}.py", "\n".join(lines) + "\nimport os\n\n\n" + body + "\n")
    for sub in range(20):
        write(work / "up/pkg" / f"s{sub}/__init__.py", "".join(f"from . import m{n}\n" for n in range(400) if n % 20 == sub))
    write(work / "up/pkg/__init__.py", "")
    return ["-e", 'relativize_imports in="pkg/**" package_root="pkg" changes=1200', "--dir", "up", "--dry-run", "--quiet"]


def git_tree(work):
    """2,000 tracked files, a tenth kept, edited, declared in a manifest and written."""
    for number in range(2000):
        kind = "csrc" if number % 10 == 0 else f"docs/d{number % 50}"
        write(work / "up" / kind / f"f{number}.cu", f"// file {number}\n#include <cuda.h>\nint f{number}() {{ return {number}; }}\n" * 20)
    write(work / "up/pkg/__init__.py", "VALUE = 1\n")
    write(work / "binding.cpp", "")
    git = ["git", "-C", str(work / "up"), "-c", "user.name=bench", "-c", "user.email=bench@example.com"]
    env = os.environ | {f"GIT_{who}_DATE": "2025-01-01T00:00:00Z" for who in ("AUTHOR", "COMMITTER")}
    for command in (["init", "-q"], ["remote", "add", "origin", "https://example.com/up.git"], ["add", "-A"], ["commit", "-q", "-m", "one"]):
        subprocess.run(git + command, check=True, env=env)
    commit = subprocess.run(git + ["rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    write(
        work / "port.kdl",
        f'''recipe version=1
source repo="https://example.com/up.git" commit="{commit}"
prune keep="csrc/**,pkg/**" files=201
move from="pkg" to="torch-ext/pkg" files=1
replace in="csrc/*.cu" find="#include <cuda.h>" with="#include <cuda_runtime.h>" count=4000
manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" noarch=#true
''',
    )
    return ["port.kdl", "--dir", "up", "--out", "out", "--quiet"]


def inline(_):
    return ["-e", 'relativize_imports in="pkg/**" package_root="pkg" changes=1', "--file", "pkg/__init__.py=from pkg.ops import hello\n"]


WORKLOADS = {"inline": inline, "relativize-400-files": python_package, "port-2000-files": git_tree}


def count(program, make):
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        arguments = make(work)
        counting = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
        if shutil.which("taskset"):
            counting = ["taskset", "-c", str(min(os.sched_getaffinity(0))), *counting]
        environment = {"PATH": os.environ["PATH"], "HOME": str(work), "LC_ALL": "C.UTF-8"}
        done = subprocess.run([*counting, str(program), *arguments], cwd=work, env=environment, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)", done.stderr)
        if done.returncode or not found:
            sys.exit(f"{' '.join(arguments)}: exit {done.returncode}\n{done.stderr}")
        return int(found[1])


def records():
    """The compiler, and each workload's count and note."""
    compiler, counts = "", {}
    for line in RECORD.read_text().splitlines() if RECORD.exists() else []:
        if line.startswith("compiler: "):
            compiler = line.removeprefix("compiler: ")
        elif line and not line.startswith("#"):
            name, number, *note = line.split(maxsplit=2)
            counts[name] = (int(number.replace(",", "")), note[0] if note else "")
    return compiler, counts


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    compiler = subprocess.run(["rustc", "--version"], check=True, capture_output=True, text=True).stdout.strip()
    known, counts = records()
    found = {name: count(program, make) for name, make in WORKLOADS.items()}
    failed = False
    for name, number in found.items():
        before = counts.get(name, (0, ""))[0]
        ratio = number / before if before else float("nan")
        over = compiler == known and ratio > ALLOWED
        failed |= over
        print(f"{name}: {number:,} instructions, {ratio:.3f} of the record" + (" (more than 5 % above)" if over else ""))
    if compiler != known:
        print(f"the record is of {known or 'nothing'}, this is {compiler}: not judged")
    if "--write" in sys.argv:
        lines = ["# Instructions of scripts/instructions.py's workloads; behind each, why the last change was accepted.", f"compiler: {compiler}"]
        lines += [f"{name} {number:,} {counts.get(name, (0, ''))[1]}".rstrip() for name, number in found.items()]
        RECORD.write_text("\n".join(lines) + "\n")
    elif failed:
        sys.exit("slower than recorded: make it faster, or accept it with --write and a note in benches/INSTRUCTIONS")


main()
