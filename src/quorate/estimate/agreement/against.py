"""Judges against labels of people: each configuration, the majority, rewordings, and what the panel is worth."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import field
from typing import Any

import numpy as np

from quorate import rules
from quorate.caveats import Caveat, few_labelled, reruns_unknown
from quorate.errors import InvalidInput, NotEstimable
from quorate.estimate.agreement.coefficients import Alpha, alpha_of
from quorate.estimate.agreement.mark_gaps import AgainstMarks, MarkGap, against_marks, best_words, mark_words, marked
from quorate.estimate.agreement.rates import (
    ALONE,
    Rates,
    RatesGap,
    Segment,
    checked_bar,
    cut,
    fit_words,
    gaps_words,
    kappas,
    lengths,
    passing,
    rates,
    rates_gaps,
    rates_words,
    right_words,
    segment_words,
    segments,
)
from quorate.estimate.agreement.rightness import (
    FEW_LABELLED,
    Rightness,
    judged_and_labelled,
    rightness,
    row_means,
    verdicts,
)
from quorate.estimate.agreement.within import Within, kappas_within, systems_of
from quorate.estimate.agreement.yardsticks import (
    AltTest,
    ConfigurationAccuracy,
    Drop,
    Flips,
    Measured,
    Tertile,
    accuracies,
    alt_test,
    beaten,
    drops,
    flips,
    mean_of,
    share_of,
    split_half,
    tertiles,
    worth,
)
from quorate.frozen import dataclass
from quorate.numerics.inference import checked_level
from quorate.numerics.panel.judges import Worth, correlated
from quorate.roles import JUDGE, PROMPT
from quorate.streams import stream
from quorate.table.judgments import Judgments
from quorate.table.results import Result, Row, picked
from quorate.table.votes import Votes
from quorate.wording import capitalised, counted, listed, percent

_FEW_JUDGES, _PEOPLE = 2, 3


@dataclass(frozen=True)
class Against(Result):
    """Judges against labels of people.

    Parameters
    ----------
    items, unlabelled, undecided : int
        Items with a label; those that were judged and have none; those of which people tie.
    roles : tuple of str
        Facets that tell configurations apart.
    configurations : tuple of ConfigurationAccuracy
        Every judge under every prompt ....
    average, majority, gain : Measured
        Share of right verdicts of configurations on average and of their majority, and the second less the first.
    beaten : Measured
        Share of configurations that the majority beats, ties as halves.
    disagreement : Measured
        Correlation over items of how far configurations disagree and how many are right.
    tertiles : tuple of Tertile
        The items by how far configurations disagree.
    apparent : float
        Share of right verdicts of the configuration that is best on half of the labels, on that half.
    chosen, lift, left : Measured
        The same on the other half; less the average of all there; and what the majority is right more often.
    flips : Flips, optional
        Verdicts under rewordings; None with one prompt.
    judges : tuple of str
        The judges.
    worth : Worth
        How many independent judges the panel is worth; nan with one judge.
    drops : tuple of Drop
        The majority without each judge, the best to drop first; empty with fewer than three judges.
    level : float
        Coverage of intervals.
    unit : str
        What is right or wrong: ``item``, ``response`` where people labelled that of each system, of votes ``battle``.
    clusters : int
        Clusters of items that are drawn together; as many as items where each is drawn by itself.
    kappas : mapping of str to Measured
        Cohen's kappa of each judge with people, of any number of verdicts.
    passes, fails : str
        The verdict that passes and the other, where there are two.
    rates : tuple of Rates
        How every judge passes and fails; empty where there are more verdicts than two.
    gaps : tuple of RatesGap
        How much more often each judge is right than each other; empty with more than six.
    segments : tuple of Segment
        Where judges are right and lenient, by what groups items (category, length) and by order.
    length : str
        Column that says how long the responses of items are, by its name, or holds them; empty without one.
    bar : mapping of str to float
        Rates that a judge is to reach, as stated; empty where none was.
    stand_ins : tuple of AltTest
        Whether each judge may stand in for people, where three or more of them are judges of the same table.
    stability : mapping of str to Alpha
        How far each judge agrees with itself under other prompts (prompt stability); empty with one prompt.
    marks : tuple of MarkGap
        Of marks of three values or more, how much more each judge gives than people, and their correlation.
    within : Within, optional
        The correlation of each, or the kappa, inside systems; None where responses are not those of several.
    """

    items: int
    unlabelled: int
    undecided: int
    roles: tuple[str, ...]
    configurations: tuple[ConfigurationAccuracy, ...]
    average: Measured
    majority: Measured
    gain: Measured
    beaten: Measured
    disagreement: Measured
    tertiles: tuple[Tertile, ...]
    apparent: float
    chosen: Measured
    lift: Measured
    left: Measured
    flips: Flips | None
    judges: tuple[str, ...]
    worth: Worth
    drops: tuple[Drop, ...]
    level: float
    unit: str
    clusters: int
    kappas: Mapping[str, Measured] = field(default_factory=dict)
    passes: str = ""
    fails: str = ""
    rates: tuple[Rates, ...] = ()
    gaps: tuple[RatesGap, ...] = ()
    segments: tuple[Segment, ...] = ()
    length: str = ""
    bar: Mapping[str, float] = field(default_factory=dict)
    stand_ins: tuple[AltTest, ...] = ()
    stability: Mapping[str, Alpha] = field(default_factory=dict)
    marks: tuple[MarkGap, ...] = ()
    within: Within | None = None

    derived = ("sentence", "exit_code")

    @property
    def exit_code(self) -> int:
        """2 where a bar was stated and some judge is not shown to reach it, else 0."""
        return 2 if self.bar and not all(one.fit_for(self.bar) for one in self.rates) else 0

    @property
    def caveats(self) -> tuple[Caveat, ...]:
        """What must be known to read it."""
        out = [few_labelled(self.clusters)] if self.clusters < FEW_LABELLED else []
        unknown = self.flips is not None and math.isnan(self.flips.rerun.value)
        over_all = {judge: one.value for judge, one in self.kappas.items()}
        over_all |= {one.judge: one.correlation.value for one in self.marks}
        differ = () if self.within is None else self.within.caveats(over_all)
        return (*out, *differ, *([reruns_unknown()] if unknown else []))

    @property
    def sentence(self) -> str:
        """The answer: what the panel is worth, whom to drop, how often verdicts flip, and how many labels settle it."""
        if self.rates and len(self.rates) <= _FEW_JUDGES:
            fit = [fit_words(self.rates, self.bar)] if self.bar else []
            each = [rates_words(one, (self.passes, self.fails), short=len(self.rates) > 1) for one in self.rates]
            apart = [gaps_words(self.gaps[0])] if self.gaps else []
            return " ".join([*fit, *each, *apart, *self._beyond_rates()])
        if len(self.configurations) == 1:
            [(judge, kappa)] = self.kappas.items()
            gaps = [mark_words(one) for one in self.marks]
            same = right_words(judge, self.majority, kappa, self.items, self.unit, same=bool(gaps))
            return " ".join([*gaps, same, *self._beyond_rates()])
        first = (
            f"The majority of {counted(len(self.configurations), 'configuration')} is right on "
            f"{percent(self.majority.value)} of {counted(self.items, f'labelled {self.unit}')}, one "
            f"alone on {percent(self.average.value)} on average. The one that is best on half of the labels is right "
            f"on {percent(self.chosen.value)} of the others"
        )
        if len(self.configurations) == len("ab"):  # which have no majority
            one, two = sorted(self.configurations, key=lambda one: -one.value)
            first = f"of {counted(self.items, f'labelled {self.unit}')} {', '.join(one.levels)} is right on "
            first += f"{percent(one.value)}, {', '.join(two.levels)} on {percent(two.value)}"
        if self.marks:  # which are seldom just the same
            first = best_words(self.marks).rstrip(".")
        said = [first] if not self.bar else [fit_words(self.rates, self.bar).rstrip("."), first]
        if not math.isnan(self.worth.value):
            ends = "" if math.isnan(self.worth.low) else f" ({self.worth.low:.1f} to {self.worth.high:.1f})"
            said.append(f"{counted(len(self.judges), 'judge')} are worth {self.worth.value:.1f} independent ones{ends}")
        if self.drops:
            said.append(self._dropped(self.drops[0]))
        if self.flips is not None:
            again = self.flips.rerun.value
            beside = "" if math.isnan(again) else f", asking again {percent(again)}"
            said.append(f"rewording flips {percent(self.flips.reworded.value)} of verdicts{beside}")
        return " ".join([*(f"{capitalised(one)}." for one in said), *self._beyond_rates()])

    def _beyond_rates(self) -> list[str]:
        """Where judges are right less often or lenient, and which may stand in for people."""
        odd = [one for one in self.segments if min(one.p_right, one.p_lean) <= 1 - self.level]
        surest = sorted(odd, key=lambda one: (min(one.p_right, one.p_lean), -abs(one.lean.value)))
        out = [segment_words(one) for one in surest[:1]]
        if self.stand_ins:
            may = [one.model for one in self.stand_ins if one.passes]
            whom = f"{listed(may)} may" if may else "No judge is shown to be able to"
            out.append(f"{whom} stand in for people.")
        return out

    @staticmethod
    def _dropped(best: Drop) -> str:
        """Whom to drop, if anybody, and how many more labels would settle it."""
        points = 100 * best.gain.value
        ends = f"{100 * best.gain.low:+.1f} to {100 * best.gain.high:+.1f}"
        if best.gain.low > 0:
            return f"drop {best.judge}: the majority gains {points:.1f} points without ({ends})"
        if best.gain.high < 0:
            return f"drop nobody: without {best.judge}, who is missed least, it loses {-points:.1f} points ({ends})"
        if best.gain.value <= 0:
            return f"nobody is seen to be better left out: without {best.judge} it is {points:+.1f} points ({ends})"
        more = (
            f"about {best.more:,.0f} more labels would settle it" if math.isfinite(best.more) else "no label settles it"
        )
        return f"if anybody, drop {best.judge}: {points:+.1f} points ({ends}), and {more}"

    def rows(self) -> list[Row]:
        """One row for every configuration."""
        return [
            dict(zip(self.roles, one.levels, strict=True)) | picked(one, "n value low high")
            for one in self.configurations
        ]

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values."""
        worth = {name: None if math.isnan(x) else x for name, x in self.worth._asdict().items()}
        own = {"worth": worth, "stand_ins": [one.to_dict() for one in self.stand_ins]}
        own |= {"stability": {judge: one.to_dict() for judge, one in self.stability.items()}}
        return super().to_dict() | own


