#!/usr/bin/env python3
"""Runs the kept ports of real upstreams as their maintainers and users would.

usage: real_ports.py PROGRAM UPSTREAMS [name ...]
needs: pip install 'kernels==0.17.2' numpy einops

UPSTREAMS is what scripts/upstreams.py makes. For each example port: the recipe runs with --strict and --require-pins, a
second run with --check finds the output as it is, and the real build.toml parser accepts the manifest. A Python-only port
is then staged as a build and loaded through `kernels`; every module of it must import under the name it gets there, with
stand-ins for torch, triton and whatever else is not installed.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import tomllib

from kernels._rust import Build

HERE = pathlib.Path(__file__).resolve().parent

MAX_SHOWN = 5

# name: an expression over `k`, the loaded kernel, with its value; modules that fail upstream in the same way
PORTS = {
    "einops": ("k.rearrange(np.arange(6).reshape(2, 3), 'a b -> b a').tolist()", [[0, 3], [1, 4], [2, 5]], ()),
    "causal-conv1d": None,
    "mamba-ssm": None,
    "liger-kernel": ("k.ops.__name__.startswith(k.__name__)", True, ()),
    "natten": ("k.__version__", "0.21.0", ()),
    # It takes the version of triton apart, of which there is only a stand-in.
    "fla-core": ("k.__version__", "0.6.0", ("ops.delta_rule.parallel",)),
}

LOAD = r"""
import importlib, json, pathlib, shutil, sys
import kernels, numpy as np
import huggingface_hub, einops, packaging.version
scripts, stage, modules, expression = sys.argv[1], sys.argv[2], json.loads(sys.argv[3]), sys.argv[4]
sys.path.insert(0, scripts)
import stand_ins
real = {name.partition(".")[0] for name in sys.modules}
own = pathlib.Path(stage)
class Own(stand_ins.Finder):
    # The loader gives the package a name that only it knows: whatever is already loaded is real.
    def find_spec(self, full, path=None, target=None):
        known = sys.modules.get(full.partition(".")[0])
        is_real = known is not None and not isinstance(known, stand_ins.Module)
        return None if is_real else super().find_spec(full, path, target)
sys.meta_path.append(Own(real))
k = kernels.get_local_kernel(own)
wrong = {}
for module in modules:
    try:
        importlib.import_module(f"{k.__name__}.{module}")
    except BaseException as error:
        wrong[module] = f"{type(error).__name__}: {error}"[:200]
print(json.dumps([wrong, eval(expression, {"k": k, "np": np})]))
"""


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"exit {done.returncode}: {done.stderr or done.stdout}")
    return done.stdout


def load(out, general, work, expression):
    """The modules that do not import under the Hub's name, how many there are, and the value of the expression."""
    package = general["name"].replace("-", "_")
    variant = work / "build" / "torch-cpu"
    run("cp", "-r", out / "torch-ext" / package, work / "variant")
    variant.parent.mkdir()
    (work / "variant").rename(variant)
    # The builder generates this module.
    (variant / "_ops.py").write_text(
        f"import torch\nops = torch.ops._{package}_cpu\n\n\n"
        f"def add_op_namespace_prefix(name):\n    return f'_{package}_cpu::{{name}}'\n"
    )
    metadata = {
        "id": f"_{package}_cpu_0000000", "name": general["name"], "version": general["version"],
        "license": general["license"], "python-depends": [], "backend": {"type": "cpu"},
    }
    (variant / "metadata.json").write_text(json.dumps(metadata))
    paths = (path.relative_to(variant).with_suffix("") for path in variant.rglob("*.py"))
    names = {".".join(p.parts).removesuffix("__init__").removesuffix(".") for p in paths}
    modules = sorted(names - {"", "_ops"})
    out = run(sys.executable, "-W", "ignore", "-c", LOAD, HERE, work, json.dumps(modules), expression)
    wrong, value = json.loads(out.splitlines()[-1])
    return wrong, len(modules) + 1, value


def port(program, upstreams, name, work):
    recipe = HERE.parent / "examples" / name / "port.kdl"
    run_it = (program, recipe, "--dir", upstreams / name, "--out", work / "out", "--strict", "--require-pins")
    run(*run_it)
    run(*run_it, "--check")
    Build.open(work / "out")
    if PORTS[name] is None:
        return "build.toml accepted"
    expression, expected, known = PORTS[name]
    general = tomllib.loads((work / "out" / "build.toml").read_text())["general"]
    (work / "stage").mkdir()
    wrong, number, value = load(work / "out", general, work / "stage", expression)
    wrong = {module: why for module, why in wrong.items() if module not in known}
    if wrong or value != expected:
        first = "".join(f"\n  {module}: {why}" for module, why in list(wrong.items())[:MAX_SHOWN])
        raise RuntimeError(f"{expression} is {value!r}; {len(wrong)} modules do not load{first}")
    return f"build.toml accepted, {number - len(known)} of {number} modules load through kernels"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    program, upstreams = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    failed = False
    for name in sys.argv[3:] or PORTS:
        with tempfile.TemporaryDirectory() as work:
            try:
                print(f"{name}: {port(program, upstreams, name, pathlib.Path(work))}", flush=True)
            except RuntimeError as error:
                failed = True
                print(f"{name}: FAILED\n{error}", flush=True)
    sys.exit(failed)


main()
