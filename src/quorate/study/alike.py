"""Names that look alike: two that most readers take for one, such as with a Cyrillic letter or another dash."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

_DRAWN_AS_LATIN = str.maketrans(
    "авекмнорстухіјѕһԁԛԝαβεηικμνορτυχγⅼɡ",
    "abekmhopctyxijshdqwabenikuvoptuxylg",
)
_DASHES = re.compile(r"[\u2010-\u2015\u2212\ufe58\ufe63\uff0d_\s-]+")


def alike(names: Iterable[str]) -> tuple[tuple[str, str], ...]:
    """Pairs of names that look alike, each with the first one like it.

    Examples
    --------
    >>> alike(["gpt-4", "gpt-4o", "GPT 4"])
    (('gpt-4', 'GPT 4'),)
    """
    first: dict[str, str] = {}
    pairs = []
    for name in names:  # without case and accents' forms, with one kind of dash, and nothing that has no width
        folded = unicodedata.normalize("NFKC", name).casefold().translate(_DRAWN_AS_LATIN)
        seen = "".join(letter for letter in folded if unicodedata.category(letter) not in ("Cf", "Mn"))
        look = _DASHES.sub("-", seen).replace("0", "o").replace("1", "l")
        if first.setdefault(look, name) != name:
            pairs.append((first[look], name))
    return tuple(pairs)
