#!/usr/bin/env python3
"""Random packages that import themselves in every way there is are ported, run, and must print what they printed before.

usage: random_packages.py PROGRAM [COUNT] [SEED]        (default: 100 packages, seed 1)

Each package is run as it is, then ported with move, convert_import and relativize_imports (each third one: move and
remap_module) and run under another name. A port that the program refuses must be refused for a use that it names; it is counted. Prints the first packages that differ.
"""

import pathlib
import random
import subprocess
import sys
import tempfile

MODULES = ["a", "b", "sub", "sub.c", "sub.d", "sub.deep", "sub.deep.e"]
PACKAGES = {"sub", "sub.deep"}
NAMES = ["f", "g", "VALUE"]


def body(module):
    return f"VALUE = {module!r}\n\n\ndef f(x=0):\n    return ('f', {module!r}, x)\n\n\ndef g(*a, **k):\n    return ('g', {module!r}, a, sorted(k))\n"


class Writer:
    def __init__(self, rng, me):
        self.rng, self.me, self.count = rng, me, 0

    def fresh(self):
        self.count += 1
        return f"v{self.count}"

    def path(self):
        return self.rng.choice([m for m in MODULES])

    def use(self, dotted):
        """An expression over a module's dotted path."""
        return self.rng.choice([
            f"{dotted}.f()", f"{dotted}.VALUE", f"{dotted} .  g(1, k={dotted}.VALUE)", f"[{dotted}.f(i) for i in range(2)]",
            f"(lambda q={dotted}.VALUE: q)()", f"f'{{{dotted}.VALUE}}'", f"f'{{{dotted}.VALUE!r:>9}}'", f"({dotted}\n    .f())", f"{dotted}.f.__name__",
            f"{{{dotted}.VALUE: {dotted}.f}}.popitem()[0]", f"getattr({dotted}, 'VALUE')", f"str({dotted}.VALUE) + ''.join(x for x in {dotted}.VALUE)",
            f"(w := {dotted}.f)()", f"{dotted}.VALUE if {dotted} else None", f"[*{dotted}.VALUE][0]", f"{dotted}.VALUE[:1]",
        ])

    def importing(self):
        """An import statement, and expressions that use what it binds."""
        rng, m = self.rng, self.path()
        name = rng.choice(NAMES)
        form = rng.randrange(12)
        parent, _, leaf = m.rpartition(".")
        if form == 0:
            return f"import pkg.{m}", [self.use(f"pkg.{m}")]
        if form == 1:
            v = self.fresh()
            return f"import pkg.{m} as {v}", [self.use(v)]
        if form == 2:
            v, n = self.fresh(), self.path()
            return f"import pkg.{m}, os, pkg.{n} as {v}", [self.use(f"pkg.{m}"), self.use(v), "os.sep"]
        if form == 3:
            v = self.fresh()
            return f"from pkg.{m} import {name} as {v}", [f"repr({v})[:2]" if name != "VALUE" else v]
        if form == 4:
            return f"from pkg.{m} import (\n    f,  # one\n    g as {self.fresh()},\n    VALUE,\n)", ["f()", "VALUE"]
        if form == 5:
            return f"from pkg{'.' + parent if parent else ''} import {leaf}", [self.use(leaf)]
        if form == 6:
            v = self.fresh()
            return f"from pkg{'.' + parent if parent else ''} import {leaf} as {v}", [self.use(v)]
        if form == 7:
            return f"from pkg.{m} \\\n    import f, VALUE; from pkg import {rng.choice('ab')} as zz", ["f()", "VALUE", "zz.VALUE"]
        if form == 8:
            return f"from pkg.{m} import *", ["VALUE"]
        if form == 9:
            v = self.fresh()
            return f"import pkg as {v}, pkg.{m}", [self.use(f"{v}.{m}")]
        if form == 10:
            return f"import pkg.{m}; import pkg.{self.path()}", [self.use(f"pkg.{m}")]
        return f"try:\n    import pkg.{m}\nexcept ImportError:\n    raise", [self.use(f"pkg.{m}")]

    def indent(self, text, by="    "):
        return "\n".join(by + line for line in text.split("\n"))

    def block(self, number):
        rng = self.rng
        statement, uses = self.importing()
        star = "import *" in statement
        prints = "\n".join(f"out({u})" for u in uses)
        kind = 0 if star else rng.randrange(9)
        if kind == 0:
            return f"{statement}\n{prints}\n"
        if kind == 1:
            return f"def h{number}():\n{self.indent(statement)}\n{self.indent(prints)}\n\n\nh{number}()\n"
        if kind == 2:
            return f"if True:\n  {self.indent(statement, '  ').strip()}\n{prints}\n"
        if kind == 3:
            return f"{statement}\n\n\ndef h{number}():\n{self.indent(prints)}\n\n\nh{number}()\n"
        if kind == 4:
            return f"def h{number}():\n{self.indent(statement)}\n\n    def inner():\n{self.indent(prints, ' ' * 8)}\n    inner()\n\n\nh{number}()\n"
        if kind == 5:
            return f"{statement}\n\n\nclass C{number}:\n    kept = [{uses[0]}]\n\n    def m(self, d={uses[-1]}):\n{self.indent(prints, ' ' * 8)}\n        out(d)\n\n\nC{number}().m()\nout(C{number}.kept)\n"
        if kind == 6:
            return f"{statement}\nfor i{number} in range(2):\n\tout({uses[0]})\n"
        if kind == 7:
            return f"async def h{number}():\n{self.indent(statement)}\n    return [{', '.join(uses)}]\n\n\nimport asyncio\nout(asyncio.run(h{number}()))\n"
        return f"{statement}\nmatch [{uses[0]}]:\n    case [q{number}]:\n        out(q{number})\n"

    def awkward(self, number):
        """What stands in the way of following a name, or takes the name that a rewrite would choose."""
        m, n = self.path(), self.path()
        leaf = m.rpartition(".")[2]
        return self.rng.choice([
            f"class K{number}:\n    import pkg.{m}\n    kept = pkg.{m}.VALUE\n\n\nout(K{number}.kept, K{number}.pkg.{m}.f())\n",
            f"import pkg.{m}\npkg = pkg.{m}\nout(pkg.VALUE)\n",
            f"import pkg.{m}\nout(pkg.{m}.VALUE)\ndel pkg\n",
            f"def p{number}(pkg=3):\n    return pkg\n\n\nimport pkg.{m}\nout(p{number}(), pkg.{m}.VALUE)\n",
            f"import pkg.{m}\nout([pkg for pkg in range(2)], pkg.{m}.VALUE)\n",
            f"import pkg.{m}\n{leaf} = 5\nout({leaf}, pkg.{m}.VALUE)\n",
            f"def q{number}({leaf}=1):\n    import pkg.{m}\n    return {leaf}, pkg.{m}.VALUE\n\n\nout(q{number}())\n",
            f"import pkg.{m}\n\n\ndef q{number}({leaf}=1):\n    return {leaf}, pkg.{m}.VALUE\n\n\nout(q{number}())\n",
            f"import pkg.{m}\nfor {leaf} in 'xy':\n    out({leaf}, pkg.{m}.VALUE)\n",
            f"import pkg.{m}\ntry:\n    1 / 0\nexcept ZeroDivisionError as {leaf}:\n    out(type({leaf}), pkg.{m}.f())\n",
            f"import pkg.{m}\nmatch 7:\n    case {leaf}:\n        out({leaf}, pkg.{m}.f())\n",
            f"import pkg.{m}\nout(({leaf} := 4), pkg.{m}.VALUE, {leaf})\n",
            f"import pkg.{m}\nout(globals()['pkg'].{m}.VALUE)\n",
            f"import pkg.{m}\nout(eval('pkg.{m}.VALUE'))\n",
            f"import pkg.{m}\nout(f'{{pkg.{m}.VALUE=}}')\n",
            f"import pkg.{m}\nout(hasattr(pkg, {m.split('.')[0]!r}), pkg.{m}.VALUE)\n",
            f"import pkg.{m}, pkg.{n}\nout(pkg.{m}.VALUE, pkg.{n}.VALUE)\n\n\ndef late{number}():\n    global pkg\n    import pkg.{n}\n    return pkg.{n}.f()\n\n\nout(late{number}())\n",
            f"def deep{number}():\n    import pkg.{m}\n\n    def inner():\n        nonlocal pkg\n        import pkg.{n}\n        return pkg.{n}.VALUE\n    return inner(), pkg.{m}.VALUE\n\n\nout(deep{number}())\n",
            f"import pkg.{m}\nx{number}: pkg.{m}.f = 1\nout(x{number}, __annotations__.get('x{number}') is not None)\n",
            f"import typing, pkg.{m}\n\n\ndef an{number}(x: 'typing.List[pkg.{m}.f]'):\n    pass\n\n\nout(an{number}.__annotations__ is not None)\n",
            f"import pkg.{m}\n\n\n@pkg.{m}.g\ndef de{number}():\n    pass\n\n\nout(de{number}[:2])\n",
            f"import pkg.{m}\npkg.{m}.VALUE += '!'\nimport pkg.{m} as again{number}\nout(again{number}.VALUE)\n",
            f"import pkg.{m}\npkg.{m}.extra{number} = 1\nout(pkg.{m}.extra{number})\ndel pkg.{m}.extra{number}\n",
            f"try:\n    import pkg.missing{number}\nexcept ImportError:\n    import pkg.{m} as fallback{number}\nout(fallback{number}.VALUE)\n",
            f"__all__ = ['pkg']\nimport pkg.{m}\nout(pkg.{m}.VALUE)\n",
            f"import pkg.{m}\nimport os as pkg_os, pkg.{n} as {leaf}_\nout(pkg.{m}.VALUE, {leaf}_.VALUE)\n",
            f"with open(os.devnull) as {leaf}:\n    import pkg.{m}\n    out({leaf}.read(), pkg.{m}.VALUE)\n",
            f"import pkg.{m}\nL{number} = lambda {leaf}: ({leaf}, pkg.{m}.VALUE)\nout(L{number}(1))\n",
            f"import pkg.{m}\nout([({leaf}, pkg.{m}.VALUE) for {leaf} in range(2)])\n",
            f"if os.sep:\n    import pkg.{m}\nelse:\n    pkg = None\nout(pkg.{m}.VALUE)\n",
            f"out((lambda: pkg.{m}.VALUE) is not None)\nimport pkg.{m}\nout((lambda: pkg.{m}.VALUE)())\n",
        ])

    def module(self):
        rng = self.rng
        # A class body and a function of their own see the module's names.
        text = "".join(
            self.awkward(number) if rng.random() < 0.15 else self.block(number) for number in range(rng.randrange(1, 6))
        )
        head = rng.choice(["", '"""Doc: import pkg.a, from pkg.b import f."""\n', "#!/usr/bin/env python\n# import pkg.a\n", "from __future__ import annotations\n", "\ufeff"])
        text = f"{head}from builtins import print as out\nimport os\n{text}"
        newline = rng.choice(["\n", "\n", "\n", "\r\n"])
        return text.replace("\n", newline)


