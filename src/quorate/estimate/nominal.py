"""Labels, where answers are no numbers: their shares, agreement beyond chance, and what to send to people."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from quorate import caveats, rules
from quorate.arrays import dense, first_of_each
from quorate.estimate.agreement.within import APART
from quorate.estimate.labels import (
    MOST_JUDGES,
    Coefficient,
    Confusion,
    ItemLabels,
    PairAgreement,
    Share,
    coefficients,
    confusions,
    item_labels,
    judge_of,
    label_means,
    label_shares,
    pairs,
    ratings,
    unit_facets,
    unnamed,
)
from quorate.estimate.means.targets import scope
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.nominal import Ratings, alpha_within
from quorate.roles import JUDGE, SYSTEM
from quorate.table.cells import write_columns
from quorate.table.results import Interval, Result, Row, plain
from quorate.wording import Brief, at_level, counted, decimals, percent, plural, shares

if TYPE_CHECKING:
    from quorate.caveats import Caveat
    from quorate.estimate.components.fit import Method
    from quorate.estimate.means.targets import Target
    from quorate.table.judgments import Judgments

MOST = 20
"""Items that are named for people."""
RARE = 10
"""Judgments below which the share of a label is said to rest on few, and items below which agreement does."""


@dataclass(frozen=True)
class LabelShare(Brief):
    """The share of one label among what judges say.

    Parameters
    ----------
    label : str
        Whose.
    setup : Interval
        The share of items that a judge gives it to, for these judges, or for what was asked; shares of all labels add
        up to 1.
    others : Interval or None
        The same for judges like these, where they say something of others.
    judgments : float
        How many judgments are this label.
    """

    label: str
    setup: Interval
    others: Interval | None
    judgments: float

    @property
    def share(self) -> float:
        """The share."""
        return self.setup.value

    @property
    def estimate(self) -> Interval:
        """The wider of the two."""
        return self.others or self.setup

    def to_plain(self) -> Row:
        """One row: its share, both intervals, and how many judgments."""
        own, wide = self.setup, self.estimate
        return {"label": self.label, "share": self.share, "se": wide.se, "low": wide.low, "high": wide.high} | {
            "panel_low": own.low,
            "panel_high": own.high,
            "judgments": self.judgments,
        }


@dataclass(frozen=True)
class Labels(Result):
    """Labels that judges gave: how common each is, how far judges agree, and which items they cannot settle.

    Made by `labels`.

    Parameters
    ----------
    judgments : Judgments
        As read.
    level : float
        Coverage of every interval.
    scope : str
        Whom intervals of shares speak for.
    panel_scope : str
        Whom the narrower ones speak for; empty where they are the same.
    shares : tuple of LabelShare
        The commonest first.
    coefficients : tuple of Coefficient
        Agreement of all judges; empty with one.
    confusions : tuple of Confusion
        Labels beside those that another judge gives the same item.
    pairs : tuple of PairAgreement
        Every two judges.
    items : tuple of ItemLabels
        All items, those on which judges agree least first.
    most : int
        How many of them are to be sent to people at most.
    caveats : tuple of Caveat
        What to know before relying on this.
    """

    judgments: Judgments = field(repr=False)
    level: float
    scope: str
    panel_scope: str
    shares: tuple[LabelShare, ...]
    coefficients: tuple[Coefficient, ...]
    confusions: tuple[Confusion, ...]
    pairs: tuple[PairAgreement, ...]
    items: tuple[ItemLabels, ...] = field(repr=False)
    most: int
    caveats: tuple[Caveat, ...]

    derived = ("sentence", "judges", "without_majority", "people")
    exit_code: ClassVar[int] = 0

    @property
    def judges(self) -> int:
        """How many judges gave labels; 0 where nobody knows which gave what."""
        names = judge_of(self.judgments.keep(self.judgments.n > 0))[1]
        return 0 if self.coefficients and len(names) == 1 else len(names)

    @property
    def labelled(self) -> str:
        """What was given labels, each by itself: an item, or of several systems an answer."""
        return "answer" if len(unit_facets(self.judgments)) > 1 else self.judgments.object

    @property
    def without_majority(self) -> int:
        """Items to which no label was given by more than half of the judges."""
        return sum(not one.majority for one in self.items)

    @property
    def people(self) -> tuple[ItemLabels, ...]:
        """Items to send to people, at most ``most``, on which judges differ: no majority first, then by entropy."""
        return tuple(one for one in self.items[: self.most] if one.entropy > 0)

    def coefficient(self, name: str) -> Coefficient | None:
        """One coefficient of agreement; None with a single judge."""
        return next((one for one in self.coefficients if one.name == name), None)

    @property
    def sentence(self) -> str:
        """The answer in one sentence."""
        first, items = self.shares[0], plural(self.judgments.object)
        value, low, high = shares(first.share, *first.estimate.ends)
        spoken = f" {self.scope}" if self.scope else ""
        said = (
            f'The commonest of {counted(len(self.shares), "label")} is "{first.label}": {value} of {items} '
            f"({at_level(self.level)} interval {low} to {high}{spoken})"
        )
        agreed, alpha = self.coefficient("agreement"), self.coefficient("Krippendorff's alpha")
        if agreed is None or alpha is None:
            return f"{said}."
        return f"{said}. Two judges agree on {percent(agreed.value)}, Krippendorff's alpha {both(alpha, self.judges)}."

    def rows(self) -> list[Row]:
        """One row for every label."""
        return [one.to_plain() for one in self.shares]

    def write_people(self, path: str | Path) -> Path:
        """Write the items to send to people, one row each, into a file: .csv, .tsv, .jsonl or .parquet.

        Raises
        ------
        InvalidInput
            If the name says no format, or the file cannot be written.
        """
        names = list(ItemLabels.__dataclass_fields__)
        columns = {name: np.array([getattr(one, name) for one in self.people]) for name in names}
        renamed = {self.judgments.object if name == "item" else name: values for name, values in columns.items()}
        write_columns(renamed, Path(path))
        return Path(path)


@dataclass(frozen=True, repr=False)
class LabelPanel(Labels):
    """The same of the judges who gave them: how far they agree, and which two agree least.

    Made by `quorate.judges` of labels.
    """

    @property
    def sentence(self) -> str:
        """How far judges agree, all of them and the two who do least."""
        agreed, alpha = self.coefficient("agreement"), self.coefficient("Krippendorff's alpha")
        if agreed is None or alpha is None:
            return f"One judge gave labels, with whom nobody is compared. {super().sentence}"
        said = f"Two judges agree on {percent(agreed.value)} of {plural(self.labelled)}"
        said += f"; Krippendorff's alpha is {both(alpha, self.judges)}, where 1 is full agreement and 0 that of chance."
        known = [pair for pair in self.pairs if pair.items >= RARE and not math.isnan(pair.kappa)]
        if len(known) < len("ab"):
            return said
        least = min(known, key=lambda pair: pair.kappa)
        return f"{said} {least.first} and {least.second} agree least: Cohen's kappa {interval(least)}."

    def rows(self) -> list[Row]:
        """One row for every two judges; for every coefficient where nobody knows who is who."""
        return [plain(one) for one in self.pairs or self.coefficients]


def labels(
    judgments: Judgments,
    *,
    random: Sequence[str] | None = None,
    covariates: Sequence[str] = (),
    method: Method = "reml",
    residual_by: str | None = None,
    targets: Mapping[str, Target] | None = None,
    level: float = 0.95,
    most: int = MOST,
) -> Labels:
    """How common each label is, how far judges agree on labels, which they confuse, and what to send to people.

    The share of a label is the mean of its 0/1 scores, with the interval of that mean: judges, prompts and items count
    as they do for scores. All labels have the same weights, so that shares add up to 1.

    Parameters
    ----------
    judgments : Judgments
        From `quorate.read` with ``labels=True``.
    random, covariates, method, residual_by
        As for `quorate.decompose`, of the 0/1 scores of every label.
    targets : mapping of str to str or Pool, optional
        What facets stand for, as for `Decomposition.mean_for`: ``{"judge": "panel"}``.
    level : float
        Coverage of every interval.
    most : int
        Items to send to people, at most.

    Returns
    -------
    Labels

    Raises
    ------
    InvalidInput
        If the answers are scores, or an argument is out of range.
    NotEstimable
        If there are fewer than two labels or items.
    InvalidData
        If a judgment is repeated.

    References
    ----------
    Krippendorff (2011), Computing Krippendorff's alpha-reliability. Fleiss (1971), Psychological Bulletin 76, 378-382.
    Gwet (2008), British Journal of Mathematical and Statistical Psychology 61, 29-48. ``docs/methods/labels.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> columns = {"item": list("aabbccdd"), "judge": list("xyxyxyxy"), "label": "up up up off off off up up".split()}
    >>> found = q.scores.labels(q.read(polars.DataFrame(columns), score="label", labels=True, announce=False))
    >>> [(one.label, round(one.share, 3)) for one in found.shares], found.people[0].item
    ([('up', 0.625), ('off', 0.375)], 'b')
    """
    checked_level(level)
    rules.whole("most", most, 0)
    given = label_shares(judgments)
    model: dict[str, Any] = {"random": random, "covariates": covariates, "method": method, "residual_by": residual_by}
    found = label_means(judgments, given, targets=targets or {}, **model)
    answered = judgments.keep(judgments.n > 0)
    names = judge_of(answered)[1]
    named = len(names) > 1 or JUDGE in judgments.names
    said = (ratings if named else unnamed)(answered, given[judgments.n > 0])
    several = said.judges > 1
    agreement = coefficients(said, level, named=named) if several else ()
    counts = dict(zip(judgments.labels, (given * judgments.n[:, None])[judgments.n > 0].sum(axis=0), strict=True))
    rows = [_row(one, level, float(counts[one.label])) for one in found]
    wide = next((one.others for one in found if one.others is not None), None)
    setup = scope(judgments, found[0].mean.target, judgments.object)
    return Labels(
        judgments,
        level,
        setup if wide is None else scope(judgments, wide.target, judgments.object),
        "" if wide is None else setup,
        tuple(sorted(rows, key=lambda row: -row.share)),
        agreement,
        confusions(said, judgments.labels) if several else (),
        tuple(pairs(said, names, judgments.labels, level)) if len(names) > 1 else (),
        item_labels(answered, said),
        most,
        (*_caveats(found, counts, len(names), agreement), *(_between_systems(answered, said, agreement))),
    )


def _between_systems(answered: Judgments, said: Ratings, agreement: Sequence[Coefficient]) -> Iterator[Caveat]:
    """That alpha also counts how far systems differ, where it is less inside them."""
    own = unit_facets(answered)
    if SYSTEM not in own[1:] or answered.n_levels(SYSTEM) < 2:  # labels are of items, whoever answered them
        return
    system = answered.column(SYSTEM)[first_of_each(answered.level_codes(own))].astype(np.int64)
    inside = alpha_within(said, dense(system))
    over_all = next((one.value for one in agreement if one.name == "Krippendorff's alpha"), math.nan)
    if over_all - inside > APART:
        yield caveats.systems_differ(answered.n_levels(SYSTEM), "Krippendorff's alpha", over_all, inside)


def both(one: Coefficient, judges: int) -> str:
    """A coefficient with its interval for these judges, and for others like them where these are counted.

    Examples
    --------
    >>> both(Coefficient("Gwet's AC1", 0.5812, 0.05, 0.4415, 0.7041, True, 0.5212, 0.6433), 3)
    '.58 (.52 to .64 with these 3 judges, .44 to .70 for judges like these)'
    """
    if not one.judges or math.isnan(one.low):
        return interval(one)
    places = _places(one.low, one.high)
    these = f"{limits(one.panel_low, one.panel_high, places)} with these {counted(judges, 'judge')}"
    return f"{_plain(one.value, places)} ({these}, {limits(one.low, one.high)} for judges like these)"


def interval(one: Coefficient | PairAgreement) -> str:
    """A coefficient with its interval, where there is one.

    Examples
    --------
    >>> interval(Coefficient("Gwet's AC1", 0.5812, 0.05, 0.4715, 0.6741, True))
    '.58 (.47 to .67)'
    """
    value = one.value if isinstance(one, Coefficient) else one.kappa
    if math.isnan(value):
        return "not known"
    if math.isnan(one.low):
        return _plain(value, 2)
    return f"{_plain(value, _places(one.low, one.high))} ({limits(one.low, one.high)})"


def limits(low: float, high: float, places: int | None = None) -> str:
    """Both ends of an interval of a coefficient, with as many places as its width needs unless it is said.

    Examples
    --------
    >>> limits(-0.104, 0.6741)
    '-.10 to .67'
    """
    places = places or _places(low, high)
    return f"{_plain(low, places)} to {_plain(high, places)}"


def _places(low: float, high: float) -> int:
    return min(max(decimals((high - low) / 2), 2), 4)


def _plain(value: float, places: int) -> str:
    """A number below 1 without its zero."""
    return f"{value:.{places}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.{places}f}"


def _row(one: Share, level: float, count: float) -> LabelShare:
    return LabelShare(one.label, one.mean.at(level), one.others and one.others.at(level), count)


def _caveats(
    found: Sequence[Share], counts: Mapping[str, float], judges: int, agreement: Sequence[Coefficient]
) -> Iterator[Caveat]:
    """What holds for the intervals of all labels, and what for some."""
    each = [(one.others or one.mean).caveats for one in found]
    shared = (one for one in each[0] if all(one in others for others in each))
    yield from (replace(one, sentence=one.sentence.replace("usable score", "usable label")) for one in shared)
    alone = {one.label: one.alone for one in found if one.alone}
    rare = [label for label, count in counts.items() if count < RARE]
    folded: dict[str, list[str]] = {}
    for label in counts:
        folded.setdefault(label.casefold(), []).append(label)
    alike = next((names for names in folded.values() if len(names) > 1), None)
    if alike is not None:
        yield caveats.labels_alike(alike)
    for facets in dict.fromkeys(alone.values()):
        yield caveats.labels_alone([label for label, own in alone.items() if own == facets], facets)
    if rare:
        yield caveats.rare_labels(rare, RARE)
    if agreement and not agreement[0].judges:
        yield caveats.agreement_of_items(judges) if judges > 1 else caveats.unnamed_judges()
    if judges > MOST_JUDGES:
        yield caveats.most_judges(MOST_JUDGES, judges)
