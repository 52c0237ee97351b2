"""Caveats of votes, verdicts, ratings and labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from quorate import wording
from quorate.arguments import argument
from quorate.caveats.caveat import Caveat


def few_clusters(name: str, clusters: int, effective: float, about: str = "") -> Caveat:
    """A verdict by the spread of few clusters of votes, or of few that have most of them."""
    worth = "" if effective > clusters - 0.5 else f", worth {effective:.1f} of equal size{about}"
    said = f"{wording.counted(clusters, name)}{worth}: their spread, and so the verdict, is uncertain"
    return Caveat("few-clusters", said)


def too_few_to_tell(name: str, clusters: int, takes: int) -> Caveat:
    """Clusters so few that, all leaning one way, they show nothing at the level asked."""
    return Caveat(
        "too-few-to-tell",
        f"{wording.counted(clusters, name)} as clusters never show a difference at this level, which takes {takes}; "
        f"for the {wording.plural(name)} there are, name what else votes share with " + argument("cluster", ...),
    )


def few_categories(by: str, categories: int) -> Caveat:
    """Ratings of few categories shrunk by how far these differ."""
    return Caveat(
        "few-categories",
        f"{wording.counted(categories, by)}: how far they differ is hardly known, and pooled ratings lean on it; their "
        "intervals allow for that, and are wide for it",
    )


def dominant_cluster(name: str, label: str, share: float, cap: float, margin: float, p: float) -> Caveat:
    """One level of a facet has so many of the votes that they are mostly about it."""
    return Caveat(
        "dominant-cluster",
        f'{wording.percent(share)} of the votes are of one {name}, "{label}": the result is mostly about it, and its '
        f"tests are careful; at the weight of the {name} with the next most votes ({cap:,.0f}) it would leave a "
        f"margin of {wording.margin(margin)} (p = {p:.2g}), so decide on such a cap before the outcome is known",
    )


def few_clusters_on_pairs(name: str, few: int, pairs: int, fewest: float) -> Caveat:
    """Margins of pairs by the spread of few clusters of votes."""
    where = f"on {few:,} of {pairs:,} pairs votes are" if pairs > 1 else "votes are"
    return Caveat(
        "few-clusters-on-pairs",
        f"{where} worth fewer than 20 {wording.plural(name)} (at the fewest {fewest:.3g}): their spread, and so "
        "intervals and numbers of votes, are uncertain",
    )


def one_level_on_pairs(name: str, alone: int, pairs: int) -> Caveat:
    """Pairs whose votes are all of one level of a facet."""
    where = f"on {alone:,} of {pairs:,} pairs" if pairs > 1 else "here"
    return Caveat(
        "one-level-on-pairs", f"{where} all votes are of one {name}: what is said is for it; another may say otherwise"
    )


def taken_as_independent(effects: Mapping[str, float], clusters: Sequence[str] = ()) -> Caveat:
    """Votes that share what may make them alike, where no cluster is by it.

    Parameters
    ----------
    effects : mapping of str to float
        Facets that votes share, each with the variance by it over that of independent votes.
    clusters : sequence of str
        Facets that clusters are by.
    """
    most = max(effects, key=lambda name: effects[name])
    but = f" but for their {' and '.join(clusters)}" if clusters else ""
    largest = f"most by {most}" if len(effects) > 1 else "variance by it"
    times = "under 0.01" if effects[most] < 0.01 else f"{effects[most]:.3g}"
    return Caveat(
        "taken-as-independent",
        f"votes are taken as independent{but}, yet some share their {' and '.join(effects)} ({largest}: "
        f"{times} times one vote's): say " + argument("cluster", (*clusters, *effects)) + ", or errors are likelier",
    )


def mostly_shown_first(system: str, first: int, n: int) -> Caveat:
    """One of two systems was shown first in most of the votes, which may be why it leads."""
    always = "so that its lead and that of being shown first are one" if first == n else "which may be part of its lead"
    said = f"{system} was shown first in {first:,} of {n:,} decisive votes ({first / n:.0%}), {always}: show either "
    fix = "" if first == n else ", or rank with " + argument("position", True)
    return Caveat("mostly-shown-first", said + "first as often" + fix)


def first_wins(share: float, n: int, *, shown_known: bool = True) -> Caveat:
    """The system in one place, shown or written first, won more or less than half of the votes."""
    rank = "rank with " + argument("position", True)
    if shown_known:
        said = f"the system shown first won {share:.1%} of {n:,} decisive votes, both orders weighing alike: " + rank
        return Caveat("first-wins", said + " takes the order's doing off the lead")
    written = (
        f"the system written first (model_a) won {share:.1%} of {n:,} decisive votes, both orders weighing alike, so a "
        "lead may be of the place: if that one was shown first, say "
    )
    return Caveat("written-first", written + argument("order", "model_a", group="roles") + " and " + rank)


def goes_round(systems: Sequence[str], shares: Sequence[float], p: float, cycles: int) -> Caveat:
    """Systems that beat each other in a circle, which ratings cannot say."""
    after = (*systems[1:], systems[0])
    steps = [
        f"{one} beats {other} ({share:.0%} of votes)" for one, other, share in zip(systems, after, shares, strict=True)
    ]
    more = f"; so it is of {cycles - 1:,} more triples" if cycles > 1 else ""
    return Caveat(
        "goes-round",
        f"the board goes round: {', '.join(steps)}, p {p:.2g} for all triples together{more}: no rating says this; "
        "compare these systems two by two",
    )


def shrunk_ratings(ridge: float) -> Caveat:
    """Ratings pulled towards each other by a ridge."""
    return Caveat(
        "shrunk-ratings",
        f"ratings are shrunk by a ridge of {ridge:g}: intervals hold on average over systems whose ratings spread with "
        f"a standard deviation of {ridge**-0.5:.3g}, and too seldom for those far from the mean",
    )


def equal_style(covariates: Sequence[str]) -> Caveat:
    """Ratings at equal covariates, which is not what people voted on."""
    named = wording.listed(covariates)
    return Caveat(
        "equal-style",
        f"ratings are of systems as if they did not differ in {named}: this rests on one effect of each that is the "
        f"same for all systems, and where more {'of it' if len(covariates) == 1 else 'of them'} made an answer better "
        "in earnest it takes that away too; without covariates ratings are of the answers as people saw them",
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


def labels_at_random() -> Caveat:
    """A mean of predictions corrected by labels of some units."""
    return Caveat(
        "labels-at-random",
        "right only if the units that people judged were chosen at random among those that judges judged",
    )


def few_labels(labels: int, differing: int, clusters: int, rarer: float | None = None) -> Caveat:
    """A correction from few labels or clusters, from few unlike the prediction, or from few of the rarer answer."""
    have = f"{labels} labels{f' in {clusters} clusters' if clusters < labels else ''}, {differing} of them unlike"
    have += " the prediction"
    if rarer is None:
        return Caveat("few-labels", f"{have}: intervals from fewer than 20 labels cover 91 to 95%, measured, for 95%")
    rare = f"and {rarer:g} of the rarer answer: the error rests on these. Where fewer than 3 are of the rarer answer,"
    return Caveat("few-labels", f"{have} {rare} the interval reaches as far as that of the labels alone")


def noise_of_votes(fewest: int, needed: int) -> Caveat:
    """Margins of pairs with so few votes that they cannot be told from the noise of the votes."""
    have = f"some pairs have only {fewest} decisive {'vote' if fewest == 1 else 'votes'}"
    rule = f"with fewer than {needed} on a pair margins without the noise of the votes are not known"
    return Caveat("noise-of-votes", f"{have}: {rule}, and those as estimated are too large near 0")


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


def few_labels_of_systems(systems: Sequence[str], fewest: int) -> Caveat:
    """Systems of a board that people voted on in few battles."""
    few = wording.listed(systems, most=5)
    return Caveat(
        "few-labels-of-systems",
        f"people voted on fewer than {fewest} battles of {few}: "
        "what judges get wrong about them is hardly known, and their intervals are rough; label more of their battles",
    )


def judges_do_not_help(labels: int, effective: float) -> Caveat:
    """Judges whose votes hardly make those of people more precise."""
    return Caveat(
        "judges-do-not-help",
        f"judges say next to nothing of what people vote here: with them {labels:,} labels are worth {effective:,.0f}, "
        "so people alone do as well; ask better judges, or more people",
    )


def few_pilot_labels(labels: int, fewest: int) -> Caveat:
    """A plan of labels from a pilot with few of them."""
    return Caveat(
        "few-pilot-labels",
        f"the pilot has {labels} labels with a prediction: their correlation, and so the split, is uncertain; label "
        f"{fewest} to 100 first",
    )


def labels_per_cluster(clusters: Mapping[str, int]) -> Caveat:
    """A plan of labels that resemble each other by cluster."""
    each = wording.listed(f"{count:,} {wording.plural(name)}" for name, count in clusters.items())
    return Caveat(
        "labels-per-cluster",
        f"the pilot's labels are of {each}: the plan holds for as many labels of each; more of one are worth less",
    )


def people_asked_once() -> Caveat:
    """A plan of labels where nobody is known to agree with anybody."""
    return Caveat(
        "people-asked-once",
        "hardly a unit has labels of two people, so how far people agree, which bounds every judge, is not known: "
        "have two people label 20 units or more",
    )


def people_disagree(value: float, low: float, high: float, units: int, least: float) -> Caveat:
    """People who agree so little that no judge can be checked against them."""
    ceiling = max(value, 0.0) ** 0.5
    return Caveat(
        "people-disagree",
        f"people who label the same unit hardly agree (alpha {value:.2f}, {low:.2f} to {high:.2f}, {units:,} units): "
        "no judge can be checked against them. A judge that knew all they share would correlate "
        f"{ceiling:.2f} with a label; {least:.2f} is needed at these prices. Ask people what they agree on first",
    )


def unpaired_cells(systems: tuple[str, str], left: tuple[int, int], shared: int) -> Caveat:
    """Cells left out of a paired comparison, for only one of the two systems has them."""
    both = zip(systems, left, strict=True)
    counts = " and ".join(f"{count:,} {'cell' if count == 1 else 'cells'} of {name}" for name, count in both)
    said = f"cells of one system alone are left out: {counts}, next to {shared:,} of both; "
    return Caveat("unpaired-cells", said + argument("method", "joint") + " uses all")


def unequal_answers(systems: tuple[str, str], cells: int, shared: int) -> Caveat:
    """Shared cells in which one system has more answers than the other."""
    where = f"{' and '.join(systems)} have different numbers of answers in {cells:,} of {shared:,} shared cells"
    return Caveat("unequal-answers", f"{where}: the noise of such cells is taken for up to twice what it is")


def unlike_systems(system: str, ratio: float, p: float, errors: tuple[float, float] | None) -> Caveat:
    """A model that takes systems to vary alike, of which one varies more; errors over the right ones, if known."""
    more = f"{system} varies more from item to item than the rest (variance ratio {ratio:.3g}, p {p:.2g})"
    if errors is None:
        does = "its intervals are too short if it has fewer items than the rest, and too long if more"
    else:
        small, large = f"{1 - errors[0]:.0%} too small", f"{errors[1] - 1:.0%} too large"
        does = (
            f"as far as items make them, standard errors of its differences are {small} and those of the rest {large}"
        )
    return Caveat(
        "unlike-systems",
        f"{more}, but one model takes all to vary alike: {does}; `compare` them by pairs, "
        + argument("method", "paired"),
    )


def compared_by_pairs(system: str, ratio: float, p: float) -> Caveat:
    """Pairs in the place of one model for all, since the two systems do not vary alike."""
    return Caveat(
        "compared-by-pairs",
        f"{system} varies more from item to item than the other (variance ratio {ratio:.3g}, p {p:.2g}), so the two "
        "are compared by pairs and not by one model, which takes them to vary alike ("
        + argument("method", "joint")
        + "); pairs are wrong where a cell is missing because of what the other system scored",
    )


def ordered_by_differences(first: str, second: str) -> Caveat:
    """Systems that were not judged on the same, so that their own means are not what orders them."""
    return Caveat(
        "ordered-by-differences",
        f"systems were not judged on the same: their order is that of their differences, as `compare` finds them, "
        f"though the mean of {second}'s own scores is higher than that of {first}'s",
    )


def labels_alike(labels: Sequence[str]) -> Caveat:
    """Labels that differ in capital letters alone."""
    return Caveat(
        "labels-alike", f"{' and '.join(labels)} differ in capital letters alone; they count as different labels"
    )


def labels_alone(labels: Sequence[str], facets: Sequence[str]) -> Caveat:
    """Labels that differ by some facets alone, such as items on which judges always agree."""
    return Caveat(
        "labels-alone",
        f"whether a label is {' or '.join(labels)} differs by {' and '.join(facets)} alone: the interval of that share "
        "counts no more than these",
    )


def rare_labels(labels: Sequence[str], few: int) -> Caveat:
    """Labels that few judgments are."""
    return Caveat(
        "rare-labels", f"fewer than {few} judgments are {', '.join(labels)}: intervals of such shares are rough"
    )


def agreement_of_items(judges: int) -> Caveat:
    """Agreement whose interval counts items alone."""
    return Caveat(
        "agreement-of-items",
        f"{judges} judges: intervals of agreement count items as sampled, and hold for these judges alone",
    )


def unnamed_judges() -> Caveat:
    """Agreement of judges of whom nobody knows which gave what."""
    return Caveat(
        "unnamed-judges",
        "no column says who judged: every answer is taken for another judge's, and intervals of agreement count items "
        "alone",
    )


def most_judges(shown: int, judges: int) -> Caveat:
    """Judges of whom only some are compared two by two."""
    return Caveat("most-judges", f"of {judges:,} judges, the {shown} with most judgments are compared two by two")


def few_labelled(items: int) -> Caveat:
    """Judges against labels of few items."""
    return Caveat(
        "few-labelled",
        f"{items} labelled items: the interval of the correlation covers 89 to 94% with 40, measured, for 95%",
    )


def systems_differ(systems: int, measure: str, over_all: float, inside: float) -> Caveat:
    """Agreement over the responses of several systems, and inside them."""
    return Caveat(
        "systems-differ",
        f"{systems} systems: agreement over all of them also counts how far systems differ; inside a system, on "
        f"average, {measure} is {inside:.2f}, not {over_all:.2f}",
    )


def people_among_judges(people: Sequence[str], models: Sequence[str]) -> Caveat:
    """A mean over judges of whom some are people, by their names, and others models."""
    return Caveat(
        "people-among-judges",
        f"{wording.listed(people, most=3)} {'is a person' if len(people) == 1 else 'are people'} by name, and "
        f"{wording.listed(models, most=3)} {'a model' if len(models) == 1 else 'models'}: judges alike here; how far "
        "models say what people do, see quorate judges with " + argument("human", tuple(people)),
    )


def reruns_unknown() -> Caveat:
    """Verdicts that change with the wording, of which nobody knows how many change by themselves."""
    return Caveat(
        "reruns-unknown",
        "no prompt was asked twice: how many verdicts change by themselves, without another wording, is not known",
    )


def reweighted(how: str, votes: int, worth: float) -> Caveat:
    """Votes that count by the chances at which they were asked."""
    like = "their variance does not follow from earlier votes" if how == "stabilised" else "all pairs count alike"
    return Caveat(
        "reweighted",
        f"votes are weighted by the chance that their pair was asked, so that {like}: {votes:,} are worth {worth:,.0f}",
    )
