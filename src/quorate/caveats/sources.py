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
