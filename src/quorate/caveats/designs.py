"""Caveats of designs and sources: what to buy, which judges, how answers are replayed, which rows were read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from quorate.arguments import argument
from quorate.caveats.caveat import Caveat
from quorate.wording import listed

_MOST = 5
"""Judges that a sentence names."""
FEWEST_FAMILIES = 4
"""Families from which intervals were calibrated."""


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


def ends_unknown() -> Caveat:
    """Components without data: nothing is known of the ends of the scale, which intervals near them keep to."""
    return Caveat(
        "ends-unknown",
        "components do not say where the mean is: if it is near an end of the scale, as 0/1 scores at a rate of .9, "
        "its interval is that of log odds and wider than the half-width promised; scores of a pilot would say",
    )


def below_a_pilot(levels: Mapping[str, int], fewest: int) -> Caveat:
    """The best design has too few levels of a facet for its data to show how these vary."""
    listed = ", ".join(f"{name} {count}" for name, count in levels.items())
    return Caveat(
        "below-a-pilot",
        f"the best design has fewer than {fewest} levels of what it is to speak for ({listed}): its own data will not "
        f"show how these vary, and its interval will be far wider than the plan's; allow {fewest} or more",
    )


def held_by_limits(term: str, share: float) -> Caveat:
    """Most of what makes the best design uncertain is out of the optimiser's reach."""
    return Caveat(
        "held-by-limits",
        f"{share:.0%} of the variance of the best design does not depend on anything that the limits let vary, "
        f"{term} first; allow more of it, or no budget helps",
    )


def buys_little(best: tuple[float, str], near: tuple[float, str], calls: int) -> Caveat:
    """Money that buys next to nothing: price and precision of the best design, and of one nearly as precise."""
    (cost, reach), (less, nearly) = best, near
    fewer = f"{less:,.4g} ({calls:,} calls) buys" if less != calls else f"{calls:,} calls buy"
    said = f"{fewer} {nearly} where {cost:,.4g} {'buys' if less != calls else 'buy'} {reach}"
    return Caveat("buys-little", f"most of the money buys little: {said}")


def closest_two(a: str, b: str, systems: int) -> Caveat:
    """A plan for two of the systems of a board."""
    return Caveat(
        "closest-two",
        f"of {systems} systems {a} and {b} differ least, and the plan is for these two by themselves: other pairs take "
        f"less, all {systems * (systems - 1) // 2} at once more; keep other two to plan for them",
    )


def money_left(budget: float, cost: float, most: Mapping[str, int], wider: Mapping[str, range]) -> Caveat:
    """A budget that buys nothing more within the limits: those that the best design has the most of, and wider ones."""
    said = f"the best design costs {cost:,.6g} of the {budget:,.6g}"
    if not most:
        return Caveat("money-left", said + ": more of what the limits let vary brings nothing")
    ends = listed([f"{count:,} {name}" for name, count in most.items()])
    said += f" and has the most that limits allow ({ends}); allow more with "
    return Caveat("money-left", said + argument("limits", wider))


def incomplete_scenarios(scenarios: int, generations: int) -> Caveat:
    """Scores left out of a crossed panel so that it is complete."""
    whole = f"{scenarios:,} item{'s' * (scenarios != 1)}"
    part = f"{generations:,} answer{'s' * (generations != 1)}{' to others' if scenarios else ''}"
    listed = " and ".join(said for said, count in ((whole, scenarios), (part, generations)) if count)
    return Caveat(
        "incomplete-scenarios",
        f"left out so that every judge scored as many answers to every item: {listed}; right only if scores are "
        "missing at random",
    )


