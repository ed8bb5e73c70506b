"""Run by judge-variants.sh: PROGRAM SEED. Ends with status 1 on a difference that is not in the list of known ones."""

import collections
import json
import random
import subprocess
import sys

from kernels import backends, variants
from packaging.version import Version

PROGRAM, SEED = sys.argv[1], int(sys.argv[2])
random.seed(SEED)
known = collections.Counter()
examples = {}
unknown = []


def differ(what, name, ours, theirs, reason=None):
    if reason is None:
        unknown.append(f"{what}: {name!r}\n  ours:   {ours}\n  theirs: {theirs}")
    else:
        known[reason] += 1
        examples.setdefault(reason, f"{name!r}: ours {ours}, theirs {theirs}")


def ours(args, names):
    command = [PROGRAM, "variants", "--format", "json", *args, "--", *names]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{command[:6]}... ended with {done.returncode}: {done.stderr}")
    return json.loads(done.stdout)


# Reading.

FRAMEWORKS = ["torch", "torch-stable-abi", "tvm-ffi"]
PLAIN = ["cpu", "metal", "neuron", "tpu"]
VERSIONED = ["cu", "rocm", "xpu", "cann"]
NOARCH = ["cpu", "cuda", "metal", "neuron", "rocm", "tpu", "xpu", "cann", "npu", "universal"]


def digits(most):
    return "".join(random.choice("0123456789") for _ in range(random.randint(2, most)))


def legacy_name():
    """Any name of the legacy grammar."""
    if random.random() < 0.05:
        return "torch-" + random.choice(NOARCH)
    framework = random.choice(FRAMEWORKS)
    name = framework + digits(4)
    if framework == "torch":
        name += random.choice(["", "-cxx11", "-cxx98"])
    backend = random.choice(PLAIN) if random.random() < 0.3 else random.choice(VERSIONED) + digits(5)
    if random.random() < 0.02:
        backend = random.choice(["rocm714", "rocm715"])
    platform = random.choice(["x86_64", "aarch64", "arm64", "riscv64"])
    return f"{name}-{backend}-{platform}-{random.choice(['linux', 'darwin', 'windows'])}"


def damaged_name():
    """A legacy name with one to three slips."""
    name = legacy_name()
    for _ in range(random.randint(1, 3)):
        at = random.randint(0, len(name))
        slip = random.choice(["insert", "delete", "replace", "drop", "double"])
        if slip == "insert":
            name = name[:at] + random.choice("-0123456789.abctx_") + name[at:]
        elif slip == "delete":
            name = name[:at] + name[at + 1 :]
        elif slip == "replace":
            name = name[:at] + random.choice("-019.abc") + name[at + 1 :]
        else:
            parts = name.split("-")
            part = random.randrange(len(parts))
            parts[part : part + 1] = [] if slip == "drop" else [parts[part]] * 2
            name = "-".join(parts)
    return name


def their_reading(name):
    try:
        variant = variants.parse_variant(name)
    except ValueError:
        return None
    if isinstance(variant, variants.NoarchVariant):
        backend = variant.arch.backend_name
        return ("noarch", {"npu": "cann", "universal": None}.get(backend, backend))
    framework, arch = variant.framework, variant.arch
    kind = {"Torch": "torch", "TorchStableAbi": "torch-stable-abi", "TvmFfi": "tvm-ffi"}[type(framework).__name__]
    tag = {None: None, True: "cxx11", False: "cxx98"}[getattr(framework, "cxx11_abi", None)]
    version = getattr(arch.backend, "version", None)
    version = version and str(version)
    return (kind, str(framework.version), tag, arch.backend.name, version, arch.platform, arch.os)


def our_reading(entry):
    if "error" in entry:
        return None
    if entry["platform"] is None:
        return ("noarch", entry["backend"])
    keys = ["framework", "framework_version", "cxx", "backend", "backend_version", "platform", "os"]
    return tuple(entry[key] for key in keys)


def word(text):
    return 0 < len(text) <= 32 and text.isascii() and text.replace("_", "a").isalnum()


def why_reading(name, mine, theirs):
    if "-rocm714-" in name and mine and theirs and mine[4] == "7.14" and theirs[4] == "71.4":
        return "rocm714 is 7.14, the client reads 71.4"
    if mine is None and theirs and theirs[0] == "noarch" and theirs[1] not in NOARCH:
        return "the client takes any text after `torch-` for a Python-only backend"
    if mine is None and theirs and theirs[0] != "noarch" and not (word(theirs[5]) and word(theirs[6])):
        return "the client takes any text, also none, for platform and os"
    dotted = name.startswith(("torch-", "tvm-ffi-")) and mine and mine[0] != "noarch"
    if dotted and (theirs is None or theirs[0] == "noarch"):
        return "the client does not know the dotted notation"
    return None


def judge_reading(names):
    for name, entry in zip(names, ours([], names)["variants"], strict=True):
        mine, theirs = our_reading(entry), their_reading(name)
        if mine != theirs:
            differ("reading", name, mine, theirs, why_reading(name, mine, theirs))
        elif mine and mine[0] != "noarch" and entry["legacy"] != variants.parse_variant(name).variant_str:
            theirs = variants.parse_variant(name).variant_str
            # Leading zeros: the client writes a name that reads as another version.
            zeros = entry["legacy"] is None and their_reading(theirs) != mine
            reason = "leading zeros: the client writes another version than it read" if zeros else None
            if theirs.split("-")[-3] == "rocm714" and entry["legacy"] is None:
                reason = "rocm714 is 7.14, the client reads 71.4"
            differ("writing", name, entry["legacy"], theirs, reason)


