"""Every caveat a result can carry, each with the sentence a report prints."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Caveat:
    """Something the reader of a result must know.

    Parameters
    ----------
    code : str
        Stable name for programs, such as ``few-levels``.
    sentence : str
        What a report prints, on one line.
    """

    code: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


def few_levels(facet: str, levels: int) -> Caveat:
    """A facet with so few levels that its variance is barely known."""
    return Caveat(
        "few-levels",
        f"{levels} {facet} levels: the {facet} component rests on {levels - 1} degree{'s' * (levels > 2)} of freedom; "
        "intervals that lean on it cover 91 to 92%, measured, for 95%",
    )


def one_level(facet: str) -> Caveat:
    """A facet with one level: the result holds for that level only."""
    return Caveat(
        "one-level",
        f"1 {facet}: the result is for this {facet} only; nothing here says how another would score",
    )


def boundary(terms: Iterable[str]) -> Caveat:
    """Components estimated at zero."""
    listed = ", ".join(terms)
    return Caveat(
        "boundary",
        f"estimated at the boundary, zero: {listed}; too small to see in these data, which is not the same as absent",
    )


def zero_with_few_levels(facet: str, levels: int) -> Caveat:
    """A main effect estimated at zero from few levels."""
    return Caveat(
        "zero-few-levels",
        f"the {facet} variance is estimated at zero from {levels} levels, which happens in about 1 sample of 8 "
        "when it is not zero; intervals then cover less than they claim (73 to 82% measured, for 95%)",
    )


def aliased(names: Iterable[str]) -> Caveat:
    """Components that the design cannot tell apart."""
    listed = " + ".join(sorted(names))
    return Caveat("aliased", f"only the sum {listed} can be estimated from this design")


def identical_replicates(facet_levels: Iterable[str]) -> Caveat:
    """Replicates that always repeat the score of their cell."""
    listed = ", ".join(facet_levels)
    return Caveat(
        "identical-replicates",
        f"every repeated judgment gave the same score ({listed}): its variance is zero here, "
        "and repeating bought nothing",
    )


def absorbed(terms: Iterable[str]) -> Caveat:
    """Components with nothing left to estimate them from."""
    listed = ", ".join(terms)
    return Caveat("absorbed", f"not estimable here, absorbed by fixed effects or one level only: {listed}")


def near_alias(condition: float) -> Caveat:
    """Components that are barely told apart."""
    return Caveat(
        "near-alias",
        f"some components are barely told apart by this design (condition number {condition:.0f}); "
        "their sum is known better than each",
    )


def few_items(items: int) -> Caveat:
    """Fewer items than the pilot floor."""
    return Caveat("few-items", f"{items} items: fewer than the 30 a pilot needs for stable components")


def missing(count: int, rows: int) -> Caveat:
    """Some judgments have no usable score."""
    return Caveat(
        "missing",
        f"{count:,} of {rows:,} judgments ({count / rows:.1%}) {'has' if count == 1 else 'have'} no usable score; "
        "the estimate is right only if they are missing at random",
    )


def unequal_weights(raw: float, value: float) -> Caveat:
    """Scores so unevenly spread over the design that their plain mean is another number."""
    places = max(0, 1 - math.floor(math.log10(abs(raw - value))))
    return Caveat(
        "unequal-weights",
        f"the plain mean of all scores is {raw:.{places}f}, not {value:.{places}f}: "
        "here items, prompts and judges weigh equally, however often each was judged",
    )


def negative(terms: Iterable[str]) -> Caveat:
    """Analysis-of-variance estimates below zero."""
    listed = ", ".join(terms)
    return Caveat("negative", f"negative estimates, taken as zero wherever a variance is needed: {listed}")


def maximum_likelihood() -> Caveat:
    """Components by maximum likelihood, which does not count the fixed effects."""
    return Caveat(
        "ml",
        "method 'ml' makes components, and standard errors built from them, too small in small studies; "
        "use 'reml' for intervals",
    )


def sensitivity(facet: str) -> Caveat:
    """An interval that uses the spread of chosen levels as if it were a sampling variance."""
    return Caveat(
        "sensitivity",
        f"the {facet} term is a sensitivity index (spread of the chosen levels), not a sampling variance: "
        "no coverage is claimed for an interval built from it",
    )


def no_spread(facet: str, levels: int) -> Caveat:
    """The levels of a fixed facet differ by no more than noise, so that others like them seem to add nothing."""
    return Caveat(
        "no-spread",
        f"the difference between {levels} {facet} levels is estimated at zero, which happens in about half of small "
        f"pilots when it is not zero; do not plan with fewer {facet} levels because of it",
    )


def panels_differ(facet: str) -> Caveat:
    """Designs whose fixed levels differ in number are compared as if they answered one question."""
    return Caveat(
        "panels-differ",
        f"{facet} levels stand for themselves: a design with fewer of them is about fewer, not as sure about all; "
        f"compare designs with {facet} as a population",
    )


def other_judges(priced: Iterable[str], unpriced: Iterable[str]) -> Caveat:
    """Prices are of other judges than those of the study."""
    new, old = ", ".join(priced), ", ".join(unpriced)
    said = [f"some are of judges who did not judge here and are taken to be like those who did ({new})"] if new else []
    said += [f"designs have none of the judges without a price ({old})"] if old else []
    return Caveat("other-judges", f"prices by judge: {'; '.join(said)}")


def beyond_the_study(levels: Mapping[str, tuple[int, int]]) -> Caveat:
    """The best design has many more levels of some facets than the study that its components come from."""
    listed = ", ".join(f"{name} {planned} against {seen}" for name, (planned, seen) in levels.items())
    return Caveat(
        "beyond-the-study",
        f"the best design goes far beyond the study ({listed}): levels never seen are taken to be like those that were",
    )


def held_by_limits(term: str, share: float) -> Caveat:
    """Most of what makes the best design uncertain is out of the optimiser's reach."""
    return Caveat(
        "held-by-limits",
        f"{share:.0%} of the variance of the best design does not depend on anything that the limits let vary, "
        f"{term} first; allow more of it, or no budget helps",
    )


