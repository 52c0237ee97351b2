"""Pages as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quorate.table.results import plain

if TYPE_CHECKING:
    from quorate.reporting.page import Page


def as_json(page: Page) -> str:
    """The page as JSON: what is said around the figures, then the result; what is not known or not finite is null."""
    note = {"note": page.origin.note} if page.origin.note else {}
    around = {"title": page.title, **note, "methods": page.methods, "provenance": {**page.provenance, **note}}
    return json.dumps(plain({**around, **page.content()}), indent=2, allow_nan=False) + "\n"
