"""Layouts by name: what each assigns, and its words. No numerical library loads with them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from quorate.frozen import dataclass
from quorate.roles import JUDGE, PROMPT

LayoutName = Literal["factorial", "random", "cyclic", "weighted", "latin", "blocks"]
PARTIAL = "partly crossed"
"""The layout of a study that was made with open cells and follows none of these."""


@dataclass(frozen=True)
class Named:
    """A layout to those who only name it.

    Parameters
    ----------
    words : str
        How judges and prompts are assigned; ``{each}`` is an item or generation, ``{pairs}`` and ``{judges}`` how many
        meet it, ``{places}`` those of a cycle.
    assigned : tuple of str
        Facets whose levels it assigns rather than crosses, the generation apart.
    """

    words: str
    assigned: tuple[str, ...] = (JUDGE,)


LAYOUTS: Mapping[LayoutName, Named] = {
    "factorial": Named("everything crossed", ()),
    "random": Named("one judge per {each} at random"),
    "cyclic": Named("one judge per {each} in turn"),
    "weighted": Named("one judge per {each} in turn, with {places} places"),
    "latin": Named("{pairs} prompt and judge per {each} in turn", (PROMPT, JUDGE)),
    "blocks": Named("{judges} per {each} in turn"),
}
"""The simplest first."""
