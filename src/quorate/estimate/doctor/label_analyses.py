"""Support for every analysis of labels: what it rests on, what would make it possible, and what labels do not have."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from quorate.arguments import argument
from quorate.arrays import Floats
from quorate.errors import QuorateError
from quorate.estimate.doctor.analyses import (
    ANOVA,
    COMPONENTS,
    DEPENDABILITY,
    MEAN,
    NAIVE,
    PROJECTION,
    Supported,
    obstacle_of,
)
from quorate.estimate.doctor.findings import Finding
from quorate.estimate.labels.agreement import Coefficient, coefficients
from quorate.estimate.labels.given import judge_of, label_shares, ratings
from quorate.estimate.labels.shares import Share, label_means
from quorate.numerics.nominal import tally
from quorate.roles import JUDGE
from quorate.table.facts.describe import Description
from quorate.table.judgments import Judgments
from quorate.wording import counted, listed, plural

SHARES = "share of each label"
SHARES_LIKE = "shares for judges like these"
AGREEMENT = "agreement beyond chance"
PAIRS, CONFUSION = "agreement of every two judges", "which labels are confused"
PEOPLE = "{} to send to people"
RARE = 10
"""Judgments below which the share of a label rests on few."""


def label_analyses(judgments: Judgments, facts: Description) -> tuple[Supported, ...]:
    """Every analysis of labels, possible or not, and those of scores that labels have only one at a time."""
    people, obstacle = PEOPLE.format(plural(judgments.object)), obstacle_of(facts, "label")
    if obstacle is None:
        try:
            shares = label_shares(judgments)
            found = label_means(judgments, shares, targets={})
        except QuorateError as error:
            obstacle = Supported(SHARES, False, str(error))
        else:
            return (*_of_shares(found, facts), *_of_agreement(judgments, shares, people), *_of_scores(judgments))
    first = Supported(SHARES, False, obstacle.reason, obstacle.fix)
    names = (SHARES_LIKE, AGREEMENT, PAIRS, CONFUSION, people)
    return (first, *(Supported(name, False, f"needs the {SHARES}") for name in names), *_of_scores(judgments))


def _of_shares(found: tuple[Share, ...], facts: Description) -> Iterator[Supported]:
    """Shares, and their intervals for judges like these."""
    size = f"{counted(len(found), 'label')} in {facts.answers:,} judgments"
    if alone := [one.label for one in found if one.alone]:
        size += f"; nothing differs over some facets for {listed(alone, most=3)}, whose intervals leave them out"
    yield Supported(SHARES, True, size)
    like = sum(one.others is not None for one in found)
    if like:
        part = "" if like == len(found) else f" of {like} of {counted(len(found), 'label')}"
        yield Supported(SHARES_LIKE, True, f"two judges or more say how far others may differ{part}")
    else:
        yield Supported(SHARES_LIKE, False, "nothing tells how far other judges would differ", "ask more judges")


def _of_agreement(judgments: Judgments, shares: Floats, people: str) -> Iterator[Supported]:
    """What several judges of the same items say of each other."""
    item = judgments.object
    answered = judgments.keep(judgments.n > 0)
    judges = judge_of(answered)[1]
    said = ratings(answered, shares[judgments.n > 0])
    both = int((tally(said).judges >= 2).sum())
    if len(judges) < 2 or not both:
        reason = "there is 1 judge" if len(judges) < 2 else f"no {item} was judged by two"
        fix = f"let another judge label some of the {plural(item)} too"
        yield from (Supported(name, False, reason, fix) for name in (AGREEMENT, PAIRS, CONFUSION, people))
        return
    size = f"{counted(both, item)} judged by two judges or more"
    known = [one for one in coefficients(said, 0.95) if not math.isnan(one.value)]
    if known:
        yield Supported(AGREEMENT, True, f"{size}; {_counts(known)}")
    else:
        yield Supported(AGREEMENT, False, "all labels that two judges gave are one")
    yield Supported(PAIRS, True, size)
    yield Supported(CONFUSION, True, size)
    yield Supported(people, True, size)


def _counts(known: list[Coefficient]) -> str:
    """Whom intervals of agreement speak for."""
    if all(math.isnan(one.low) for one in known):
        return "too little differs for intervals"
    if known[0].judges:
        return "intervals count items and judges as drawn"
    return "intervals count items as drawn and take the judges as these: from three on they count too"


def _of_scores(judgments: Judgments) -> Iterator[Supported]:
    """What means and variances of numbers are needed for, which labels are not."""
    fix = "read the share of one label as the score, with " + argument("label", judgments.labels[0])
    reason = "labels are no numbers, which have a mean and variances"
    for name in (COMPONENTS, MEAN, NAIVE, PROJECTION, DEPENDABILITY, ANOVA, "model of the fit (diagnose)"):
        yield Supported(name, False, reason, fix)


def label_findings(judgments: Judgments, facts: Description) -> Iterator[Finding]:
    """Labels that differ only in case, or that hardly occur, and items on which one judge alone speaks."""
    folded: dict[str, list[str]] = {}
    for label in judgments.labels:
        folded.setdefault(label.strip().casefold(), []).append(label)
    for names in folded.values():
        if len(names) > 1:
            shown = listed([f'"{name}"' for name in names])
            yield Finding(
                "labels-alike", "warning", f"{shown} differ only in case or in spaces around them, and count as labels"
            )
    if not facts.answers:
        return
    try:
        shares = label_shares(judgments)
    except QuorateError:  # said as what stands in the way of every analysis
        return
    counts = np.nansum(shares * judgments.n[:, None], axis=0)
    rare = [label for label, count in zip(judgments.labels, counts, strict=True) if count < RARE]
    if rare:
        shown = listed([f'"{name}"' for name in rare], most=5)
        yield Finding("rare-labels", "note", f"{shown}: fewer than {RARE} judgments each, so the share rests on few")
    if JUDGE in judgments.names and judgments.n_levels(JUDGE) > 1:
        answered = judgments.keep(judgments.n > 0)
        single = int((tally(ratings(answered, shares[judgments.n > 0])).judges == 1).sum())
        if single:
            items = f"{counted(single, judgments.object)} with a label from one judge only"
            yield Finding("one-judge-only", "note", f"{items}: they say nothing of how judges agree")
