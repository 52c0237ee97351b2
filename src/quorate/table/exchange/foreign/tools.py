"""The formats of other tools that are read; the reader of one is loaded where something at a first sight may be its."""

from __future__ import annotations

import re
from ast import literal_eval
from functools import cache
from importlib import import_module
from pathlib import Path

from quorate.table.exchange.format import Format
from quorate.table.exchange.glance import Glance

_FOLDER = Path(__file__).parent
_LISTED = re.compile(r'^SIGHT = (\(.*\))\nFORMAT = Format\("([^"]+)"', re.MULTILINE)
"""The last lines of a reader: words of which all that is its has one, and its name."""


def _tool(name: str, module: str, words: tuple[str, ...]) -> Format:
    """A format by its name, the module that reads it, and the words that are looked for before it is loaded."""

    @cache
    def read() -> Format:
        form: Format = import_module(module).FORMAT
        return form

    def claims(glance: Glance) -> bool:
        return any(word in glance.words for word in words) and read().claims(glance)

    return Format(
        name,
        open=lambda *source: read().open(*source),
        claims=claims,
        tool=True,
        opens=lambda path: read().opens(path),
        holds=lambda place: read().holds(place),
        caveats=lambda place: read().caveats(place),
        paid=lambda place: read().paid(place),
    )


TOOLS = tuple(
    _tool(listed[2], ".".join((__package__, *path.relative_to(_FOLDER).with_suffix("").parts)), literal_eval(listed[1]))
    for path in sorted(_FOLDER.rglob("*.py"))
    if (listed := _LISTED.search(path.read_text(encoding="utf-8")))
)
"""Every file of this folder that ends in the two lines; its text is looked at, as running all of them takes longer."""
