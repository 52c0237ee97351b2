"""Caveats of variance components, means and the spread of items."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from quorate.caveats.caveat import Caveat
from quorate.wording import listed, plural


def few_levels(facet: str, levels: int, takes: str = "three") -> Caveat:
    """A facet with so few levels that its variance is barely known, and how many it takes."""
    return Caveat(
        "few-levels",
        f"{levels} {plural(facet)}: they hardly show how far {plural(facet)} differ; an interval for others like these "
        f"takes {takes}",
    )


def one_level(facet: str) -> Caveat:
    """A facet with one level: the result holds for that level only."""
    return Caveat(
        "one-level", f"1 {facet}: the result is for this {facet} only; nothing here says how another would score"
    )


def boundary(terms: Iterable[str], of: str = "") -> Caveat:
    """Components estimated at zero, and of what, where that is not the scores."""
    zero = f"{f' in {of}' if of else ''}: {', '.join(terms)}"
    return Caveat(
        "boundary", f"estimated at zero{zero}; too small to see in these data, which is not the same as absent"
    )


def zero_with_few_levels(facet: str, levels: int) -> Caveat:
    """A main effect estimated at zero from few levels."""
    return Caveat(
        "zero-few-levels",
        f"the {facet} variance is estimated at zero from {levels} levels, which happens when it is not zero as well; "
        f"the interval for others allows for that over all studies, in these alone it misses more where "
        f"{plural(facet)} do differ; the standard error does not allow for it",
    )


def long_tail(items: str, skewness: float, covered: float) -> Caveat:
    """Scores of items so skewed for their number that Student's intervals of such studies are too short."""
    return Caveat(
        "long-tail",
        f"scores of {items} have a long tail (skewness {skewness:.1f}): 95% intervals hold the truth in about "
        f"{covered:.0%}, missing on that side; more {items}, or --scale LOW,HIGH, mend it",
    )


def beyond_the_scores(low: float, high: float) -> Caveat:
    """An interval on a scale whose ends are not known goes on beyond the scores that there are."""
    return Caveat(
        "scale-unknown",
        f"the interval goes beyond the scores there are ({low:g} to {high:g}), as the ends of the scale are not "
        "known; if none can be, say so with --scale LOW,HIGH",
    )


def endless_variance(terms: Sequence[str]) -> Caveat:
    """Variances of log odds that have no end by Laplace's approximation."""
    return Caveat(
        "endless-variance",
        f"by Laplace's approximation the variance of the log odds of {listed(terms)} grows without end, as levels have "
        'too few judgments, most of them alike; components are those of method="pirls", which has no such runaway',
    )


def few_answers_a_level(terms: Mapping[str, float]) -> Caveat:
    """Components of log odds whose levels have few answers, for which Laplace's approximation is rough."""
    named = listed([f"{name} ({answers:.0f} a level)" for name, answers in terms.items()])
    return Caveat(
        "few-answers-a-level",
        "components of log odds of levels with few answers come out too small, measured by about two thirds at 3 "
        f"answers a level, a quarter to a third at 6 to 8, an eighth at 12 to 16: {named}; shares of these are too "
        "low and those of others too high",
    )


def aliased(*sums: Iterable[str]) -> Caveat:
    """Components that the design cannot tell apart, by the sums that it can."""
    listed = " and ".join(" + ".join(sorted(names)) for names in sums)
    return Caveat("aliased", f"only the sum{'s' * (len(sums) > 1)} {listed} can be estimated from this design")


def one_response() -> Caveat:
    """Items with one response each, which a panel cannot tell from the response."""
    return Caveat(
        "one-response",
        "each item has one response: how items and how responses differ is seen as one, as are the noise of one "
        "judgment and what a judge makes of an item",
    )


def larger_weight(names: Iterable[str]) -> Caveat:
    """Components known by their sum alone, which weigh differently in the mean."""
    listed = " and ".join(names)
    return Caveat(
        "larger-weight",
        f"{listed} are known by their sum alone and weigh differently in the mean: the sum has the larger weight, "
        "which adds at most 1% to the standard error",
    )


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
    return Caveat("few-items", f"{items} items: fewer than the 30 a pilot needs to show what varies")