# Choosing.


def random_system():
    os = random.choice(["linux", "linux", "linux", "darwin", "windows"])
    cpu = random.choice(["x86_64", "aarch64"])
    torch = random.choice([None, "2.9", "2.10", "2.10", "2.11"])
    cxx = random.choice([True, True, False]) if os == "linux" and torch else None
    tvm = random.choice([None, "0.1", "0.2"])
    macos = random.choice(["15.6", "26.0", "26.1"]) if os == "darwin" else None
    name, version = random.choice(
        [("cuda", "12.8"), ("cuda", "12.8"), ("cuda", "13.0"), ("cuda", "12.6"), ("rocm", "7.0"), ("rocm", "7.14")]
        + [("rocm", "7.15"), ("xpu", "2025.3"), ("cann", "8.1"), ("cpu", None), ("neuron", None), ("tpu", None)]
        + ([("metal", None)] * 6 if os == "darwin" else [])
    )
    kinds = {"cuda": "CUDA", "rocm": "ROCm", "xpu": "XPU", "cann": "CANN"}
    kinds |= {"cpu": "CPU", "neuron": "Neuron", "tpu": "TPU", "metal": "Metal"}
    kind = getattr(backends, kinds[name])
    theirs = dict(
        selected_backend=kind(version=Version(version)) if version else kind(),
        cpu=cpu,
        os=os,
        torch_version=torch and Version(torch),
        torch_cxx11_abi=cxx,
        tvm_ffi_version=tvm and Version(tvm),
        macos_version=macos and Version(macos),
    )
    text = [f"{name}={version}" if version else f"backend={name}", f"cpu={cpu}", f"os={os}"]
    text += [f"torch={torch}"] if torch else []
    text += [f"tvm-ffi={tvm}"] if tvm else []
    text += [f"macos={macos}"] if macos else []
    text += [f"cxx11={str(cxx).lower()}"] if cxx is not None else []
    return ",".join(text), theirs


def random_set(system):
    # Most names fit the system in most parts, so that the choice is among many.
    backend = system["selected_backend"]
    near = {
        "cuda": ["cu120", "cu124", "cu126", "cu128", "cu129", "cu130", "cu118"],
        "rocm": ["rocm70", "rocm71", "rocm714", "rocm715", "rocm63"],
        "xpu": ["xpu20252", "xpu20253"],
        "cann": ["cann80", "cann81"],
    }.get(backend.name, [backend.name])
    far = ["cu128", "rocm70", "xpu20253", "cann81", "cpu", "metal", "neuron", "tpu"]
    names = set()
    for _ in range(random.randint(0, 14)):
        if random.random() < 0.2:
            # `torch-cann` is known not to be found by this client.
            names.add("torch-" + random.choice([n for n in NOARCH if n != "cann"] + ["universal"]))
            continue
        framework = random.choice(
            ["torch210", "torch210", "torch210-cxx11", "torch210-cxx98", "torch29", "torch211", "torch-stable-abi28"]
            + ["torch-stable-abi29", "torch-stable-abi210", "torch-stable-abi211", "tvm-ffi01", "tvm-ffi01", "tvm-ffi02"]
        )
        name = random.choice(near if random.random() < 0.85 else far)
        cpu = system["cpu"] if random.random() < 0.9 else random.choice(["x86_64", "aarch64", "arm64"])
        os = system["os"] if random.random() < 0.9 else random.choice(["linux", "darwin", "windows"])
        names.add(f"{framework}-{name}-{cpu}-{os}")
    return random.sample(sorted(names), len(names))


def judge_choice():
    text, system = random_system()
    names = random_set(system)
    if not names:
        return False
    decisions = ours(["--for", text], names)["decisions"]
    mine = [d["name"] for d in decisions if d["kind"] != "rejected"]
    applicable, trace = variants._resolve_variant_for_system([variants.parse_variant(n) for n in names], **system)
    theirs = [variant.variant_str for variant in applicable]
    if len(decisions) != len(trace):
        differ("trace", text, len(decisions), len(trace))
    if mine == theirs:
        return bool(mine)
    extra = set(theirs) - set(mine)
    if extra and all("-rocm715-" in name for name in extra) and set(mine) < set(theirs):
        reason = "the client compares other backends as text: rocm715 fits ROCm 7.15 though it reads 71.5"
        differ("choice", f"{text} {names}", mine, theirs, reason)
        theirs = [name for name in theirs if name not in extra]
    # The client ranks tvm-ffi and Python-only variants the same, and then keeps their order of arrival.
    tied = lambda name: name.startswith("tvm-ffi") or (name.startswith("torch-") and name.count("-") == 1)
    if mine != theirs and sorted(mine) == sorted(theirs):
        if [n for n in mine if not tied(n)] == [n for n in theirs if not tied(n)]:
            reason = "the client has no order between tvm-ffi of minor version 0 and Python-only variants"
            differ("choice", f"{text} {names}", mine, theirs, reason)
            return True
    if mine != theirs:
        differ("choice", f"{text} {names}", mine, theirs)
    return bool(mine)


judge_reading([legacy_name() for _ in range(2000)])
judge_reading([damaged_name() for _ in range(2000)])
chosen = sum(judge_choice() for _ in range(500))
print(f"seed {SEED}: 2000 legacy names, 2000 damaged names, 500 choices ({chosen} with a variant that fits)")
for reason, count in known.most_common():
    print(f"known difference, {count} times: {reason}\n  {examples[reason]}")
for text in unknown[:20]:
    print(f"DIFFERENCE in {text}")
print(f"{len(unknown)} unexplained differences")
sys.exit(1 if unknown else 0)
