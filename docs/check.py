"""Check the site that `make docs` builds: every page is listed, every link leads somewhere, nothing needs the network.

Run it from the root of the repository after the site was built::

    .venv/bin/python docs/check.py
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).parent.parent
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
}
"""Attribute of each tag from which a browser loads something without being asked."""
RELATIONS = frozenset({"stylesheet", "icon", "preload", "modulepreload", "prefetch", "preconnect", "dns-prefetch"})
LISTED = re.compile(r"^\s*- (?:[^:]+: )?(\S+\.md)$", re.MULTILINE)
STYLE_URL = re.compile(r"(?:@import\s+|url\(\s*)[\"']?([^\"')\s;]+)")


class Page(HTMLParser):
    """What a built page defines, links to and loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Sort the addresses of one tag."""
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        if tag == "link" and RELATIONS & set(given.get("rel", "").split()):
            self.loads.append(given.get("href", ""))
        if given.get(LOADED.get(tag, ""), ""):
            self.loads.append(given[LOADED[tag]])


def unlisted(docs: Path, configuration: str) -> list[str]:
    """Pages that are not in the navigation, and entries of the navigation without a page or a script that writes it."""
    listed = set(LISTED.findall(configuration))
    there = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    written = {path.relative_to(docs).with_suffix(".md").as_posix() for path in docs.rglob("*.py")}
    return [f"{name}: not in the navigation of mkdocs.yml" for name in sorted(there - listed)] + [
        f"{name}: in the navigation of mkdocs.yml, but there is no such page"
        for name in sorted(listed - there - written)
    ]


def broken(site: Path) -> list[str]:
    """Links and resources that lead nowhere, and resources from the network."""
    pages = {path.resolve(): Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = []
    for path, page in pages.items():
        name = path.relative_to(site.resolve())
        found += [f"{name}: loads {url} from the network" for url in page.loads if is_remote(url)]
        local = [url for url in (*page.links, *page.loads) if not urlsplit(url).scheme and not is_remote(url)]
        found += [f"{name}: {url} leads nowhere" for url in local if not leads_somewhere(url, path, pages, site)]
    for path in sorted(site.rglob("*.css")):
        urls = STYLE_URL.findall(path.read_text(encoding="utf-8"))
        found += [f"{path.relative_to(site)}: loads {url} from the network" for url in urls if is_remote(url)]
    return found


def is_remote(url: str) -> bool:
    """Whether an address needs the network."""
    return url.startswith("//") or urlsplit(url).scheme in ("http", "https")


def leads_somewhere(url: str, path: Path, pages: dict[Path, Page], site: Path) -> bool:
    """Whether an address names a file, and the place in a page that it says. Those of 404.html start at the root."""
    parts = urlsplit(url)
    name = unquote(parts.path)
    folder = site if name.startswith("/") else path.parent
    target = (folder / name.lstrip("/")).resolve() if name else path
    if target not in pages:
        return target.is_file()
    return not parts.fragment or unquote(parts.fragment) in pages[target].anchors


def main() -> int:
    """Print what is wrong; the exit code says whether anything is."""
    found = unlisted(ROOT / "docs", (ROOT / "mkdocs.yml").read_text(encoding="utf-8")) + broken(ROOT / "site")
    sys.stdout.write("".join(f"{line}\n" for line in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
