"""A paragraph for a methods section."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import version

from quorate.estimate.targets import FINITE, PANEL, POPULATION
from quorate.estimate.wording import counted, listed, plural
from quorate.report.labels import shown
from quorate.report.summary import Analysis
from quorate.report.words import decimals, number, percent, span

_METHODS = {
    "reml": "restricted maximum likelihood",
    "ml": "maximum likelihood",
    "anova": "expected mean squares",
}


def methods_paragraph(analysis: Analysis) -> str:
    """What was done and what came out, in the words of a methods section.

    Parameters
    ----------
    analysis : Analysis
        From `analyze`.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, Table 15, on what a report should state.
    """
    sentences = (_data(analysis), _model(analysis), _mean(analysis), _source(analysis), _naive(analysis))
    return " ".join(sentence for sentence in sentences if sentence)


def _data(analysis: Analysis) -> str:
    facts = analysis.support.facts
    levels = listed([counted(facet.levels, shown(facet.name)) for facet in facts.facets])
    absent = facts.rows - facts.answers
    gaps = f"; {absent:,} of {facts.rows:,} rows had no usable score and were taken as missing" if absent else ""
    layout = "balanced" if facts.balance.balanced else "unbalanced"
    return f"The {layout} study has {counted(facts.answers, 'judgment')} of {levels}{gaps}."


def _model(analysis: Analysis) -> str:
    model = analysis.fit.assembled.model
    terms = [shown(" × ".join(term)) for term in model.random] + ["cell"] * model.cell
    if analysis.fit.assembled.replicated:
        terms.append("replicate")
    fixed = [shown(name) for name in (*model.fixed, *model.covariates)]
    held = f" and fixed effects of {listed(fixed)}" if fixed else ""
    method = _METHODS[analysis.fit.method]
    return (
        f"Variance components were estimated by {method} from a linear mixed model with random effects of "
        f"{listed(terms)}{held} (Quorate {version('quorate')})."
    )


def _mean(analysis: Analysis) -> str:
    head, reading = analysis.headline, analysis.readings[0]
    places = decimals(reading.half_width / 2)
    drawn = [plural(shown(facet)) for facet, target in head.target.items() if target == POPULATION]
    given = [plural(shown(facet)) for facet, target in head.target.items() if target in (PANEL, FINITE)]
    over = [_scope("generalising over", drawn), _scope("for the given", given)]
    degrees = "" if head.df == float("inf") else f", Satterthwaite's t with {head.df:.1f} degrees of freedom"
    first = (
        f"The mean is {number(head.value, places)} (standard error {number(head.se, places)}, "
        f"{analysis.level * 100:g}% interval {span(reading, places)}{degrees}), "
        f"{' and '.join(part for part in over if part)}"
    )
    others = "".join(f"; {span(other, places)} {other.scope}" for other in analysis.readings[1:])
    return f"{first}{others}."


def _scope(words: str, names: Iterable[str]) -> str:
    names = list(names)
    return f"{words} {listed(names)}" if names else ""


def _source(analysis: Analysis) -> str:
    if not analysis.sources:
        return ""
    first = analysis.sources[0]
    return f"The largest share of its variance, {percent(first.share)}, comes from {shown(first.component)}."


def _naive(analysis: Analysis) -> str:
    if not analysis.naive_reading.half_width > 0:
        return ""
    places = decimals(analysis.readings[0].half_width / 2)
    return f"Taking all judgments as independent would have given {span(analysis.naive_reading, places)}."
