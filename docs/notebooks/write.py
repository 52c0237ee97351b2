"""Write the notebooks of the gallery from the pages that they are of, whose blocks are tested.

Run it from the root of the repository after such a page has changed; a test says when::

    .venv/bin/python docs/notebooks/write.py
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PAGES = HERE.parent / "how-to"
GALLERY = (
    "error-bar",
    "compare",
    "rank",
    "judge-panel",
    "annotation",
    "human-votes",
    "judge-budget",
    "adaptive",
)
"""Names of the pages, in the order of the gallery."""

OWN_LINK = re.compile(r"\]\((?!\.\./|#|\w+:)")
BLOCK = re.compile(
    r"^(?:<!-- *(?P<mark>output|exit: *\d+) *-->\n\n?)?"
    r"^(?:```|<!-- *)(?P<kind>python|bash|text)\n(?P<code>.*?)^(?:```|-->)\n",
    re.DOTALL | re.MULTILINE,
)


def notebook(text: str) -> dict[str, Any]:
    """A page as a notebook: text, code that is shown or not, commands, and what they print."""
    cells = [{**cell, "id": f"cell-{place}"} for place, cell in enumerate(cells_of(text))]
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    about = {"kernelspec": kernel, "language_info": {"name": "python"}}
    return {"cells": cells, "metadata": about, "nbformat": 4, "nbformat_minor": 5}


def cells_of(text: str) -> Iterator[dict[str, Any]]:
    """The cells in their order; what a block prints belongs to the last one that ran."""
    at, cells = 0, list[dict[str, Any]]()
    for block in BLOCK.finditer(text):
        if block["kind"] == "text" and block["mark"] != "output":
            continue  # a part of the text
        cells += prose(text[at : block.start()])
        at = block.end()
        if block["mark"] == "output":
            ran = next(cell for cell in reversed(cells) if cell["cell_type"] == "code")
            ran["outputs"] = [{"name": "stdout", "output_type": "stream", "text": lines(block["code"])}]
            continue
        shell = "%%sh --no-raise-error\n" if block["mark"] else "%%sh\n"
        source = lines((shell if block["kind"] == "bash" else "") + block["code"])
        cells.append({"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source})
    yield from (*cells, *prose(text[at:]))


def prose(text: str) -> list[dict[str, Any]]:
    """Text between blocks, with links that lead from here to where they led from its page."""
    words = OWN_LINK.sub("](../how-to/", text.strip())
    return [{"cell_type": "markdown", "metadata": {}, "source": lines(words)}] if words else []


def lines(text: str) -> list[str]:
    """Lines of a text, each with its end but the last."""
    return text.strip("\n").splitlines(keepends=True)


def written() -> dict[Path, str]:
    """Every notebook as it should be."""
    texts = {name: (PAGES / f"{name}.md").read_text(encoding="utf-8") for name in GALLERY}
    return {
        HERE / f"{name}.ipynb": f"{json.dumps(notebook(text), indent=1, ensure_ascii=False)}\n"
        for name, text in texts.items()
    }


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
