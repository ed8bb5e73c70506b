#!/usr/bin/env python3
"""Times whole runs against what any such run must do, measured in the same rounds.

usage: bench.py PROGRAM UPSTREAMS [--full] [--rounds N] [--against OTHER] [--only NAME] [--results FILE]

Floors: a is `git status --porcelain` of the checkout, b is `cp -r` of what the run writes, c reads the checkout's Python
files once. The commands of a workload take turns, so that a busy machine disturbs all of them alike; the least time of each
counts. Times are of the CPU (user and system, milliseconds) and of the clock, and so are ratios; memory is the peak above that of `--version`.
--full adds a made-up repository of 50,000 files and 2 GB, kept in UPSTREAMS. --against compares with another build.
"""

import argparse
import datetime
import os
import pathlib
import platform
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
EXAMPLES = HERE.parent / "examples"
INLINE = ["-e", 'relativize_imports in="pkg/**" package_root="pkg" changes=1', "--file", "pkg/__init__.py=from pkg.ops import hello\n"]

# The ports that `check` is timed with.
CHECKED = ("einops", "liger-kernel", "mamba-ssm", "causal-conv1d", "fla-core")

# Six texts that stand once each in what is kept.
FLASH = '''recipe version=1
source repo="https://example.com/upstream/flash-attn.git" commit="{commit}"
prune keep="flash_attn/**,csrc/flash_attn/**,csrc/cutlass/include/cute/**,csrc/cutlass/include/cutlass/gemm/**,LICENSE"
move from="flash_attn" to="torch-ext/flash_attn"
delete in="torch-ext/flash_attn/flash_attn_triton_amd/bench.py"
convert_import in="torch-ext/flash_attn/**" prefix="flash_attn"
relativize_imports in="torch-ext/flash_attn/**" package_root="torch-ext/flash_attn"
prefix_torch_ops in="torch-ext/flash_attn/**" namespace="flash_attn"
replace in="csrc/flash_attn/flash_api.cpp" find="#include <torch/python.h>" with="#include <torch/all.h>" count=1
replace in="csrc/flash_attn/flash_api.cpp" find="m.doc() = \\"FlashAttention\\";" with="" count=1
replace in="torch-ext/flash_attn/__init__.py" find="__version__ =" with="VERSION =" count=1
replace in="torch-ext/flash_attn/**/*.py" find="import flash_attn_2_cuda as flash_attn_gpu" with="from ._ops import ops as flash_attn_gpu" count=1
replace in="csrc/flash_attn/src/*.h" find="struct Qkv_params {{" with="struct Qkv_params  {{" count=1
replace in="csrc/flash_attn/src/*.h" find="struct Flash_fwd_params : public Qkv_params {{" with="struct Flash_fwd_params : Qkv_params {{" count=1
allow rule="torch-ops" in="torch-ext/flash_attn/utils/library.py" reason="a decorator that passes names on"
manifest name="flash-attn" version=1 edition=5 license="BSD-3-Clause" backends="cuda" noarch=#true
'''
SYNTHETIC = '''recipe version=1
source repo="https://example.com/upstream/synthetic.git" commit="{commit}"
prune keep="d000/d0/*"
'''


class Timed:
    """A command; `writes` is the start of its last argument, a directory that is new each time. Nothing is deleted between
    two runs: before ext4 gives out a file number it looks at all that were freed in the last seconds."""

    def __init__(self, command, writes=None):
        self.command, self.writes = [str(part) for part in command], writes
        self.cpu = self.wall = float("inf")
        self.memory = self.runs = 0

    def once(self):
        command = self.command
        if self.writes:
            command = command + [f"{self.writes}-{self.runs}"]
        self.runs += 1
        started = time.perf_counter()
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        errors = child.stderr.read()
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        if os.waitstatus_to_exitcode(status):
            sys.exit(f"{' '.join(self.command)}\n{errors.decode()}")
        self.cpu = min(self.cpu, (usage.ru_utime + usage.ru_stime) * 1000)
        self.wall = min(self.wall, wall * 1000)
        self.memory = max(self.memory, usage.ru_maxrss / 1024)


def race(commands, rounds):
    for _ in range(rounds + 1):
        for command in commands.values():
            command.once()


def workload(program, checkout, recipe, work, rounds, against):
    """The run and its floors."""
    run = lambda binary, to: Timed([binary, recipe, "--dir", checkout, "--quiet", "--out"], to)
    # What the floor copies must be there before the first round.
    subprocess.run([str(program), str(recipe), "--dir", str(checkout), "--out", str(work / "kept"), "--quiet"], check=True, capture_output=True)
    files = [str(path) for path in checkout.rglob("*.py")]
    listing = work / "python-files"
    listing.write_text("\0".join(files))
    commands = {
        "run": run(program, work / "out"),
        "a": Timed(["git", "-C", checkout, "status", "--porcelain"]),
        "b": Timed(["cp", "-r", work / "kept"], work / "copy"),
        "c": Timed(["sh", "-c", f"xargs -0 cat < '{listing}' > /dev/null"]),
    }
    if against:
        commands["against"] = run(against, work / "other")
    race(commands, rounds)
    return commands


