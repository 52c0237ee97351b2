"""What the report on a verdict says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import significant
from quorate.decide.scores.verdict import ScoreVerdict
from quorate.decide.votes.verdict import Verdict
from quorate.reporting import votes_pair_section
from quorate.reporting.page import Page, Tile, source_of, title_of
from quorate.reporting.verdict_captions import SHORT, headline
from quorate.reporting.verdict_section import verdict_facts, verdict_sections
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.decide.outcome import AnyVerdict
    from quorate.reporting.page import Table


def page(verdict: AnyVerdict, table: Table | None = None) -> Page:
    """The page on a verdict.

    Parameters
    ----------
    verdict : Verdict or ScoreVerdict
    table : Votes or Judgments, optional
        What was compared.
    """
    return Page(
        title=title_of(table, f"{shown(verdict.a, SHORT)} against {shown(verdict.b, SHORT)}"),
        sentence=headline(verdict),
        sections=verdict_sections(verdict),
        facts=verdict_facts(verdict),
        methods=methods(verdict),
        content=verdict.to_dict(),
        caveats=tuple(one.sentence for one in verdict.caveats),
        tiles=_tiles(verdict),
        source=source_of(table),
        options=_options(verdict),
    )


def methods(verdict: AnyVerdict) -> str:
    """The paragraph for a methods section."""
    level, alpha = f"{100 * verdict.level:.4g}%", f"{1 - verdict.level:.4g}"
    equal = (
        "No margin of equivalence was stated."
        if verdict.margin is None
        else f"Equivalence is a difference below {verdict.margin:.4g} either way, by two one-sided tests "
        "(Schuirmann, 1987)."
    )
    return (
        f"{shown(verdict.a)} was compared with {shown(verdict.b)} {_how(verdict)}, with a {level} interval. Tests have "
        f"level {alpha}; the verdict is for one look at data whose amount was set beforehand. {equal}"
    )


def _how(verdict: AnyVerdict) -> str:
    if isinstance(verdict, Verdict):
        one = verdict.difference
        tests = (
            f"standard errors clustered by {shown(one.cluster)}" if one.cluster else "exact tests" if one.exact else "t"
        )
        return f"by {counted(one.n, 'vote')} ({votes_pair_section.TIES[one.ties]}; {tests})"
    if isinstance(verdict, ScoreVerdict):
        found = verdict.difference
        pairing = "paired in shared cells" if found.method == "paired" else "by one model for the scores of both"
        what = "pair of scores" if found.method == "paired" else "score"
        count = f"{found.n:,} pairs of scores" if found.method == "paired" else counted(found.n, what)
        return (
            f"by {count} on {counted(found.items, 'item')}, {pairing}, with the variance components of the difference "
            f"(REML) and Satterthwaite's degrees of freedom ({found.df:.1f})"
        )
    return "by their difference"


def _tiles(verdict: AnyVerdict) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    if isinstance(verdict, Verdict):
        return tuple(votes_pair_section.summary(verdict))
    found = verdict.difference
    low, high = (significant(end) for end in found.interval(verdict.level))
    against = f"{shown(verdict.a, SHORT)}, against {shown(verdict.b, SHORT)}"
    seen = "none" if verdict.detectable is None else significant(verdict.detectable)
    interval = f"{100 * verdict.level:.4g}% interval {low} to {high}"
    return (
        Tile(verdict.outcome.value, against),
        Tile(f"{found.value:+.3g}", f"difference of the means ({interval})"),
        Tile(seen, f"smallest difference that such a study detects (power {verdict.power:g})"),
    )


def _options(verdict: AnyVerdict) -> str:
    said = [f"level {verdict.level:g}", f"power {verdict.power:g}"]
    said += [] if verdict.margin is None else [f"margin {verdict.margin:g}"]
    said += [] if verdict.claim is None else [f"claim {verdict.claim}"]
    if isinstance(verdict, Verdict):
        said += [f"ties {verdict.difference.ties}"]
        said += [f"cluster {verdict.difference.cluster}"] if verdict.difference.cluster else []
    return ", ".join(said)