def unnamed_replicates(columns: Sequence[str]) -> Caveat:
    """Rows with the same facets and no replicate column, in a table with columns that nothing was made of."""
    shown = ", ".join(columns[:5]) + (", ..." if len(columns) > 5 else "")
    return Caveat(
        "unnamed-replicates",
        f"rows of one cell are taken as repeats of the same judgment; not used so far: {shown}. If one of these tells "
        "the rows apart, it is a facet: name it",
    )


def few_df(items: str, df: float) -> Caveat:
    """Spreads of single items that rest on next to nothing."""
    return Caveat(
        "few-df", f"the spread of some {items} rests on {df:.1f} degrees of freedom: their order is largely chance"
    )


def no_excess(items: str) -> Caveat:
    """Items that differ in spread as chance makes them differ."""
    return Caveat("no-excess", f"the {items} do not differ in spread by more than chance; their order says nothing")


def one_judge(source: str) -> Caveat:
    """A spread of scores in which no judge can disagree with another."""
    return Caveat("one-judge", f"1 judge: the spread is over {source} only, and cannot show where judges disagree")


def incomplete_scenarios(scenarios: int, generations: int) -> Caveat:
    """Scores left out of a crossed panel so that it is complete."""
    whole = f"{scenarios:,} scenario{'s' * (scenarios != 1)}"
    part = f"{generations:,} generation{'s' * (generations != 1)}{' of others' if scenarios else ''}"
    listed = " and ".join(said for said, count in ((whole, scenarios), (part, generations)) if count)
    return Caveat(
        "incomplete-scenarios",
        f"left out to have as many generations, scored by every judge, of every scenario: {listed}; the estimates are "
        "right only if scores are missing at random",
    )


def averaged_answers(fewest: int, most: int) -> Caveat:
    """Cells of a crossed panel with several answers."""
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return Caveat(
        "averaged-answers",
        f"every cell counts by the mean of its {count} answers: the residual is that of such a mean, not of one answer",
    )


def carried_over(items: str) -> Caveat:
    """Judges chosen by a pilot for a study of other items."""
    return Caveat(
        "carried-over",
        f"judges are taken to be as lenient with new {items} as with those of the pilot: draw both from one population",
    )


def few_pilot_items(items: str, n: int, floor: int) -> Caveat:
    """Judges chosen by a pilot of few items."""
    return Caveat("few-pilot-items", f"the pilot has {n} {items}: the choice is uncertain below {floor}")


def unfinished_items(counted: str) -> Caveat:
    """Items of a pilot that not every judge scored."""
    return Caveat("unfinished-items", f"{counted} that not every judge scored: not used in the choice")


def alike_by_group(group: str) -> Caveat:
    """Judges taken to be equally lenient in groups of items."""
    return Caveat("alike-by-group", f"judges are taken to be equally lenient in every {group}: keep its mix as it was")


def held_by_pilot(items: str, share: float) -> Caveat:
    """A main study whose error is mostly what the pilot leaves open."""
    return Caveat(
        "held-by-pilot",
        f"{share:.0%} of the variance is what the pilot leaves of the panel's bias: more {items} in the pilot, or more "
        "judges, help more than more money",
    )


def not_exhaustive(judges: int) -> Caveat:
    """A pool too large to look at every panel."""
    return Caveat("not-exhaustive", f"{judges} judges: good panels were searched for, not all looked at")


def left_negative(terms: Iterable[str]) -> Caveat:
    """Analysis-of-variance estimates below zero that are reported as they are."""
    listed = ", ".join(terms)
    return Caveat(
        "left-negative",
        f"estimated below zero and left so: {listed}: too small to tell from none, or the model does not hold",
    )


def few_items_with_gaps(items: str, n: int) -> Caveat:
    """Standard errors by few items, of which some lack scores."""
    return Caveat(
        "few-items-with-gaps",
        f"{n} {items}, not all scored alike: tests at 5% reject 5 to 8%, measured, if much is missing",
    )


