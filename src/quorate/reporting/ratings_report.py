"""What the report of a leaderboard says besides its figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from quorate.analysis.labels import shown
from quorate.analysis.words import share
from quorate.estimate.ratings.ratings import Ratings
from quorate.reporting.ratings_section import ratings_facts, ratings_sections
from quorate.reporting.result_page import ResultPage, provenance_of, title_of
from quorate.wording import counted, listed

if TYPE_CHECKING:
    from quorate.analysis.ratings import RatingsView
    from quorate.estimate.ratings.leaderboard import Leaderboard
    from quorate.reporting.reproduce import Provenance

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


def ratings_page(view: RatingsView, origin: Provenance) -> ResultPage:
    """The report of a leaderboard.

    Parameters
    ----------
    view : RatingsView
    origin : Provenance
        Command line, seed and note.
    """
    said = {
        "title": title_of(view.table, "Leaderboard from votes" if view.of_votes else "Leaderboard from scores"),
        "note": origin.note and shown(origin.note, 1000),
        "sentence": shown(view.found.sentence, 1000),
        "tiles": _tiles(view),
        "caveats": [shown(one.sentence, 1000) for one in view.caveats],
        "methods": methods(view),
        "prompts": [],
        "provenance": provenance_of(view.table, origin, view.found.seed, _options(view)),
    }
    return ResultPage(ratings_sections(view), ratings_facts(view), said, view.to_dict())


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


def _tiles(view: RatingsView) -> list[dict[str, str]]:
    """The few numbers at the top: each with what it is."""
    found = view.found
    chance = share(next(iter(found.best.values())))
    top = shown(view.names[0], 40)
    return [
        {"value": chance, "label": f"probability that {top} is the best of these"},
        {
            "value": f"{len(found.groups)}",
            "label": f"rank {'group' if len(found.groups) == 1 else 'groups'} of {counted(len(found), 'system')}",
        },
        {"value": f"{view.told_apart:,}", "label": f"of {counted(view.pairs, 'pair')} told apart"},
    ]


def _options(view: RatingsView) -> str:
    found, said = view.found, [f"level {view.level:g}"]
    if isinstance(found, Ratings):
        said += [f"ties {found.ties}", f"method {found.method}", f"regularisation {found.regularisation:g}"]
        said += [f"cluster {found.cluster}"] if found.cluster else []
    else:
        said.append(f"targets {listed(f'{name} {one}' for name, one in _targets(found).items())}")
    return ", ".join(said)
