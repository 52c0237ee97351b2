"""Caveats of where data come from: what a tool's files do not say, or say otherwise than it seems."""

from __future__ import annotations

from collections.abc import Iterable

from quorate.caveats.caveat import Caveat


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
