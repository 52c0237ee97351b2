"""What the report of votes says besides its figures, for all pairs and for two systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.pair import PairView
from quorate.analysis.votes import VotesView, votes_view
from quorate.analysis.words import share
from quorate.reporting import votes_captions, votes_tables
from quorate.reporting.page import Figure, Page, Section, Tile
from quorate.reporting.paper.reproduce import read_from, titled
from quorate.reporting.verdict_captions import headline
from quorate.reporting.votes_pair_section import TIES, pair_sections, summary
from quorate.reporting.votes_section import votes_facts, votes_sections
from quorate.table.votes import Votes
from quorate.wording import counted

if TYPE_CHECKING:
    from quorate.analysis.votes import VotesView
    from quorate.decide.votes.verdict import Verdict


def sections_of(view: VotesView | PairView) -> tuple[Section, ...]:
    """All sections but the last, the methods' own."""
    return pair_sections(view) if isinstance(view, PairView) else votes_sections(view)


def facts_of(view: VotesView | PairView) -> Figure:
    """What was read, for the section on methods."""
    if not isinstance(view, PairView):
        return votes_facts(view)
    if view.every is not None:
        return votes_facts(view.every)
    return Figure("votes", votes_captions.facts(view.votes), votes_tables.read(view.support))


def page(result: Votes | VotesView | PairView, _table: Votes | None = None) -> Page:
    """The page on votes: all pairs, or two systems.

    Parameters
    ----------
    result : Votes, VotesView or PairView
        Votes are analysed with default options.
    """
    view = votes_view(result) if isinstance(result, Votes) else result
    return Page(
        title=titled(view.votes.source, "Votes from a"),
        sentence=headline(view.verdict) if isinstance(view, PairView) else view.sentence,
        sections=sections_of(view),
        facts=facts_of(view),
        methods=_methods(view),
        content=view.to_dict(),
        caveats=tuple(one.sentence for one in view.caveats),
        tiles=tuple(summary(view.verdict) if isinstance(view, PairView) else _tiles(view)),
        source=read_from(view.votes),
        options="; ".join(_options(view)),
        seed="0, the default of every bootstrap",
    )


def _tiles(view: VotesView) -> list[Tile]:
    """The few numbers at the top: each with what it is."""
    near, found = view.near, view.found
    return [
        Tile(f"{len(found):,}", f"pairs with {found.margins.minimum:,} decisive votes or more"),
        Tile(share(near.corrected), f"near ties (margin of {near.tau:g} or less), without noise"),
        Tile(share(found.within_reach[-1]), f"pairs within reach of {found.budgets[-1]:,} votes each"),
    ]


def _methods(view: VotesView | PairView) -> str:
    """The paragraph for a methods section."""
    if not isinstance(view, PairView):
        return _of_pairs(view)
    every = "" if view.every is None else f" For comparison, all pairs: {_of_pairs(view.every)}"
    return f"{_of_verdict(view.verdict)}{every}"


def _of_verdict(verdict: Verdict) -> str:
    found, level = verdict.difference, f"{verdict.level * 100:g}%"
    how = (
        f"a {level} interval of Student's t with standard errors clustered by {shown(found.cluster)} (Liang and "
        f"Zeger, 1986), {found.clusters:,} clusters"
        if found.cluster
        else f"an exact {level} interval (Clopper and Pearson, 1934) and an exact two-sided binomial test"
        if found.exact
        else f"a {level} interval of Student's t and an exact sign test of the votes that are not ties"
    )
    equal = (
        "No margin of equivalence was stated."
        if verdict.margin is None
        else f"Equivalence is shares from {0.5 - verdict.margin:.4g} to {0.5 + verdict.margin:.4g}, by two one-sided "
        "tests (Schuirmann, 1987)."
    )
    return (
        f"{shown(verdict.a)} was compared with {shown(verdict.b)} by {counted(found.n, 'vote')}, with {how}; "
        f"{TIES[found.ties]}. Tests have level {1 - verdict.level:.4g}; the verdict is for one look at votes whose "
        f"number was set beforehand. {equal}"
    )


def _of_pairs(view: VotesView) -> str:
    found, margins = view.found, view.found.margins
    clustered = ", ".join(shown(one.by) for one in view.dependence)
    robust = f" Clustered standard errors (Liang and Zeger, 1986) are by {clustered}." if clustered else ""
    pairs = f"{len(margins):,} {'pair' if len(margins) == 1 else 'pairs'}"
    return (
        f"Margins are the share of decisive votes for the better model less .5, for {pairs} with "
        f"{margins.minimum:,} decisive votes or more; ties were left out. The share of pairs that a number of votes "
        f"decides is the mean power of the exact two-sided binomial test with level {margins.alpha:g} at the estimated "
        f"margins, with a {margins.level * 100:g}% bootstrap interval over pairs, and again under the law of margins "
        f"without the noise of the votes; power of {found.target:g} counts as enough (Lee, 2026).{robust}"
    )


def _options(view: VotesView | PairView) -> list[str]:
    if not isinstance(view, PairView):
        margins = view.found.margins
        levels = f"level {margins.level:g}, alpha {margins.alpha:g}, power {margins.power:g}"
        return [f"minimum {margins.minimum}, ties {margins.ties}, {levels}"]
    one = view.verdict
    stated = {"margin": one.margin, "cluster": one.difference.cluster, "claim": one.claim}
    said = [f"ties {one.difference.ties}, level {one.level:g}, power {one.power:g}"]
    said += [f"{name} {value if isinstance(value, str) else f'{value:g}'}" for name, value in stated.items() if value]
    return said + ([] if view.every is None else [f"all pairs: {_options(view.every)[0]}"])
