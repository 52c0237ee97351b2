"""Verdicts that judges wrote into their texts, in double brackets, such as [[A]] and [[7]]."""

from __future__ import annotations

import re
from collections.abc import Collection

from quorate.roles import AMONG, PICK, VERDICT
from quorate.table.columns.aliases import ORDERS, claims
from quorate.table.columns.languages import plain
from quorate.table.columns.outcomes import WORDS, sides_in
from quorate.table.columns.scales import number
from quorate.table.columns.vote_roles import ORDER, recognise_pair
from quorate.table.exchange.rows import IN_BRACKETS, PLACES
from quorate.table.facts.profile import Table
from quorate.table.pairs import A, B
from quorate.table.reading.reading import Meant, Reading
from quorate.table.reading.score import says_score

_RATING = re.compile(r"(?i)\b(rating|score|grade|overall)\W{0,4}\[\[")
_SEEN, _MOSTLY = 400, 0.8
"""Texts that are looked at, and the share of them that must have one verdict each."""


def with_verdicts(table: Table) -> Table:
    """The same with a column of the verdicts of texts, where one column alone has them, and none is that by its name.

    They are words for a side or for neither, or numbers behind a word that says they are a rating.
    """
    if recognise_pair("winner", table.names) or any(one.scored and says_score(one.name) for one in table.columns):
        return table
    texts = [one.name for one in table.columns if not one.numeric and one.distinct > 1]
    found = [name for name in texts if _are_verdicts(verdicts_in(table, name)) or _are_ratings(table, name)]
    return table.with_column(found[0] + VERDICT) if len(found) == 1 else table


def of_texts(reading: Reading, table: Table) -> Reading:
    """A reading that says where its score or winner is the last word in double brackets of texts.

    It asks what A stands for where another column says that the two were shown in another order.
    """
    taken = (reading.options.get(role) for role in ("score", "winner"))
    found = next((one for one in taken if isinstance(one, str) and one.endswith(VERDICT)), None)
    if found is None:
        return reading
    text = found.removesuffix(VERDICT)
    orders = [name for name in claims(table.names, ORDERS) if table.column(name).distinct > 1]
    if reading.kind == "scores" or not orders:
        return reading.granting(f"every {text} has its verdict in double brackets")
    a, b = (reading.options.get(role) or recognise_pair(role, table.names) for role in ("model_a", "model_b"))
    said = f"every {text} has its verdict in double brackets, and {orders[0]} says in which order two were shown"
    shown = {"model_a": f"{a}{AMONG}{b}{PICK}{orders[0]}", "model_b": f"{a}{AMONG}{b}{PICK}!{orders[0]}"}
    facets = {**reading.options.get("facets", {}), ORDER: "model_a"}
    known = {a, b, *(word for place in PLACES for word in place)}
    known |= {word for side in (a, b) if side in table.names for word in table.column(side).words}
    by_place = Meant({**reading.options, **shown, "facets": facets}, "A is what was shown first")
    told = {*table.column(orders[0]).words} <= known
    return Reading(
        reading.options,
        kind="votes",
        said=said,
        meant=(*([by_place] if told else []), Meant(reading.options, f"A is {a}")),
    )


def verdicts_in(table: Table, name: str) -> frozenset[str]:
    """What stands in double brackets, where most texts have one such word; else nothing."""
    texts = [text for text in table.shown(name, _SEEN) if text]
    found = [{*re.findall(IN_BRACKETS, text)} for text in texts]
    once = sum(len(words) == 1 for words in found) >= max(2, _MOSTLY * len(texts))
    return frozenset(word for words in found for word in words) if once else frozenset()


def _are_verdicts(words: Collection[str]) -> bool:
    if len(words) < 2:
        return False
    known, held = {plain(word) for meant in WORDS.values() for word in meant}, {*map(plain, words)}
    sides = held <= known and bool(held & {*WORDS[A]}) and bool(held & {*WORDS[B]})
    return sides or sides_in([*words]) is not None


def _are_ratings(table: Table, name: str) -> bool:
    """Whether numbers in double brackets are called ratings in most texts."""
    words = verdicts_in(table, name)
    if len(words) < 2 or any(number(word) is None for word in words):
        return False
    texts = [text for text in table.shown(name, _SEEN) if text]
    return sum(_RATING.search(text) is not None for text in texts) >= _MOSTLY * len(texts)