def missing(count: int, rows: int, of: str = "judgments", lacking: str = "score") -> Caveat:
    """Some judgments have no usable score, or votes no outcome."""
    return Caveat(
        "missing",
        f"{count:,} of {rows:,} {of} ({count / rows:.1%}) {'has' if count == 1 else 'have'} no usable {lacking}; "
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


def sampled_traces(error: float) -> Caveat:
    """Components of a system too large to be inverted.

    Parameters
    ----------
    error : float
        Standard deviation of an estimate over other random signs, as a part of its standard error.
    """
    return Caveat(
        "sampled-traces",
        "so many levels are fitted by products, with averages over random signs in place of traces: other signs would "
        f"move a component by {error:.1%} of its standard error at most; there is no criterion",
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
        f"the difference between {levels} {facet} levels is estimated at zero, as in about half of small "
        "pilots where it is not; do not plan with fewer because of it",
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


def unlike_the_pilot(spread: float, se: float) -> Caveat:
    """Scores that vary more, or less, than the components of the pilot say."""
    return Caveat(
        "unlike-the-pilot",
        f"the scores vary {spread:.2f} times as much as in the pilot (standard error {se:.2f}): they do not look "
        "alike, and the interval is the pilot's",
    )


def zero_in_the_pilot(facet: str, levels: int) -> Caveat:
    """A component estimated at zero in the pilot, by which the mean of other scores is judged."""
    return Caveat(
        "zero-in-the-pilot",
        f"the {facet} variance is estimated at zero from {levels} levels of the pilot: Student's interval covers 50 to "
        "96% in such studies, measured with 3 levels; that of the estimate itself is wider for what it may be",
    )


def divergences(count: int, draws: int) -> Caveat:
    """Draws at which the sampler of a posterior lost its way."""
    return Caveat(
        "divergences",
        f"{count:,} of {draws:,} draws diverged: the sampler may have missed a part of the posterior; more warm-up, or "
        "a prior from an earlier study, helps",
    )


# Caveats of regressions on labels, and of pipelines of several turns or agents.


def labels_alike_likely(labels: int, rows: int) -> Caveat:
    """Every row is taken as likely to have been labelled by people as any other."""
    return Caveat(
        "labels-alike-likely",
        f"right only if the {labels:,} of {rows:,} rows that people labelled were drawn at random, all with one "
        "chance; where some were likelier, give every row's chance",
    )


def labels_with_known_chance() -> Caveat:
    """Coefficients that rest on the chance of every row to be labelled."""
    return Caveat(
        "labels-with-known-chance",
        "right only if every row was labelled with the given chance: rows that people could not or would not label are "
        "missing for reasons no chance describes",
    )


def other_number_of_labels(labels: int, expected: float) -> Caveat:
    """More or fewer labels than the chances say."""
    return Caveat(
        "other-number-of-labels",
        f"{labels:,} rows have a label where the given chances say about {expected:,.0f}: check the chances, and "
        "whether labels are missing for other reasons",
    )


def few_labels_in_regression(name: str, df: float) -> Caveat:
    """A standard error that rests on few rows or clusters."""
    return Caveat(
        "few-labels-in-regression",
        f"the standard error of {name} rests on what {df:.1f} equal rows would tell (its degrees of freedom): few "
        "labels, few clusters, or labels of very unequal chances",
    )


def rare_labels_in_regression(rarer: int, coefficients: int) -> Caveat:
    """A logistic regression with few labels of the rarer answer."""
    return Caveat(
        "rare-labels-in-regression",
        f"{rarer:,} labels are of the rarer answer, for {coefficients} coefficients: log odds from fewer than 10 for "
        "each are biased away from 0, and their intervals too wide or without end",
    )


def turns_that_end(last: int, first: int) -> Caveat:
    """Conversations that do not all reach the last turn."""
    return Caveat(
        "turns-that-end",
        f"the last turn has {last:,} answers, the first {first:,}: chances are of all conversations, as if each had "
        "gone on, and right only if scores before a conversation ended tell why it did",
    )


def few_scores(scores: int, threshold: float) -> Caveat:
    """Scores of few values, for which the normal law is a rough guide."""
    return Caveat(
        "few-scores",
        f"scores have {scores} values, and chances to be beyond {threshold:g} are those of a normal law: hold them "
        "against the observed shares",
    )


def no_chain(stage: str, before: str) -> Caveat:
    """A stage that tells less of the last than the one before it."""
    return Caveat(
        "no-chain",
        f"{before} tells more of the last stage than {stage} after it: something passes {stage} by, so this is no "
        "chain; name all that the next agent sees as one",
    )
