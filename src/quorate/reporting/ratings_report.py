"""What the report of a leaderboard says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.ratings import RatingsView
from quorate.analysis.words import share
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.page import Page, Tile, source_of, title_of
from quorate.reporting.ratings_section import ratings_facts, ratings_sections
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsView
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.reporting.page import Table

_TIES = {
    "davidson": "ties as outcomes of their own (Davidson, 1970)",
    "half": "ties as half a win for each",
    "drop": "ties left out",
}
_LAWS = {
    "model": "Intervals take the model for true",
    "sandwich": "Intervals are sandwich intervals and take votes as independent",
    "bootstrap": "Intervals are percentiles of refits of resampled votes",
}


def page(result: Ratings | Leaderboard | RatingsView, table: Table | None = None) -> Page:
    """The page of a leaderboard.

    Parameters
    ----------
    result : Ratings, Leaderboard or RatingsView
    table : Votes or Judgments, optional
        What was ranked.
    """
    view = result if isinstance(result, RatingsView) else RatingsView(result, table)
    return Page(
        title=title_of(view.table, "Leaderboard from votes" if view.of_votes else "Leaderboard from scores"),
        sentence=view.found.sentence,
        sections=ratings_sections(view),
        facts=ratings_facts(view),
        methods=methods(view),
        content=view.to_dict(),
        caveats=tuple(one.sentence for one in view.caveats),
        tiles=_tiles(view),
        source=source_of(view.table),
        options=_options(view),
        seed=view.found.seed,
    )


def methods(view: RatingsView) -> str:
    """The paragraph for a methods section."""
    found = view.found
    how = _of_votes(found) if isinstance(found, Ratings) else _of_scores(found)
    return (
        f"{how} Ranks hold for all {len(found)} systems at once with {100 * view.level:.4g}% confidence, by the "
        "largest studentised difference (Mogstad, Romano, Shaikh and Wilhelm, 2024); rank groups are cut where every "
        "system above is surely better than every one below."
    )


def _of_votes(found: Ratings) -> str:
    ridge = f", with a ridge of {found.regularisation:g}" if found.regularisation else ""
    law = _LAWS.get(found.method, "")
    if found.method == "cluster":
        law = f"Intervals are cluster-robust by {shown(str(found.cluster))} ({found.clusters:,} clusters)"
    first = " with an effect of being shown first," if found.positioned else ""
    return (
        f"{len(found)} systems were rated by {counted(found.n, 'vote')} with the model of Bradley and Terry (1952),"
        f"{first} {_TIES[found.ties]}, by maximum likelihood{ridge}. {law}."
    )


def _of_scores(found: Leaderboard) -> str:
    judgments = found.joint.fit.judgments
    targets = {"population": "levels like these", "panel": "these levels only", "finite": "these levels only"}
    scope = [f"{shown(name)}: {targets.get(one, one)}" for name, one in _targets(found).items()]
    scores = f"{shown(judgments.score)} over {counted(judgments.n_answers, 'score')}"
    return (
        f"{len(found)} systems were ranked by mean {scores} with one mixed model for all (REML), in which items, "
        f"judges and prompts may favour systems ({'; '.join(scope)}). Means and intervals are those of the model, by "
        "Satterthwaite's degrees of freedom."
    )


def _targets(found: Leaderboard) -> dict[str, str]:
    """What facets other than the one that is ranked stand for."""
    return {name: str(one) for name, one in found.means[0].target.items() if name != found.joint.facet}


def _tiles(view: RatingsView) -> tuple[Tile, ...]:
    """The few numbers at the top: each with what it is."""
    found = view.found
    chance = share(next(iter(found.best.values())))
    top = shown(view.names[0], 40)
    groups = f"rank {'group' if len(found.groups) == 1 else 'groups'} of {counted(len(found), 'system')}"
    return (
        Tile(chance, f"probability that {top} is the best of these"),
        Tile(f"{len(found.groups)}", groups),
        Tile(f"{view.told_apart:,}", f"of {counted(view.pairs, 'pair')} told apart"),
    )


def _options(view: RatingsView) -> str:
    found, said = view.found, [f"level {view.level:g}"]
    if isinstance(found, Ratings):
        said += [f"ties {found.ties}", f"method {found.method}", f"regularisation {found.regularisation:g}"]
        said += [f"cluster {found.cluster}"] if found.cluster else []
    else:
        said.append(f"targets {listed(f'{name} {one}' for name, one in _targets(found).items())}")
    return ", ".join(said)
