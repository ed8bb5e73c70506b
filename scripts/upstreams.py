#!/usr/bin/env python3
"""Real upstream sources to port, from the Python package index, each as a git repository with one commit a release.

usage: upstreams.py DIR [name ...]

DIR/<name> is made unless it is there: tagged v<version>, oldest release first, `origin` a made-up https URL. The archives
are checked against the hashes below and the commit ids are the same on every machine, so that examples/ can pin them.
The index is PIP_INDEX_URL or pypi.org's; about 25 MB for all. Nothing of an archive is run.
"""

import hashlib
import html.parser
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse
import urllib.request

# name: version and hash of each archive, oldest first
RELEASES = {
    "einops": {
        "0.7.0": "b2b04ad6081a3b227080c9bf5e3ace7160357ff03043cd66cc5b2319eb7031d1",
        "0.8.1": "de5d960a7a761225532e0f1959e5315ebeafc0cd43394732f103ca44b9837e84",
    },
    "causal-conv1d": {
        "1.5.0.post8": "b3dc31fac0278da281b3f24ab164b01bd4518ac744e9fdd8d5d65adbf45b7136",
        "1.5.2": "9b7d8ec8d07e3590a1dfa010e4e87d1442635c3f96d665a3c1ce3025d8cc4b84",
    },
    "mamba-ssm": {
        "2.2.4": "e4114c69302796c91b71e90032c2d974f611608fab331582a80de6eaf075efb9",
        "2.2.5": "5055c8e631a22bb3cfc9958828a7a57ea14deef2ab2a98dcf425a27c87dcf6a7",
    },
    "liger-kernel": {
        "0.6.1": "563e8d6c38f3676da532b16821045c523a2b429006ce7d4fe0375f1485041b8d",
        "0.6.2": "5c5bcffffa769bc26ae838f5a4954170dd5cacde036abb1b383039f39fa5fd69",
    },
    "fla-core": {
        "0.5.2": "9360fc412f784c1c8f05c320ec2902d5d968764178c9b8a92efc919e17a39680",
        "0.6.0": "cdd5b7ff6d5c0e5c08fde73f2624d76e0b506f8684af4e316bc7f2d8bfd9a623",
    },
    "sageattention": {"1.0.6": "b0398a5877222ee1abaeccd27d1029309c8b57994794a11c1278e0bfd176512c"},
    "flash-attn": {
        "2.7.4.post1": "f03485c9a49a4d68d0733acdcad80ab0e72afa025a777fdc2966ceccf9d51765",
        "2.8.3": "1e71dd64a9e0280e0447b8a0c2541bad4bf6ac65bdeaa2f90e51a9e57de0370d",
    },
    "natten": {"0.21.0": "810aaf179e1a6fdb0a9279d7858d00412a0d3f045e546cada415205215ccd539"},
}


class Links(html.parser.HTMLParser):
    """The links of an index page."""

    def __init__(self):
        super().__init__()
        self.links = []

    def handle_starttag(self, tag, attributes):
        if tag == "a":
            self.links.append(dict(attributes).get("href", ""))


def get(url):
    with urllib.request.urlopen(url, timeout=180) as response:
        return response.read()


def archive(name, version, sha256):
    """The bytes of a release's archive."""
    index = os.environ.get("PIP_INDEX_URL", "https://pypi.org/simple").rstrip("/")
    page = f"{index}/{name}/"
    links = Links()
    links.feed(get(page).decode())
    wanted = f"{name.replace('-', '_')}-{version}.tar.gz"
    for link in links.links:
        url, _ = urllib.parse.urldefrag(urllib.parse.urljoin(page, link))
        if url.rsplit("/", 1)[-1] in (wanted, wanted.replace("_", "-", name.count("-"))):
            content = get(url)
            found = hashlib.sha256(content).hexdigest()
            if found != sha256:
                sys.exit(f"{url}: expected sha256 {sha256}, found {found}")
            return content
    sys.exit(f"{page}: no {wanted}")


def extract(content, directory):
    """Unpacks an archive without its top directory."""
    with tempfile.TemporaryFile() as file:
        file.write(content)
        file.seek(0)
        with tarfile.open(fileobj=file, mode="r:gz") as tar:
            for member in tar:
                below = member.name.partition("/")[2]
                if below:
                    member.name = below
                    tar.extract(member, directory, filter="data")


def make(repository, name):
    making = repository.with_name(repository.name + ".tmp")
    shutil.rmtree(making, ignore_errors=True)
    environment = {
        key: value for key, value in os.environ.items() if not key.startswith("GIT_")
    } | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}

    def git(*args, **more):
        subprocess.run(["git", "-C", str(making), *args], check=True, env=environment | more)

    making.mkdir(parents=True)
    git("init", "-q", "-b", "main")
    git("remote", "add", "origin", f"https://example.com/upstream/{name}.git")
    for number, (version, sha256) in enumerate(RELEASES[name].items(), start=1):
        for entry in making.iterdir():
            if entry.name == ".git":
                continue
            shutil.rmtree(entry) if entry.is_dir() and not entry.is_symlink() else entry.unlink()
        extract(archive(name, version, sha256), making)
        # Archives repeat sizes and times, by which git would take a changed file for the old one.
        (making / ".git/index").unlink(missing_ok=True)
        git("-c", "core.autocrlf=false", "add", "-A", "-f")
        date = f"2025-01-0{number}T00:00:00Z"
        identity = {f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
                    (("NAME", "upstream"), ("EMAIL", "upstream@example.com"), ("DATE", date))}
        git("commit", "-q", "-m", f"{name} {version}", **identity)
        git("tag", f"v{version}")
    making.rename(repository)


def main():
    if len(sys.argv) < 2 or any(argument.startswith("-") for argument in sys.argv[1:]):
        sys.exit(__doc__)
    directory = pathlib.Path(sys.argv[1])
    for name in sys.argv[2:] or RELEASES:
        if name not in RELEASES:
            sys.exit(f"{name}: known are {', '.join(RELEASES)}")
        repository = directory / name
        if not repository.exists():
            make(repository, name)
            print(f"{name}: {', '.join(RELEASES[name])}")


main()