def write(root, rng):
    for module in MODULES:
        path = root / (module.replace(".", "/") + ("/__init__.py" if module in PACKAGES else ".py"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(body(module))
    (root / "__init__.py").write_text("")
    users = []
    for number in range(3):
        place = rng.choice(["", "sub/", "sub/deep/"])
        name = f"user{number}"
        (root / f"{place}{name}.py").write_bytes(Writer(rng, place).module().encode())
        users.append(f"{place}{name}".replace("/", "."))
    return users


def run(directory, package, users):
    outs = []
    for user in users:
        code = f"import importlib; importlib.import_module('{package}.{user}')"
        done = subprocess.run([sys.executable, "-W", "ignore", "-c", code], cwd=directory, capture_output=True, text=True)
        outs.append((done.returncode, done.stdout, done.stderr.strip().splitlines()[-1:] if done.returncode else []))
    return outs


def main():
    program = pathlib.Path(sys.argv[1]).resolve()
    count, seed = (int(a) for a in (*sys.argv[2:], *["100", "1"][len(sys.argv) - 2 :]))
    refused = differ = ran = failing = 0
    for number in range(count):
        rng = random.Random(f"{seed}/{number}")
        with tempfile.TemporaryDirectory() as work:
            work = pathlib.Path(work)
            users = write(work / "old" / "pkg", rng)
            before = run(work / "old", "pkg", users)
            rename = 'move from="pkg" to="other"\nremap_module in="other/**" from="pkg" to="other"'
            recipe = 'move from="pkg" to="torch-ext/pkg"\nconvert_import in="torch-ext/pkg/**" prefix="pkg"\nrelativize_imports in="torch-ext/pkg/**" package_root="torch-ext/pkg"'
            renamed = number % 3 == 0
            recipe = rename if renamed else recipe
            for tried in (recipe, recipe.replace('prefix="pkg"', 'prefix="pkg" changes=0')):
                done = subprocess.run([program, "--dir", work / "old", "--out", work / "out", "-e", tried], capture_output=True, text=True)
                if "no `import pkg" not in done.stderr:
                    break
            if done.returncode:
                refused += 1
                known = ("without changing what", "names a module that is not in the tree", "name a module that is not")
                if not any(sign in done.stderr for sign in known):
                    differ += 1
                    if differ < 4:
                        print(f"package {number}: {done.stderr}")
                continue
            if renamed:
                (work / "out" / "other").rename(work / "other")
            else:
                (work / "out" / "torch-ext" / "pkg").rename(work / "other")
            after = run(work, "other", users)
            ran += 1
            failing += sum(code != 0 for code, *_ in before)
            for user, old, new in zip(users, before, after):
                if old[:2] != new[:2]:
                    differ += 1
                    text = (work / "old" / "pkg" / (user.replace(".", "/") + ".py")).read_text()
                    ported = (work / "other" / (user.replace(".", "/") + ".py")).read_text()
                    if differ < 4:
                        print(f"package {number}, {user}: {old}\n  became {new}\n--- before\n{text}\n--- after\n{ported}")
    print(f"{count} packages: {ran} ported and run, {refused} refused, {differ} wrong; {failing} of {3 * ran} modules fail before and after")
    sys.exit(differ > 0)


main()
