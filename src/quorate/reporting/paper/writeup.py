"""What a methods section needs: a paragraph, the reporting checklist, and what makes it possible to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from quorate.analysis.judgments import Analysis, analyze_judgments, of_fit
from quorate.analysis.words import called, number, only_facet, shown, significant, span, times
from quorate.errors import InvalidInput
from quorate.estimate.components.decomposition import Decomposition
from quorate.estimate.components.model import CELL
from quorate.estimate.means.intervals import score_ends
from quorate.estimate.means.missing_bounds import AllEqual
from quorate.estimate.means.targets import PANEL
from quorate.frozen import dataclass
from quorate.reporting.paper.record import PROJECTED, ChecklistItem, Record, checklist, missing, study_record
from quorate.reporting.paper.reproduce import Provenance, options_of, read_from, recorded, source_of_analysis
from quorate.reporting.print.cells import plain_markdown
from quorate.roles import REPLICATE, SYSTEM
from quorate.table.judgments import Judgments
from quorate.table.read import read_first
from quorate.table.results import Result
from quorate.wording import at_level, capitalised, counted, decimals, listed, plural, whole_percent

if TYPE_CHECKING:
    from quorate.decide.scores import ScoreVerdict
    from quorate.estimate.nominal import Labels
    from quorate.estimate.ratings.leaderboard import Leaderboard

_METHODS = {"reml": "restricted maximum likelihood", "ml": "maximum likelihood", "anova": "expected mean squares"}


@dataclass(frozen=True)
class Writeup(Result):
    """What a methods section needs.

    Parameters
    ----------
    paragraph : str
        What was done, what came out and what to do next, on one line.
    checklist : tuple of ChecklistItem
        What a report should state, with what states it or what is missing; none of labels.
    reproduction : mapping of str to str
        What is needed to do it again.
    """

    paragraph: str
    checklist: tuple[ChecklistItem, ...]
    reproduction: Mapping[str, str]

    def __str__(self) -> str:
        return self.paragraph

    @property
    def missing(self) -> tuple[ChecklistItem, ...]:
        """What neither the data nor the record say."""
        return missing(self.checklist)

    def to_markdown(self) -> str:
        """Everything as Markdown in which nothing of the data is markup."""
        blocks = ["## Methods", plain_markdown(self.paragraph)]
        blocks += ["## Reporting checklist"] if self.checklist else []
        for tier in dict.fromkeys(item.tier for item in self.checklist):
            lines = []
            for item in self.checklist:
                if item.tier == tier:
                    box = "[ ]" if item.status == "missing" else "[x]"
                    word = "" if item.status == "reported" else f"**{item.status}**: "
                    lines.append(f"- {box} {plain_markdown(item.name)}: {word}{plain_markdown(item.text)}")
            blocks += [f"### {tier.capitalize()}", "\n".join(lines)]
        again = "\n".join(f"- {name}: {plain_markdown(value)}" for name, value in self.reproduction.items())
        return "\n\n".join([*blocks, "## To do it again", again]) + "\n"


@read_first
def writeup(
    result: Judgments | Decomposition | Analysis | AllEqual | ScoreVerdict | Leaderboard | Labels,
    *,
    record: Mapping[str, Any] | str | Path | Record | None = None,
    source: Judgments | None = None,
    command: str | None = None,
    seed: int | None = None,
) -> Writeup:
    """A paragraph for a methods section, the reporting checklist, and what is needed to do it again.

    The paragraph states the data, the model, the corrected interval beside the naive one and whom it speaks for, where
    the uncertainty comes from, and what design to use next; of two systems and more, which is better and how that was
    found. What the data do not determine is said, never filled in.

    Parameters
    ----------
    result : Judgments, Decomposition, Analysis, AllEqual, ScoreVerdict, Leaderboard or Labels
        What to write about; judgments by the answer that `quorate.analyze` gives. Of labels, and of scores that are
        all equal, there is no checklist.
    record : mapping or path, optional
        The study record: what the judgments cannot say, such as ``{"models": {"gpt": "gpt-5.4, OpenAI"}}``, or a YAML
        file that holds it. Keys are listed in ``quorate.reporting.paper.record.KEYS``.
    source : Judgments, optional
        What a verdict, a board, or a bound of scores that are all equal came from.
    command, seed : str and int, optional
        Command line and seed that led here.

    Returns
    -------
    Writeup

    Raises
    ------
    InvalidInput
        If the record has unknown keys or values of the wrong kind, or is given for labels.
    NotEstimable
        If the judgments support no interval for the mean.

    References
    ----------
    Messing (2026), Hidden Measurement Error in LLM Pipelines, Table 15, on what a report should state.

    Examples
    --------
    >>> import polars
    >>> import quorate as q
    >>> from quorate.simulate.demo import demo_table
    >>> found = q.writeup(q.decompose(q.read(polars.DataFrame(demo_table()), announce=False)), record={"seed": 7})
    >>> str(found).partition(";")[0]
    'The unbalanced study has 1,773 judgments of 60 items, 5 prompts, 3 judges and 12 categories'
    >>> [item.name for item in found.missing][:2]
    ['exact prompt texts', 'judges: model, version, provider, date']
    """
    from quorate.decide.scores import ScoreVerdict
    from quorate.estimate.nominal import Labels

    written, origin = study_record(record), Provenance(command, seed)
    table = result if isinstance(result, Judgments) else source
    found = answered(result)
    if isinstance(found, Analysis):
        again = origin.entries(source_of_analysis(found), options_of(found), recorded(written))
        return Writeup(methods_paragraph(found), checklist(found, written), again)
    if record is not None and isinstance(found, Labels | AllEqual):
        raise InvalidInput("record: this write-up has no checklist to fill; leave it out")
    if isinstance(found, Labels):
        from quorate.reporting.pages import nominal

        return Writeup(
            nominal.methods(found), (), origin.entries(read_from(found.judgments), f"level {found.level:g}", {})
        )
    if table is None:
        raise InvalidInput("source: the judgments that the result is of are needed")
    if isinstance(found, AllEqual):
        again = origin.entries(read_from(table), f"level {found.level:g}", {})
        bound = f"The bound is Clopper and Pearson's, with items as the unit (Quorate {version('quorate')})."
        return Writeup(f"{found.sentence} {bound}", (), again)
    from quorate.reporting.pages import verdict
    from quorate.reporting.pages.ratings import page as board

    page = verdict.page(found, table) if isinstance(found, ScoreVerdict) else board.page(found, table)
    mean_of_all = analyze_judgments(table, targets={SYSTEM: PANEL})
    stated = tuple(one for one in checklist(mean_of_all, written) if one.name != PROJECTED)
    return Writeup(
        f"{data(mean_of_all)} {page.sentence} {page.methods}", stated, replace(page, origin=origin).provenance
    )


def answered(result: object) -> Analysis | AllEqual | Labels | ScoreVerdict | Leaderboard:
    """What is written about: of judgments the answer to what they ask, of a fit its mean.

    Raises
    ------
    InvalidInput
        If it is anything else.
    """
    from quorate.analysis.analyze import analyze
    from quorate.decide.scores import ScoreVerdict
    from quorate.estimate.nominal import Labels
    from quorate.estimate.ratings.leaderboard import Leaderboard

    if isinstance(result, Judgments):
        return analyze(result)
    if isinstance(result, Analysis | AllEqual | Labels | ScoreVerdict | Leaderboard):
        return result
    if isinstance(result, Decomposition):
        return of_fit(result)
    raise InvalidInput(f"result: judgments, or what analyze gives of scores, is needed, got {type(result).__name__}")


def methods_paragraph(analysis: Analysis) -> str:
    """What was done and what came out, in the words of a methods section."""
    made = (data, model, _not_apart, mean, naive, _largest_source, _next_design, domain, scale)
    return " ".join(sentence for sentence in (one(analysis) for one in made) if sentence)


def data(analysis: Analysis) -> str:
    """How many judgments of what, and how many are missing."""
    facts = analysis.support.facts
    levels = listed([counted(facet.levels, shown(facet.name)) for facet in facts.facets])
    absent = analysis.fit.assembled.missing
    gaps = f"; {absent:,} of {facts.answers + absent:,} rows had no usable score and were taken as missing at random"
    layout = "balanced" if facts.balance.balanced else "unbalanced"
    return f"The {layout} study has {counted(facts.answers, 'judgment')} of {levels}{gaps if absent else ''}."


def model(analysis: Analysis) -> str:
    """The model, and how its components were estimated."""
    fitted = analysis.fit.assembled.model
    terms = [shown(" × ".join(term)) for term in fitted.random]
    if analysis.fit.assembled.replicated:
        terms += [shown(only_facet(analysis.judgments) or CELL)] * fitted.cell + ["replicate"]
    else:
        terms += ["the noise of one judgment"] * fitted.cell
    fixed = [shown(name) for name in (*fitted.fixed, *fitted.covariates)]
    held = f"; its fixed effects are {listed(fixed)}" if fixed else ""
    method = _METHODS[analysis.fit.method]
    return (
        f"Variance components were estimated by {method} from a linear mixed model (Quorate {version('quorate')}). "
        f"Its random effects are {listed(terms)}{held}."
    )


def _not_apart(analysis: Analysis) -> str:
    """What the design cannot tell."""
    sums = [" + ".join(sorted(map(shown, names))) for names in analysis.fit.aliases if names != {CELL, REPLICATE}]
    said = [f"only the sum of {one} can be estimated from this design" for one in sums]
    if analysis.fit.absorbed:
        said.append(f"{listed(map(shown, analysis.fit.absorbed))} cannot be estimated at all")
    text = "; ".join(said)
    return f"{capitalised(text)}." if text else ""


def mean(analysis: Analysis) -> str:
    """The mean with its intervals, and whom they speak for."""
    head, reading = analysis.setup, analysis.readings[0]
    places = decimals(reading.half_width / 2)
    form = ", in Wilson's form on a scale that ends" if head.basis.ends is not None else ""
    law = f"Student's t with {head.df:.1f} degrees of freedom over items{form}"
    if head.reach is None:
        law = f"Satterthwaite's t with {head.df:.1f} degrees of freedom"
    told = [f"{span(one, places)} {shown(one.scope, 200)}".rstrip() for one in analysis.readings]
    why = f" {capitalised(shown(analysis.others_reason, 200))}." if analysis.others_reason else ""
    return (
        f"The mean is {number(head.value, places)} (standard error {number(head.se, places)}; {law}). "
        f"Its {at_level(analysis.level)} interval is {', '.join(told)}.{why}"
    )


def naive(analysis: Analysis) -> str:
    """The interval that takes all judgments as independent."""
    reading, independent = analysis.readings[0], analysis.independent
    if not independent.half_width > 0:
        return ""
    ratio = reading.half_width / independent.half_width
    beside = f", {times(ratio)} times too narrow" if 1.05 <= ratio < float("inf") else ""
    places = decimals(reading.half_width / 2)
    return f"Taking all judgments as independent would have given {span(independent, places)}{beside}."


def _largest_source(analysis: Analysis) -> str:
    """Where most of the uncertainty comes from."""
    if not analysis.sources:
        return ""
    first = analysis.sources[0]
    whom = analysis.readings[-1].scope
    said = f"The largest share of its variance{f' {whom}' if whom else ''}, {whole_percent(first.share)}, comes from"
    only = only_facet(analysis.judgments)
    return f"{said} {shown(called(first.component, only) if only else first.component)}."


def _next_design(analysis: Analysis) -> str:
    """The one thing to add to the design."""
    if not analysis.what_if:
        return "These data do not determine what another design would give."
    plan = analysis.purchases[0].projection if analysis.purchases else None
    if plan is None:
        return "No design projected would narrow the interval by more than half a percent."
    return (
        f'Of the changes projected, "{shown(analysis.purchases[0].label)}" gains most per judgment: half of such '
        f"studies find ±{significant(plan.half_width, 2)} or less, with {counted(plan.calls, 'judgment')}."
    )


def domain(analysis: Analysis) -> str:
    """What intervals and components are of, and that they are not those of other items."""
    what = plural(shown(analysis.judgments.object))
    return (
        f"Intervals hold for {what} like these, and say nothing of what these leave out of the domain that is meant. "
        f"Components, and designs projected from them, are those of such {what}; in another domain they can be larger "
        "or smaller, which a pilot there would show."
    )


def scale(analysis: Analysis) -> str:
    """That scores are taken as numbers, where they end or are marks, and whether log odds order the shares alike."""
    if (ends := score_ends(analysis.judgments)) is None:
        return ""
    low, high = ends
    binary = analysis.support.facts.scores.binary
    what = "Scores of 0 and 1 were" if binary and ends == (0, 1) else f"Scores from {low:g} to {high:g} were"
    if (latent := analysis.latent) is not None:
        return (
            f"{what} taken as numbers; on the scale of log odds ({latent.link} mixed model) Spearman's correlation of "
            f"the shares of variance with these is {latent.rank_correlation:.2f}."
        )
    return (
        f"{what} taken as numbers: shares of variance are those of this scale, and near its ends or on the scale of "
        "log odds the components can come in another order."
    )