def against(
    judgments: Judgments | Votes,
    human: Judgments | Votes | str | Collection[str],
    *,
    key: str = PROMPT,
    bar: float | Mapping[str, float] | None = None,
    splits: int = 200,
    resamples: int = 1000,
    level: float = 0.95,
    rng: np.random.Generator | int | None = None,
) -> Against | AgainstMarks:
    """How often judges say what people say, what averaging them gains, and how many independent judges they are worth.

    A configuration is a judge under a prompt, temperature ...; the majority is the verdict that most configurations
    give. Items, and of votes battles, are taken as drawn, judges and prompts as these. Of marks that no two give just
    the same, such as 0 to 100 or means of several people, the answer is how much more each judge gives than people,
    and how far it orders items as they do.

    Parameters
    ----------
    judgments : Judgments or Votes
        Verdicts: labels (``quorate.read(..., labels=True)``), scores, such as 0 and 1, or votes between two systems:
        for one, for the other, or a tie.
    human : Judgments, Votes, or str or collection of str
        What people said of the items or battles, or a key: a table read alike; or the levels of ``judge`` that are
        people. The label of an item is what most say.
    key : str
        Votes: role of what the two systems answered; battles of one level are drawn together. A battle is two systems
        on one level of it. Wordings of the judges' question are a facet ``variant``, and if most battles were shown
        both ways round, so is their order.
    bar : float or mapping of str to float, optional
        What a judge is to reach: a share of right verdicts, or rates such as sensitivity=.9,specificity=.8,kappa=.6;
        exit code 2 if one is not shown to. A number is of ``right``.
    splits : int
        Random halves of the labels, to choose the best configuration on and to test it.
    resamples : int
        Bootstrap samples of items. For the share of configurations that the majority beats, and the correlation.
    level : float
        Coverage of the intervals.
    rng : numpy.random.Generator or int, optional
        Seed or generator; the same draws every time if left out.

    Returns
    -------
    Against or AgainstMarks
        The second where scores have more than 20 values, or most of people's lie between those that judges give.

    Raises
    ------
    InvalidInput
        If an argument is out of range, or a bar is stated of what nobody passes or fails.
    UnknownTerm
        If there is no such judge.
    NotEstimable
        If fewer than 4 items have a label.

    References
    ----------
    Messing (2026), sections I.1 and R, Fig. 21. ``docs/methods/agreement.md``.

    Examples
    --------
    >>> import polars, quorate as q
    >>> score = [1, 1, 1, 0, 1, 0, 1, 1, 0, 0, 0, 0]
    >>> rows = {"item": list("aaabbbcccddd"), "judge": ["x", "y", "ann"] * 4, "score": score}
    >>> found = against(q.read(polars.DataFrame(rows), announce=False), "ann")
    >>> found.majority.value, [one.value for one in found.configurations]
    (0.625, [0.75, 0.5])
    """
    checked_level(level)
    sizes: dict[str, object] = {"splits": splits, "resamples": resamples}
    for name, value in sizes.items():
        rules.whole(name, value, 20)
    draws = stream(0, "against") if rng is None else np.random.default_rng(rng)
    stated = checked_bar({"right": bar} if isinstance(bar, (int, float)) else bar or {})
    judged, people = judged_and_labelled(judgments, human)
    marks = marked(judged, people)
    if marks is not None and marks.fine:
        if stated:
            raise InvalidInput("bar: is for judges who pass or fail, and these give marks; leave it out")
        return against_marks(marks, level, resamples, draws)
    judged, thresholds = _passed_and_failed(judged, people)
    seen = rightness(judged, people, key)
    length = lengths(judgments) if isinstance(judgments, Judgments) else None
    good = passing(seen.names)
    if stated and good is None:
        raise InvalidInput(f"bar: is for judges who pass or fail, and here are {counted(len(seen.names), 'verdict')}")
    right, majority, cluster = seen.right, seen.majority(), seen.cluster
    average = row_means(right)
    disputed = 1 - np.sum(seen.verdicts() ** 2, axis=1)
    halves = split_half(right, majority, cluster, splits, level, draws)
    return Against(
        items=len(right),
        unlabelled=seen.unlabelled,
        undecided=seen.undecided,
        roles=seen.roles,
        configurations=tuple(accuracies(seen, level)),
        average=share_of(average, level, cluster),
        majority=share_of(majority, level, cluster),
        gain=mean_of(majority - average, level, cluster),
        beaten=beaten(right, majority, cluster, resamples, level, draws),
        disagreement=Measured(*correlated(disputed, average, level, resamples, draws, cluster)),
        tertiles=tuple(tertiles(disputed, average, majority, cluster, level)),
        apparent=halves.apparent,
        chosen=halves.chosen,
        lift=halves.lift,
        left=halves.left,
        flips=flips(seen, level),
        judges=seen.judges,
        worth=worth(seen, level),
        drops=drops(seen, majority, level),
        level=level,
        unit=seen.unit,
        clusters=int(cluster.max()) + 1,
        kappas=kappas(seen, level),
        passes="" if good is None else seen.names[good],
        fails="" if good is None else seen.names[1 - good],
        rates=rates(seen, level, thresholds),
        gaps=rates_gaps(seen, level),
        segments=segments(seen, judged, length, level) if isinstance(judged, Judgments) else (),
        length="" if length is None else length.column,
        bar=stated,
        stand_ins=tuple(stand_ins(judgments, human, level)),
        stability=stability(judged, level),
        marks=() if marks is None else marks.gaps(level, resamples, draws),
        within=_within(seen, judged) if marks is None else marks.within,
    )


