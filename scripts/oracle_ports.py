#!/usr/bin/env python3
"""Ports whole packages with move, convert_import and relativize_imports alone and judges the result without
kernel-port's parser.

usage: oracle_ports.py PROGRAM UPSTREAMS [name ...]

1. Resolved by CPython's ast, every file of the port imports the modules that it imported upstream.
2. Outside of import statements every byte is as upstream (files with plain imports of the package aside).
3. Under a random package name, in a process of its own, each module of the port imports; packages that are not
   installed are replaced by stand-ins. What fails upstream in the same way is not counted.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import warnings

# name: package, its directory, more ops before the conversion, changes pin of convert_import, more arguments of relativize_imports
PORTS = {
    "einops": ("einops", "einops", "", "", ""),
    # Two modules are imported by literal strings, which only a replace could make relative.
    "liger-kernel": (
        "liger_kernel",
        "src/liger_kernel",
        'allow rule="absolute-import" in="torch-ext/liger_kernel/transformers/__init__.py" reason="import_module(literal)"',
        "",
        "",
    ),
    # deltaformer imports fla.layers, which is another distribution.
    "fla-core": ("fla", "fla", 'delete in="fla/ops/deltaformer/**" files=4', "changes=0", ""),
    "natten": ("natten", "src/natten", "", "changes=0", ""),
    "mamba-ssm": ("mamba_ssm", "mamba_ssm", "", "changes=0", ""),
    # bench.py returns the imported package itself: `import flash_attn; return flash_attn`.
    "flash-attn": ("flash_attn", "flash_attn", 'delete in="flash_attn/flash_attn_triton_amd/bench.py" files=1', "", ""),
    "causal-conv1d": ("causal_conv1d", "causal_conv1d", "", "changes=0", ""),
    "sageattention": ("sageattention", "sageattention", "", "changes=0", "changes=0"),
}

# Packages that import themselves by a string, which the three ops leave alone.
BY_STRING = {"fla-core": "fla/__init__.py looks up 'fla.layers'"}

SCRIPTS = os.path.dirname(os.path.abspath(__file__))

LOAD = r'''
import importlib, sys
directory, name, modules, own, scripts = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4], sys.argv[5]
sys.path.insert(0, scripts)
import stand_ins
sys.path[0] = directory
sys.meta_path.append(stand_ins.Finder({name, own}))
for module in modules:
    try:
        importlib.import_module(module)
        print("ok", module)
    except BaseException as error:
        print("no", module, type(error).__name__, str(error).replace("\n", " ")[:200])
'''


def imports(path, package, below):
    """The imported modules and names of a file, absolute; its import statements' byte ranges."""
    with open(path, "rb") as file:
        content = file.read()
    lines = content.split(b"\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    found, ranges, plain = set(), [], False
    parts = below.removesuffix(".pyi").removesuffix(".py").split("/")[:-1]
    for node in ast.walk(ast.parse(content)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                found.add(alias.name)
                own = alias.name == package or alias.name.startswith(package + ".")
                plain = plain or own
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = parts[: len(parts) - (node.level - 1)]
                assert len(parts) >= node.level - 1, f"{path}:{node.lineno} climbs above the package"
                base = ".".join([package, *above] + ([base] if base else []))
            found.update(f"{base}.{alias.name}" for alias in node.names)
        else:
            continue
        ranges.append((starts[node.lineno - 1] + node.col_offset, starts[node.end_lineno - 1] + node.end_col_offset))
    rest, at = [], 0
    for start, end in sorted(ranges):
        rest.append(content[at:start])
        at = end
    return found, rest + [content[at:]], plain


def compare(upstream, out, package):
    files = wrong = 0
    for base, _, names in os.walk(out):
        for name in (n for n in names if n.endswith((".py", ".pyi"))):
            new = os.path.join(base, name)
            below = os.path.relpath(new, out)
            old_found, old_rest, plain = imports(os.path.join(upstream, below), package, below)
            new_found, new_rest, _ = imports(new, package, below)
            files += 1
            lost = {m for m in old_found - new_found if m != package}
            more = new_found - old_found if not plain else set()
            if lost or more or (old_rest != new_rest and not plain):
                wrong += 1
                print(f"  {below}: lost {sorted(lost)}, new {sorted(more)}, other bytes {old_rest != new_rest}")
    return files, wrong


def load(directory, name, package):
    modules = []
    for base, _, names in os.walk(os.path.join(directory, name)):
        for file in (n for n in names if n.endswith(".py")):
            path = os.path.relpath(os.path.join(base, file), directory)
            modules.append(path.removesuffix(".py").removesuffix("/__init__").replace("/", "."))
    argv = [sys.executable, "-W", "ignore", "-c", LOAD, directory, name, ",".join(sorted(modules)), package, SCRIPTS]
    run = subprocess.run(argv, capture_output=True, text=True, timeout=600, cwd=directory)
    result = {}
    for line in run.stdout.splitlines():
        state, _, rest = line.partition(" ")
        if state in ("ok", "no"):
            module, _, why = rest.partition(" ")
            result[module.partition(".")[2]] = None if state == "ok" else why
    return result


def main():
    warnings.simplefilter("ignore")
    program, upstreams, *names = sys.argv[1:]
    failed = False
    for name in names or PORTS:
        package, source, before, pin, more = PORTS[name]
        upstream = os.path.join(upstreams, name)
        with tempfile.TemporaryDirectory() as work:
            out = os.path.join(work, "out")
            root = f"torch-ext/{package}"
            recipe = f"""prune keep="{source}/**"
{before}
move from="{source}" to="{root}"
convert_import in="{root}/**" prefix="{package}" {pin}
relativize_imports in="{root}/**" package_root="{root}" {more}
"""
            run = subprocess.run([program, "--dir", upstream, "--out", out, "-e", recipe], capture_output=True, text=True)
            if run.returncode:
                print(f"{name}: red\n{run.stderr}")
                failed = True
                continue
            files, wrong = compare(os.path.join(upstream, source), os.path.join(out, root), package)
            for kind, directory in (("new", os.path.join(out, root)), ("old", os.path.join(upstream, source))):
                where = "kp_q7x3" if kind == "new" else package
                shutil.copytree(directory, os.path.join(work, kind, where), ignore=shutil.ignore_patterns(".git"))
            new = load(os.path.join(work, "new"), "kp_q7x3", package)
            old = load(os.path.join(work, "old"), package, package)
            worse = {m: why for m, why in new.items() if why and not old.get(m, "")}
            for module, why in sorted(worse.items()):
                print(f"  {module}: {why}")
            loaded = sum(why is None for why in new.values())
            print(
                f"{name}: {files} files, {wrong} differ in what they import; {loaded} of {len(new)} modules load under "
                f"another name ({sum(why is None for why in old.values())} upstream), {len(worse)} only upstream"
            )
            if worse and name in BY_STRING:
                print(f"  known: {BY_STRING[name]}")
                worse = {}
            failed |= bool(wrong or worse)
    return failed


sys.exit(main())
