"""The report of adaptive allocation as Markdown and as JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from quorate.reporting.allocation_report import allocation_said
from quorate.reporting.allocation_section import allocation_facts, allocation_sections
from quorate.reporting.markdown_page import markdown_page

if TYPE_CHECKING:
    from quorate.analysis.allocation import AllocationView
    from quorate.reporting.reproduce import Provenance


def allocation_markdown(view: AllocationView, origin: Provenance) -> str:
    """The report as Markdown."""
    return markdown_page(allocation_sections(view), allocation_facts(view), allocation_said(view, origin))


def allocation_json(view: AllocationView, origin: Provenance) -> str:
    """The report as JSON."""
    said = allocation_said(view, origin)
    kept = {name: said[name] for name in ("title", "methods", "provenance")} | (
        {"note": origin.note} if origin.note else {}
    )
    return json.dumps({**kept, **view.to_dict()}, indent=2, allow_nan=False) + "\n"