def averaged_answers(fewest: int, most: int) -> Caveat:
    """Cells of a crossed panel with several answers."""
    count = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    return Caveat(
        "averaged-answers",
        f"every cell counts by the mean of its {count} answers: the noise is that of such a mean, not of one answer",
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


def unanswered_cells(judges: Mapping[str, int], planned: int) -> Caveat:
    """A ledger in which cells are not answered, by judge."""
    shown = [f"{name}: {count:,}" for name, count in list(judges.items())[:_MOST]]
    more = [f"{len(judges) - _MOST} judges more"] if len(judges) > _MOST else []
    return Caveat(
        "unanswered-cells",
        f"{sum(judges.values()):,} of {planned:,} planned cells are not answered ({', '.join((*shown, *more))}): "
        "the panel is not complete; quorate run goes on, and quorate serve where people judge",
    )


def chosen_rows(where: str, kept: int, rows: int) -> Caveat:
    """Rows of a source chosen by a condition."""
    return Caveat("chosen-rows", f"only rows where {where}: {kept:,} of {rows:,}")


def chosen_level(name: str, level: str, kept: int, answers: int) -> Caveat:
    """One level of a facet chosen."""
    return Caveat("chosen-level", f'only {name} "{level}": {kept:,} of {answers:,} rows')


def named_by_folders(files: int, names: Iterable[str]) -> Caveat:
    """A folder read as one table, with columns that its folders name."""
    listed = ", ".join(names)
    said = f"columns from the names of folders: {listed}" if listed else "no column comes from the names of folders"
    return Caveat("named-by-folders", f"{files:,} file{'s' * (files != 1)} of a folder read as one; {said}")


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
        f"an arm has {answers:.0f} answers and is drawn {pulls:.0f} times, on average: errors are about the mean "
        "of these answers, whose own error no replay shows",
    )


def paid_for_nothing(unused: int, paid: int, layout: str) -> Caveat:
    """Judgments that are paid for have no place in the best design."""
    why = "this layout draws judges anew" if layout == "random" else "its cells are others"
    return Caveat(
        "paid-for-nothing",
        f"{unused:,} of {paid:,} judgments that are paid for have no place in the best design ({why}); "
        "what it costs is for the others",
    )


def judges_share_makers(makers: Mapping[str, Sequence[str]]) -> Caveat:
    """Judges taken as drawn one by one whose names say that some have one maker."""
    said = []
    for maker, judges in list(makers.items())[:_MOST]:
        more = f" and {len(judges) - _MOST} more" if len(judges) > _MOST else ""
        said.append(f"{maker}: {', '.join(judges[:_MOST])}{more}")
    rest = f"; {len(makers) - _MOST} more" if len(makers) > _MOST else ""
    return Caveat(
        "judges-share-makers",
        f"judges of one maker tend to err together ({'; '.join(said)}{rest}), and the interval for judges like these "
        "takes them as independent: it is too narrow if they do; model it with " + argument("families", "auto"),
    )


def judges_err_together(groups: Sequence[Sequence[str]], correlation: float, worth: int) -> Caveat:
    """Judges whose errors on items correlate so that they may be copies of one another."""
    named = "; ".join(", ".join(group[:_MOST]) for group in groups[:_MOST])
    families = {judge: group[0] for group in groups for judge in group}
    return Caveat(
        "judges-err-together",
        f"errors of these judges on items go together (correlation {correlation:.2f} or more): {named}; if they are "
        f"near copies there are {worth} to speak for others, and that interval is too narrow; model it with "
        + argument("families", families),
    )


def judges_in_families(parent: str, families: int, judges: int, correlation: float, effect: float) -> Caveat:
    """Judges nested in families: how alike those of one family are, and how many judges alone they are worth."""
    few = "" if families >= FEWEST_FAMILIES else f"; {families} are few, and say little of how {parent} matters"
    return Caveat(
        "judges-in-families",
        f"{judges} judges in {families} levels of {parent}: the effects of two of one {parent} correlate by "
        f"{correlation:.2f} (design effect {effect:.1f}), so that they count as {judges / effect:.1f} judges of "
        f"different ones{few}",
    )


def adaptive_answers(fewest: int, most: int, alike: float) -> Caveat:
    """Cells that vary more were asked more often, so that their means are biased."""
    return Caveat(
        "adaptive-answers",
        f"cells have {fewest:,} to {most:,} answers, more where scores vary more (rank correlation {alike:.2f}), as "
        "after an adaptive allocation: means come out too low where high scores are rare, too high where low ones are "
        "(1.26 for 1.32 where 5 has a chance of .08 and else 1); the same number of first answers of each has no such "
        "bias, as by " + argument("where", f"replicate <= {fewest}"),
    )


def adaptive_means(average: float, error: float, worst: float, arm: str, warmup: int) -> Caveat:
    """Means after an adaptive allocation are biased, by as much as the replay shows."""
    return Caveat(
        "adaptive-means",
        f"after ROBIN-HOOD the mean of all arms is off by {average:+.2g} (Monte Carlo error {error:.1g}), that of "
        f"{arm} by {worst:+.2g}: how often an arm is asked depends on its scores; the first {warmup:,} answers of each "
        "have no such bias",
    )


