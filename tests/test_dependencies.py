"""Dependencies: each is said what it is for, and all of the core, with what they need in turn, are permissive."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PAGE = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
OF_DEVELOPERS = {"test", "check", "docs", "mutate"}
PERMISSIVE = {"0BSD", "Apache", "BSD", "CC0", "ISC", "MIT", "PSF", "Zlib"}


def names(requirements: list[str]) -> list[str]:
    return [Requirement(one).name for one in requirements]


def licence(name: str) -> str:
    """The expression, the classifiers or the text, whichever a package has."""
    metadata = distribution(name).metadata
    said = [one.rpartition(":: ")[2] for one in metadata.get_all("Classifier") or [] if one.startswith("License ::")]
    return metadata.get("License-Expression") or "; ".join(said) or metadata.get("License", "")


def needed(names_of: list[str]) -> set[str]:
    """What these need, and what that needs in turn."""
    found, left = set(), {canonicalize_name(name) for name in names_of}
    while left:
        name = left.pop()
        found.add(name)
        asked = [Requirement(one) for one in distribution(name).requires or []]
        wanted = [one for one in asked if one.marker is None or one.marker.evaluate({"extra": ""})]
        left |= {canonicalize_name(one.name) for one in wanted} - found
    return found


def test_everything_the_core_needs_is_permissive():
    here = [one for one in map(Requirement, PROJECT["dependencies"]) if one.marker is None or one.marker.evaluate()]
    for name in needed([one.name for one in here]):
        parts = re.split(r" AND | OR |; ", licence(name))
        permissive = [any(part.strip("()").startswith(one) for one in PERMISSIVE) for part in parts]
        assert all(permissive), f"{name}: {licence(name)}"


def test_the_page_says_what_each_is_for():
    core, _, extras = PAGE.partition("## Extras")
    assert sorted(re.findall(r"^\| ([a-z][\w.-]*) \| ", core, re.MULTILINE)) == sorted(names(PROJECT["dependencies"]))
    listed = {(extra, name) for extra, name in re.findall(r"^\| `(\w+)` \| ([\w.-]+) \|", extras, re.MULTILINE)}
    known = {
        (extra, name)
        for extra, requirements in PROJECT["optional-dependencies"].items()
        if extra not in OF_DEVELOPERS
        for name in names(requirements)
    }
    assert listed == known


def test_the_page_has_the_licences():
    rows = re.findall(r"^\|(?: `\w+` \|)? ([a-z][\w.-]*) \| (\w+) \|", PAGE, re.MULTILINE)
    assert len(rows) > 20
    for name, said in rows:
        try:
            assert said in licence(name), name
        except PackageNotFoundError:  # an extra that is not installed
            continue


def test_the_version_to_cite_is_the_version():
    assert f"\nversion: {PROJECT['version']}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