def pinned(text, checkout, to):
    commit = subprocess.run(["git", "-C", str(checkout), "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout.strip()
    to.write_text(text.format(commit=commit))
    return to


def synthetic(directory):
    if (directory / ".git").exists():
        return directory
    making = directory.with_name("synthetic.tmp")
    shutil.rmtree(making, ignore_errors=True)
    line = b"a line of an upstream file that nobody ports, %08d %08d\n"
    for number in range(50_000):
        path = making / f"d{number // 1000:03}" / f"d{number // 100 % 10}" / f"f{number}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"".join(line % (number, at) for at in range(600)) if number % 50 == 0 else line % (number, 0) * 600)
    git = ["git", "-C", str(making), "-c", "user.name=bench", "-c", "user.email=bench@example.com", "-c", "core.compression=0"]
    for command in (["init", "-q"], ["remote", "add", "origin", "https://example.com/upstream/synthetic.git"], ["add", "-A"], ["commit", "-q", "-m", "made up"]):
        subprocess.run(git + command, check=True)
    making.rename(directory)
    return directory


def fifty_ports(program, upstreams, directory):
    """Ten copies of each example's port, as a repository of ports has them."""
    ports = []
    for name in CHECKED:
        for number in range(10):
            port = directory / f"{name}-{number}"
            shutil.copytree(EXAMPLES / name, port / "port", ignore=shutil.ignore_patterns("expected"))
            subprocess.run([program, port / "port/port.kdl", "--dir", upstreams / name, "--out", port / "src", "--quiet"], check=True, capture_output=True)
            ports.append(port)
    return ports


def check(program, upstreams, ports, rounds, processors):
    """Wall time in ms of one `check` of all ports, and of one for each."""
    command = lambda places: [program, "check", *places, "--clones", upstreams, "--offline"]
    together, parts = Timed(command(ports)), [Timed(command([port])) for port in ports]
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, sorted(allowed)[:processors])
    for _ in range(rounds):
        together.once()
        for part in parts:
            part.once()
    os.sched_setaffinity(0, allowed)
    return together, sum(part.wall for part in parts)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("program", type=pathlib.Path)
    arguments.add_argument("upstreams", type=pathlib.Path)
    arguments.add_argument("--full", action="store_true")
    arguments.add_argument("--rounds", type=int, default=10)
    arguments.add_argument("--against", type=pathlib.Path)
    arguments.add_argument("--only", help="the workloads whose names begin so; writes no results")
    arguments.add_argument("--results", type=pathlib.Path)
    options = arguments.parse_args()
    program, against = options.program.resolve(), options.against and options.against.resolve()
    lines = ["| workload | target | found | CPU ms | by the clock | wall ms | floors a, b, c (CPU ms) | memory MB |" + (" new / old |" if against else "")]
    lines.append("| --- " * (lines[0].count("|") - 1) + "|")

    def row(name, target, found, run, by_clock="", floors="", against=None):
        cells = [name, target, found, f"{run.cpu:.1f}", by_clock, f"{run.wall:.1f}", floors, f"{run.memory - base:.0f}"]
        if options.against:
            cells.append(f"{run.cpu / against.cpu:.2f}" if against else "")
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)

    def judged(ratio, limit):
        return f"{ratio:.2f}" + ("" if ratio <= limit else " (over)")

    with tempfile.TemporaryDirectory(dir=options.upstreams) as work:
        work = pathlib.Path(work)
        base = 0
        for name, target, arguments in (("--version", "< 2 ms", ["--version"]), ("inline -e", "< 5 ms", INLINE)):
            commands = {"run": Timed([program, *arguments])}
            if against:
                commands["against"] = Timed([against, *arguments])
            race(commands, options.rounds * 3)
            base = base or commands["run"].memory
            row(name, target, f"{commands['run'].cpu:.1f} ms", commands["run"], against=commands.get("against"))

        def wanted(name):
            return name.startswith(options.only or "")

        def measure(name, checkout, recipe, formula, limit, target):
            if not wanted(name):
                return
            place = work / name
            place.mkdir()
            commands = workload(program, checkout, recipe, place, options.rounds, against)
            run = commands["run"]
            floors = {key: commands[key].cpu for key in "abc"}
            found = judged(run.cpu / formula(**floors), limit)
            by_clock = judged(run.wall / formula(**{key: commands[key].wall for key in "abc"}), limit)
            row(name, target, found, run, by_clock, ", ".join(f"{floors[key]:.1f}" for key in "abc"), commands.get("against"))

        up = options.upstreams.resolve()
        measure("einops", up / "einops", EXAMPLES / "einops/port.kdl", lambda a, b, c: a + b, 2, "≤ 2 (a + b)")
        measure("fla-core", up / "fla-core", EXAMPLES / "fla-core/port.kdl", lambda a, b, c: 4 * c + 2 * (a + b), 1, "≤ 4c + 2(a + b)")
        flash = pinned(FLASH, up / "flash-attn", work / "flash-attn.kdl")
        measure("flash-attn", up / "flash-attn", flash, lambda a, b, c: a + b, 1.5, "≤ 1.5 (a + b)")
        ports = work / "ports"
        ports.mkdir()
        fifty = fifty_ports(program, up, ports) if wanted("check") else []
        for processors, limit, target in ((1, 1.3, "≤ 1.3 × each alone"), (2, 1, "< each alone, two threads")) if fifty else ():
            together, alone = check(program, up, fifty, min(options.rounds, 3), processors)
            row("check 50 ports", target, "", together, judged(together.wall / alone, limit), f"{alone:.1f} wall")
        if options.full:
            made = synthetic(up / "synthetic")
            measure("synthetic", made, pinned(SYNTHETIC, made, work / "synthetic.kdl"), lambda a, b, c: a, 1.2, "≤ 1.2 a, 60 MB")
    if options.results and not options.only:
        commit = subprocess.run(["git", "-C", str(HERE), "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True).stdout.strip()
        machine = f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()} {platform.release()}"
        options.results.write_text(
            f"# Measured whole runs\n\nWritten by `scripts/bench.sh`, which says what the floors are. {datetime.date.today()}, commit {commit},\n{machine}; the least of {options.rounds} rounds.\n\n" + "\n".join(lines) + "\n"
        )


main()
