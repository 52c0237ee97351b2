"""Counts, lists and shares as a reader expects them in a sentence."""

from __future__ import annotations

from collections.abc import Iterable


def plural(name: str) -> str:
    """Plural of a facet's name.

    Examples
    --------
    >>> plural("judge"), plural("category"), plural("annotators")
    ('judges', 'categories', 'annotators')
    """
    if name.endswith("s"):
        return name
    if name.endswith("y") and name[-2:-1] not in "aeiou":
        return f"{name[:-1]}ies"
    return f"{name}s"


def counted(count: int, name: str) -> str:
    """A count with its noun.

    Examples
    --------
    >>> counted(1, "judge"), counted(1200, "category")
    ('1 judge', '1,200 categories')
    """
    return f"{count:,} {name if count == 1 else plural(name)}"


def listed(names: Iterable[str], last: str = "and") -> str:
    """Names as a list.

    Examples
    --------
    >>> listed(["item", "prompt", "judge"]), listed(["item"])
    ('item, prompt and judge', 'item')
    """
    *first, end = names
    return f"{', '.join(first)} {last} {end}" if first else end


def percent(share: float) -> str:
    """A share with one decimal, never rounded to nothing or to everything.

    Examples
    --------
    >>> percent(0.0312), percent(0.0001), percent(0.99999), percent(0.0)
    ('3.1%', '<0.1%', '>99.9%', '0.0%')
    """
    if 0 < share < 0.001:
        return "<0.1%"
    return ">99.9%" if 0.999 < share < 1 else f"{share:.1%}"
