"""Write ``caveats.md``, every caveat by the function that says it: `make docs` does, before the site."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

from quorate import caveats

PAGE = Path(__file__).with_suffix(".md")
CODE = re.compile(r'Caveat\(\s*"([a-z-]+)"')
INTRODUCTION = """\
# Caveats

A caveat travels with a result: its sentence is printed, its code is for programs.

| code | when it is said |
|---|---|
"""


def page() -> str:
    """The page as it should be."""
    said = {
        code: (inspect.getdoc(function) or "").partition("\n")[0]
        for _, function in inspect.getmembers(caveats, inspect.isfunction)
        for code in CODE.findall(inspect.getsource(function))
    }
    return INTRODUCTION + "".join(f"| `{code}` | {words} |\n" for code, words in sorted(said.items()))


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