# Caveats of where data come from: what a tool's files do not say, or say otherwise than it seems.


def prelabelled(count: int, total: int, models: Iterable[str]) -> Caveat:
    """People began with a label of a model."""
    return Caveat(
        "prelabelled",
        f"{count:,} of {total:,} annotations began with a label by {', '.join(models)}, which the annotator saw: they "
        "agree with it, and with each other, more than they would have by themselves",
    )


def skipped_unseen() -> Caveat:
    """A flat export lacks the annotations that people gave up."""
    return Caveat(
        "skipped-unseen",
        "annotations that people skipped are not in a flat export, so shares of missing scores are not known; "
        "export JSON",
    )


def copied_criteria(pairs: Sequence[tuple[str, str, bool]]) -> Caveat:
    """Criteria whose scores are the same, or a straight line of one another."""
    one, other, equal = pairs[0]
    how = "are equal" if equal else "rise in a straight line"
    more = "" if len(pairs) == 1 else f", and {len(pairs) - 1:,} more pairs are alike"
    return Caveat(
        "copied-criteria",
        f"all scores of {one} and {other} {how}{more}: one may be a copy of the other, which counts as a criterion of "
        "its own in means and their intervals; leave it out",
    )


def cached_answers(copies: int, answers: int) -> Caveat:
    """Repeated answers that a cache gave again."""
    return Caveat(
        "cached-answers",
        f"{copies:,} of {answers:,} answers are repeats that come from a cache: they may be copies of one answer, and "
        "show no spread between attempts; run the evaluation without its cache",
    )


def averages_of_judges(names: Iterable[str], judges: Iterable[str]) -> Caveat:
    """A statistic that may average judges is read although their own scores are there."""
    return Caveat(
        "averages-of-judges",
        f"{', '.join(names)} may be averages over judges, which stand at a default where all judges failed; what each "
        f"judge said is in {', '.join(judges)}",
    )


def unfinished_log(status: str, held: int, planned: int) -> Caveat:
    """A run that did not come to its end, or whose log lacks attempts."""
    lacking = f", and {planned - held:,} of {planned:,} attempts are not in it" if held < planned else ""
    return Caveat(
        "unfinished-log",
        f'the run has the status "{status}"{lacking}: what is missing at its end need not be like what is there',
    )


def only_the_verdict(scorer: str, size: int, reducer: str) -> Caveat:
    """A panel of which a log keeps what it came to."""
    return Caveat(
        "only-the-verdict",
        f"of {scorer}, a panel of {size} graders, the log has only what they came to ({reducer}): their agreement and "
        "their failures are not known, and the panel counts as one judge",
    )


def votes_of_nobody(scorer: str, attempts: int, total: int) -> Caveat:
    """Votes of a panel without what failed among them, so that whose they are is not known."""
    return Caveat(
        "votes-of-nobody",
        f"in {attempts:,} of {total:,} attempts the votes of {scorer} cannot be told apart by grader, because some are "
        "missing and which is not said: they have no score",
    )


def judged_by_nobody(scorer: str, attempts: int, total: int) -> Caveat:
    """Attempts that ended before a panel that deals its judges was asked: whose votes are missing is not known."""
    return Caveat(
        "judged-by-nobody",
        f"in {attempts:,} of {total:,} attempts {scorer} asked no judge, because they ended by an error or were not "
        "scored: they have no rows, and means are of the others",
    )


def failures_as_grades(version: str) -> Caveat:
    """A version in which a grader that failed looks like a bad grade."""
    named = f"Inspect AI {version}" if version else "an Inspect AI that does not say its version"
    return Caveat(
        "failures-as-grades",
        f"{named} wrote I where a grader's reply had no grade, as it did before 0.3.245: such failures count as 0 and "
        "are not told",
    )


def averages_as_attempts(names: Iterable[str]) -> Caveat:
    """Averages over attempts that a file holds once for every attempt."""
    return Caveat(
        "averages-as-attempts",
        f"every attempt at an item has the same score in {', '.join(names)}: averages that were written into each, not "
        "repeated judgments; read as one judgment an item, without replicates",
    )


def statuses_unknown() -> Caveat:
    """An export with responses that people discarded, among the others and not told from them."""
    return Caveat(
        "statuses-unknown",
        "the file does not say which responses were submitted and which discarded, so both count; export the flat "
        "records (to_list(flatten=True), to_datasets()), which do",
    )
