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
    "liger-kernel": ("liger_kernel", "src/liger_kernel", "", "", ""),
    "fla-core": ("fla", "fla", "", "changes=0", "missing=1"),
    "natten": ("natten", "src/natten", "", "changes=0", ""),
    "mamba-ssm": ("mamba_ssm", "mamba_ssm", "", "changes=0", ""),
    # bench.py returns the imported package itself: `import flash_attn; return flash_attn`.
    "flash-attn": ("flash_attn", "flash_attn", 'delete in="flash_attn/flash_attn_triton_amd/bench.py" files=1', "", ""),
    "causal-conv1d": ("causal_conv1d", "causal_conv1d", "", "changes=0", ""),
    "sageattention": ("sageattention", "sageattention", "", "changes=0", "changes=0"),
}

# Packages that import themselves by a string, which the three ops leave alone.
BY_STRING = {"fla-core": "fla/__init__.py looks up 'fla.layers'"}

STAND_IN = r'''
import importlib, importlib.abc, importlib.machinery, sys, types
directory, name, modules, own = sys.argv[1], sys.argv[2], sys.argv[3].split(","), sys.argv[4]

class Meta(type):
    def __getattr__(cls, name):
        if name.startswith("__") and name.endswith("__") and name not in ("__version__",):
            raise AttributeError(name)
        if name == "__version__":
            return "99.0.0"
        made = Meta(name, (StandIn,), {})
        setattr(cls, name, made)
        return made
    def __call__(cls, *args, **kwargs):
        if cls.__dict__.get("_real") or StandIn not in cls.__mro__[:2]:
            return super().__call__(*args, **kwargs)
        if len(args) == 1 and not kwargs and callable(args[0]) and not isinstance(args[0], Meta):
            return args[0]
        return Meta("made", (StandIn,), {})
    def __iter__(cls): return iter(())
    def __len__(cls): return 0
    def __getitem__(cls, key): return cls
    def __contains__(cls, key): return False
    def __or__(cls, other): return cls
    __ror__ = __and__ = __add__ = __sub__ = __mul__ = __truediv__ = __floordiv__ = __pow__ = __or__
    __rmul__ = __radd__ = __rtruediv__ = __rsub__ = __rpow__ = __mod__ = __neg__or = __or__
    def __lt__(cls, other): return False
    __gt__ = __le__ = lambda cls, other: False
    __ge__ = lambda cls, other: True
    def __bool__(cls): return False
    def __int__(cls): return 0
    __index__ = __int__
    def __float__(cls): return 0.0
    def __str__(cls): return "9.9"
    def __enter__(cls): return cls
    def __exit__(cls, *error): return False
    def __mro_entries__(cls, bases): return (cls,)
    def __format__(cls, spec): return "9"
class StandIn(metaclass=Meta):
    def __init__(self, *args, **kwargs): pass

class Module(types.ModuleType):
    __path__ = []
    def __getattr__(self, name):
        if name.startswith("__") and name.endswith("__") and name != "__version__":
            raise AttributeError(name)
        return "99.0.0" if name == "__version__" else getattr(StandIn, name)

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, full, path=None, target=None):
        top = full.partition(".")[0]
        if top in (name, own) or top in sys.stdlib_module_names:
            return None
        return importlib.machinery.ModuleSpec(full, self, is_package=True)
    def create_module(self, spec):
        return Module(spec.name)
    def exec_module(self, module): pass

sys.path.insert(0, directory)
sys.meta_path.append(Finder())
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
    argv = [sys.executable, "-W", "ignore", "-c", STAND_IN, directory, name, ",".join(sorted(modules)), package]
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