def few_clusters(name: str, clusters: int, effective: float, about: str = "") -> Caveat:
    """A verdict by the spread of few clusters of votes, or of few that have most of them."""
    worth = "" if effective > clusters - 0.5 else f", worth {effective:.1f} of equal size{about}"
    return Caveat("few-clusters", f"{clusters} levels of {name}{worth}: their spread, and so the verdict, is uncertain")


def taken_as_independent(shared: Sequence[str]) -> Caveat:
    """Votes that share what may make them alike, without clusters."""
    listed = " and ".join(shared)
    return Caveat(
        "taken-as-independent",
        f'votes are taken as independent, but some share their {listed}: say cluster="{shared[0]}", or the error rates '
        "are too low",
    )


def shrunk_ratings(ridge: float) -> Caveat:
    """Ratings pulled towards each other by a ridge."""
    return Caveat(
        "shrunk-ratings",
        f"ratings are shrunk by a ridge of {ridge:g}: intervals hold on average over systems whose ratings spread with "
        f"a standard deviation of {ridge**-0.5:.3g}, and too seldom for those far from the mean",
    )


def refits_without_ratings(without: int, resamples: int) -> Caveat:
    """Resampled votes for which some rating is infinite."""
    return Caveat(
        "refits-without-ratings",
        f"{without:,} of {resamples:,} resamples have no finite ratings that were found, as where some system wins or "
        "loses every vote, and are left out: intervals are too short",
    )


def independent_attempts() -> Caveat:
    """Attempts of one submitter, taken as equally good and as independent in what is redrawn."""
    return Caveat(
        "independent-attempts",
        "attempts are taken as equally good and as independent in all that is redrawn: where they share items, voters "
        "or judges, the prize is smaller than this",
    )


def too_few_answers(left_out: int, arms: int, cycle: str | None) -> Caveat:
    """Arms of a replay that are not in it."""
    each = f" from every {cycle}" if cycle else ""
    return Caveat(
        "too-few-answers",
        f"{left_out:,} of {arms:,} arms have fewer than 2 answers{each} and are left out: they show no variance",
    )


def reused_answers(pulls: float, answers: float) -> Caveat:
    """A replay that draws more often from an arm than it has answers."""
    return Caveat(
        "reused-answers",
        f"an arm has {answers:.0f} answers and is drawn {pulls:.0f} times, on average, with replacement: errors are "
        "about the mean of these answers, which has an error of its own that no replay shows",
    )


def labels_at_random() -> Caveat:
    """A mean of predictions corrected by labels of some units."""
    return Caveat(
        "labels-at-random",
        "right only if the units that people judged were chosen at random among those that judges judged",
    )


def few_labels(labels: int, differing: int, clusters: int) -> Caveat:
    """A correction that rests on few labels or clusters of them, or on few that differ from the prediction."""
    have = f"{labels} labels{f' in {clusters} clusters' if clusters < labels else ''}, {differing} of them unlike"
    said = f"{have} the prediction: the error rests on these, and intervals from fewer than 20 labels or clusters, or"
    return Caveat("few-labels", f"{said} from fewer than 5 labels that differ, cover 88 to 95%, measured, for 95%")


def labels_unlike_the_rest(errors: float) -> Caveat:
    """Labelled units on which judges say something else than on the others."""
    return Caveat(
        "labels-unlike-the-rest",
        "judges say something else of the labelled units than of the others"
        f"{f' ({errors:.1f} standard errors apart)' if errors < 1e6 else ''}: they do not look chosen at random",
    )


def left_without_prediction(units: int) -> Caveat:
    """Labels of units that no judge judged."""
    have = "unit has a label and no prediction" if units == 1 else "units have a label and no prediction"
    return Caveat("left-without-prediction", f"{units:,} {have}: not used")


def unpaired_cells(systems: tuple[str, str], left: tuple[int, int], shared: int) -> Caveat:
    """Cells left out of a paired comparison, for only one of the two systems has them."""
    counts = " and ".join(f"{count:,} cells of {name}" for name, count in zip(systems, left, strict=True))
    said = f'cells of one system alone are left out: {counts}, next to {shared:,} of both; method="joint" uses all'
    return Caveat("unpaired-cells", said)


def unequal_answers(systems: tuple[str, str], cells: int, shared: int) -> Caveat:
    """Shared cells in which one system has more answers than the other."""
    where = f"{' and '.join(systems)} have different numbers of answers in {cells:,} of {shared:,} shared cells"
    return Caveat("unequal-answers", f"{where}: the noise of such cells is taken for up to twice what it is")


def few_drawn(levels: Mapping[str, int], df: float) -> Caveat:
    """A comparison whose error is mostly how few judges, prompts and the like differ about the two systems."""
    who = " and ".join(f"{count} {name} levels" for name, count in levels.items())
    size = "tests at 5% reject 0 to 5% of equal pairs in simulations, up to 10% where one real judge of five is odd"
    return Caveat("few-drawn", f"most error is how {who} differ about the two ({df:.1f} degrees of freedom): {size}")
