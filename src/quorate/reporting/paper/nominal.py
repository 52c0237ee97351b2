"""Labels in a methods section: what was labelled by whom, the shares, agreement, and how they were found."""

from __future__ import annotations

from importlib.metadata import version
from math import isnan

from quorate.analysis.words import shown
from quorate.estimate.labels import Confusion
from quorate.estimate.nominal import Labels, interval
from quorate.roles import JUDGE
from quorate.wording import at_level, counted, listed, percent, shares

_MOST = 8
"""Labels whose shares are named one by one."""


def paragraph(found: Labels) -> str:
    """What was done and what came out."""
    sentences = (data(found), shares_of(found), model(), agreement(found), confused(found), people(found))
    return " ".join(filter(None, sentences))


def data(found: Labels) -> str:
    """Who labelled what, and how many labels are missing."""
    table = found.judgments
    absent = int(table.rows.sum()) - table.n_answers
    gaps = f"; {absent:,} of {absent + table.n_answers:,} rows had no label and were taken as missing at random"
    others = [name for name in table.names if name not in (table.object, JUDGE, *table.ancestors(table.object))]
    by = f"{counted(found.judges, JUDGE)} gave " if JUDGE in table.names else "The study has "
    over = [counted(len(found.items), shown(table.object))]
    over += [counted(table.n_levels(name), shown(name)) for name in others]
    what = f"{counted(table.n_answers, 'label')} of {counted(len(found.shares), 'kind')} to {listed(over)}"
    return f"{by}{what}{gaps if absent else ''}."


def shares_of(found: Labels) -> str:
    """The share of every label with its interval."""
    said = []
    for one in found.shares[:_MOST]:
        value, low, high = shares(one.share, *one.estimate.ends)
        said.append(f'"{shown(one.label)}" {value} ({low} to {high})')
    rest = len(found.shares) - _MOST
    more = f" and {counted(rest, 'rarer label')}" if rest > 0 else ""
    level, scope = f"{at_level(found.level)} intervals", f", {found.scope}" if found.scope else ""
    return f"Shares of {found.judgments.object}s by label ({level}{scope}): {'; '.join(said)}{more}."


def model() -> str:
    """How the shares were estimated."""
    return (
        "Shares are means of 0/1 scores, one for each label, from linear mixed models whose variance components were "
        "estimated by restricted maximum likelihood. One set of weights for all labels makes them add up to 1; their "
        f"intervals are Wilson's for an effective number of answers (Quorate {version('quorate')})."
    )


def agreement(found: Labels) -> str:
    """Agreement of judges, and what its intervals count."""
    agreed = found.coefficient("agreement")
    if agreed is None:
        return "One judge gave all labels, so nothing is known of agreement."
    beyond = listed([f"{one.name} is {interval(one)}" for one in found.coefficients if one is not agreed])
    whom = "items and judges" if agreed.judges else "items alone"
    way = "in both directions " if agreed.judges else ""
    value = percent(agreed.value)
    if not isnan(agreed.low):
        value, low, high = shares(agreed.value, agreed.low, agreed.high)
        value = f"{value} ({low} to {high})"
    return (
        f"Two judges of an item agreed with a chance of {value}. Beyond chance, {beyond}. Intervals of agreement are "
        f"by the jackknife {way}and count {whom} as sampled."
    )


def confused(found: Labels) -> str:
    """The two labels that are confused most."""
    first = most_confused(found)
    if first is None:
        return ""
    return (
        f'Judges differed most between "{shown(first.label)}" and "{shown(first.other)}" ({first.pairs:,.4g} of '
        f"{differing(found):,.4g} pairs of judges who differed on an item)."
    )


def people(found: Labels) -> str:
    """Items without a majority."""
    if not found.coefficients:
        return ""
    return f"{counted(found.without_majority, found.judgments.object)} had no label from more than half of the judges."


def most_confused(found: Labels) -> Confusion | None:
    """The two labels that most pairs of judges differ by; None where none do."""
    return next((one for one in found.confusions if one.label != one.other), None)


def differing(found: Labels) -> float:
    """Pairs of judges who gave an item different labels."""
    return sum(one.pairs for one in found.confusions if one.label != one.other) / 2