def _within(seen: Rightness, judged: Judgments | Votes) -> Within | None:
    system = systems_of(judged, seen.units)
    return None if system is None else kappas_within(seen, system)


def _passed_and_failed(
    judged: Judgments | Votes, people: Judgments | Votes
) -> tuple[Judgments | Votes, Mapping[str, float]]:
    """Marks of judges as verdicts where people only pass or fail, each by the mark from which on the judge passes."""
    if isinstance(judged, Votes) or isinstance(people, Votes) or judged.labels or people.labels:
        return judged, {}
    marks = np.unique(np.append(judged.low, judged.high)[np.append(judged.n, judged.n) > 0])
    said = verdicts(people)
    if set(said.names) != {"0", "1"} or set(marks.tolist()) <= {0.0, 1.0}:
        return judged, {}
    total = np.zeros((len(said.units), 2))
    np.add.at(total, said.of, said.shares)
    passed = total[:, said.names.index("1")] - total[:, said.names.index("0")]
    truth = {name: float(gap > 0) for name, gap in zip(said.units, passed.tolist(), strict=True) if gap}
    return cut(judged, truth)


def stand_ins(
    judgments: Judgments | Votes, human: Judgments | Votes | str | Collection[str], level: float
) -> Iterator[AltTest]:
    """The test of every judge beside three people or more of the same table; none where they judged too little."""
    if not isinstance(judgments, Judgments) or isinstance(human, (Judgments, Votes, str)) or len(set(human)) < _PEOPLE:
        return
    for judge in judgments.facet(JUDGE).levels:
        if judge not in human:
            with suppress(NotEstimable):
                yield alt_test(judgments, judge, people=human, level=level)


def stability(judged: Judgments | Votes, level: float) -> dict[str, Alpha]:
    """Krippendorff's alpha of every judge over its own prompts (prompt stability; Barrie et al., 2024)."""
    if isinstance(judged, Votes) or judged.labels or PROMPT not in judged.names or judged.n_levels(PROMPT) < 2:
        return {}
    out = {}
    table = judged.keep(judged.n > 0)
    item = table.level_codes([table.object])
    judge = table.column(JUDGE) if JUDGE in table.names else np.zeros(table.n_cells, dtype=np.int32)
    names = table.facet(JUDGE).levels if JUDGE in table.names else (ALONE,)
    for place in np.unique(judge):
        with suppress(NotEstimable):
            out[names[place]] = alpha_of(item[judge == place], table.mean[judge == place], level=level)
    return out
