#!/usr/bin/env python3
"""Random checkouts, changed in every way there is: a run must call exactly those files changed that `git status` does.

usage: random_checkouts.py PROGRAM [COUNT] [SEED]        (default: 300 checkouts, seed 1)

git is asked with its defaults, for each untracked file, and without guessing renames. Each clean checkout must also give the
bytes and modes of its commit. Prints the first checkouts that differ, and keeps them.
"""

import json
import os
import pathlib
import random
import shutil
import stat
import subprocess
import sys
import tempfile

NAMES = ["a", "b", "a-b", "a.c", "a0", "B", "x.py", "build", ".hid", "\u00fc", "_", "a b"]
RULES = ["build", "*.py", "a", "/a", "b/", "!a", "a-b/**", ".hid", "**/x.py", "# a", "!x.py"]
IDENTITY = {f"GIT_{who}_{what}": "a@b" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
ENVIRONMENT = {**os.environ, **IDENTITY, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}


def git(repository, *arguments, check=True):
    command = ["git", "-C", str(repository), "-c", "core.quotePath=off", *arguments]
    return subprocess.run(command, check=check, capture_output=True, env=ENVIRONMENT).stdout


class Checkout:
    def __init__(self, rng, top):
        self.rng, self.top, self.repository = rng, top, top / "repository"
        self.repository.mkdir()
        git(self.repository, "init", "-q")
        git(self.repository, "remote", "add", "origin", "https://example.com/r.git")
        for _ in range(rng.randint(1, 25)):
            self.put(self.path(), str(rng.random()))
        if rng.random() < 0.5:
            above = self.path(2) + "/" if rng.random() < 0.5 else ""
            self.put(above + ".gitignore", "".join(rng.choice(RULES) + "\n" for _ in range(rng.randint(1, 3))))
        for _ in range(rng.randint(0, 2)):
            self.link(rng.choice(["a", ".", "nowhere", "a/b"]), self.path())
        git(self.repository, "add", "--all", "--force")
        git(self.repository, "commit", "-qm", "all", "--allow-empty")
        self.commit = git(self.repository, "rev-parse", "HEAD").decode().strip()

    def path(self, depth=3):
        return "/".join(self.rng.choice(NAMES) for _ in range(self.rng.randint(1, depth)))

    def put(self, path, text):
        file = self.repository / path
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            # Writing to a pipe would wait for its reader.
            if file.is_file() or not os.path.lexists(file):
                file.write_text(text)
        except OSError:
            pass

    def link(self, target, path):
        try:
            (self.repository / path).parent.mkdir(parents=True, exist_ok=True)
            os.symlink(target, self.repository / path)
        except OSError:
            pass

    def change(self):
        """One change of the work tree or the index."""
        rng = self.rng
        there = [path for path in sorted(self.repository.rglob("*")) if ".git" not in path.relative_to(self.repository).parts]
        path = rng.choice(there) if there else self.repository / "new"
        is_directory = path.is_dir() and not path.is_symlink()
        is_file = path.is_file() and not path.is_symlink()
        kind = rng.randrange(11)
        if kind == 0:
            self.put(self.path(), "new")
        elif kind == 1:
            self.link("a", self.path())
        elif kind == 2 and is_file:
            path.write_text("changed")
        elif kind == 3 and (is_file or path.is_symlink()):
            path.unlink()
        elif kind == 4 and is_directory:
            shutil.rmtree(path)
            if rng.random() < 0.5:
                path.write_text("a file now")
        elif kind == 5 and is_file:
            path.unlink()
            path.mkdir()
            (path / "inside").write_text("a directory now")
        elif kind == 6 and is_directory:
            away = self.top / f"away-{rng.random()}"
            shutil.move(path, away)
            path.symlink_to(away)
        elif kind == 7 and is_file and path.name != ".gitignore":
            # Of rules in a pipe git waits for the writer.
            path.unlink()
            os.mkfifo(path)
        elif kind == 8 and is_file:
            path.chmod(rng.choice([0o755, 0o644, 0o600]))
        elif kind == 9:
            git(self.repository, "rm", "-rq", "--cached", "--", str(path.relative_to(self.repository)), check=False)
        elif kind == 10:
            self.put(self.path(), "staged")
            git(self.repository, "add", "--all", "--force", *rng.choice([[], ["--intent-to-add"]]), check=False)

    def changed(self):
        """What git calls changed."""
        text = git(self.repository, "status", "--porcelain", "-z", "--untracked-files=all", "--no-renames")
        return {entry[3:].decode() for entry in text.split(b"\0") if entry}

    def committed(self):
        """Path, whether executable or a link, and bytes of each file of the commit."""
        found = {}
        for entry in git(self.repository, "ls-tree", "-rz", "HEAD").split(b"\0")[:-1]:
            about, path = entry.split(b"\t")
            mode, _, identity = about.decode().split()
            found[path.decode()] = (mode, git(self.repository, "cat-file", "blob", identity))
        return found


def written(output):
    """As `Checkout.committed`, for an output."""
    found = {}
    for path in output.rglob("*"):
        mode = path.lstat().st_mode
        name = str(path.relative_to(output))
        if stat.S_ISLNK(mode):
            found[name] = ("120000", os.readlink(path).encode())
        elif stat.S_ISREG(mode) and name != "port-provenance.json":
            found[name] = ("100755" if mode & 0o100 else "100644", path.read_bytes())
    return found


def differs(program, checkout):
    """What is wrong with a run on a checkout; nothing when all is well."""
    recipe = checkout.top / "port.kdl"
    recipe.write_text(f'recipe version=1\nsource repo="https://example.com/r.git" commit="{checkout.commit}"\n')
    output = checkout.top / "output"
    command = [program, recipe, "--dir", checkout.repository, "--out", output, "--format", "json"]
    run = subprocess.run(command, capture_output=True, env=ENVIRONMENT)
    document = json.loads(run.stdout)
    failure = document["ops"][0]["failure"]
    ours = {place["path"] for place in failure["evidence"]} if failure else set()
    theirs = checkout.changed()
    if ours != theirs:
        return f"only ours: {sorted(ours - theirs)}, only git's: {sorted(theirs - ours)}"
    if not theirs and output.exists() and written(output) != checkout.committed():
        return "the output is not the commit"
    return None


def main():
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    program = pathlib.Path(sys.argv[1]).resolve()
    count, seed = (int(sys.argv[at]) if len(sys.argv) > at else default for at, default in ((2, 300), (3, 1)))
    wrong = changed = 0
    for number in range(count):
        rng = random.Random(f"{seed} {number}")
        top = pathlib.Path(tempfile.mkdtemp(prefix="checkout-"))
        checkout = Checkout(rng, top)
        for _ in range(rng.choice([0, 1, 2, 4, 8])):
            try:
                checkout.change()
            except OSError:
                pass
        what = differs(program, checkout)
        changed += bool(checkout.changed())
        if what:
            wrong += 1
            print(f"checkout {number}, kept in {top}: {what}")
            if wrong == 5:
                break
        else:
            shutil.rmtree(top, ignore_errors=True)
    print(f"{number + 1} checkouts, {changed} of them changed: {wrong} judged in another way than git does")
    sys.exit(wrong > 0)


main()
