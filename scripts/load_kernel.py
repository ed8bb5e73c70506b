#!/usr/bin/env python3
"""Loads a ported Python-only kernel as its users do, and prints what an expression makes of it.

    load_kernel.py OUT 'k.rms_norm([[3.0, 3.0]])'

OUT is the output of a port. Its build.toml is read by the builder's own parser; the package is staged as the build
variant of a machine without GPU and loaded with get_local_kernel. `k` is the kernel, `np` is NumPy where it is
installed. Needs the package `kernels`.
"""

import importlib.util
import json
import shutil
import sys
import tempfile
import tomllib
from pathlib import Path

import kernels
from kernels._rust import Build

if len(sys.argv) != 3:
    sys.exit(__doc__)
out, expression = Path(sys.argv[1]), sys.argv[2]
Build.open(out)  # Raises ValueError for a manifest that the builder refuses.
general = tomllib.loads((out / "build.toml").read_text())["general"]
package = general["name"].replace("-", "_")
names = {}
if importlib.util.find_spec("numpy"):
    import numpy

    names["np"] = numpy
with tempfile.TemporaryDirectory() as directory:
    variant = Path(directory) / "build" / "torch-cpu"
    shutil.copytree(out / "torch-ext" / package, variant)
    metadata = {
        "id": f"_{package}_cpu_0000000",
        "name": general["name"],
        "version": general.get("version", 0),
        "license": general.get("license"),
        "python-depends": [],
        "backend": {"type": "cpu"},
    }
    (variant / "metadata.json").write_text(json.dumps(metadata))
    kernel = kernels.get_local_kernel(Path(directory))
    if kernel.__name__ == package:
        sys.exit("the kernel was loaded under its own name, which proves nothing about its imports")
    print(eval(expression, {"k": kernel, **names}))
