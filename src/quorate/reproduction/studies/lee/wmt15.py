"""The analyses of Lee on other votes, those of WMT 2015: people ranked translations, five at a time.

The paper has none of these figures: what is published here is what they were when they were written down.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quorate.errors import NotEstimable
from quorate.estimate.votes.clustered import cluster_robust
from quorate.estimate.votes.margins import Margins, margins
from quorate.estimate.votes.signals import one_vote_each, rate_variance
from quorate.estimate.votes.stability import stability, tie_sensitivity
from quorate.planning.power.detectability import detectability
from quorate.reproduction.data import Contents, Needed
from quorate.reproduction.study import Drawing, Outcome, Reanalysis, Value, mean
from quorate.simulate.two_stage import AllocationStudy, replay_range, replay_two_stage
from quorate.table.read_votes import read_votes
from quorate.table.votes import Votes

LOOKED = "expanded"
"""Whether a row follows from two others of its ranking, and nobody looked at its pair."""
NEAR = 0.1
"""Edge of near ties."""
STUDIES, TRIED, LEAST, FEWEST = 400, 150, 30, 4
"""Replays of a pair; pairs, those with the most votes; votes of a judge who is a type, and such judges."""


def read(path: Path) -> Votes:
    """Votes of pairs that somebody looked at; systems of several languages are told apart."""
    votes = read_votes(path, facets={LOOKED: LOOKED}, announce=False)
    return votes.only(LOOKED, "false").within("prompt_type")


FILE = Needed("wmt15_human_pairwise.parquet", "rankings of WMT 2015 as votes (github.com/mjpost/wmt15)", read)


def outcome(files: Contents, rng: np.random.Generator) -> Outcome:
    """Margins, near ties, prompts, clusters, stability and ties."""
    votes = files.of(FILE)
    found = margins(votes)
    values: dict[str, Value | float] = {"pairs": len(found)}
    near = found.near_ties(NEAR, rng=rng)
    values |= {"near ties, %": 100 * near.share, "near ties: median margin": near.median, "near ties: votes": near.n}
    for row in found.quantiles(rng=rng).rows():
        name = f"p{100 * float(row['probability']):.0f}"
        values[f"{name}: margin"], values[f"{name}: votes"] = float(row["margin"]), float(row["n"])
        values[f"{name}: lower end"], values[f"{name}: upper end"] = float(row["low"]), float(row["high"])
    for name, value in rate_variance(votes).medians.items():
        values[f"variance of win rates, {name}"] = value
    plain = detectability(votes, budgets=[50, 100], cluster=())
    for n in (50, 100):
        low, middle = plain.z(n).tolist()
        values |= {f"z at {n} votes, p10": low, f"z at {n} votes, median": middle}
    errors = cluster_robust(votes, by="prompt").summary()
    values["prompts of a pair with two votes or more, %"] = 100 * errors.repeated
    values["error by prompt over that of single votes, median"] = float(errors.ratio[1])
    change = np.abs(one_vote_each(votes).change)
    values |= {"one vote each: median change": float(np.median(change)), "one vote each: largest": float(change.max())}
    steady = stability(votes, rng=rng)
    values["first 50 votes and all: Spearman"] = steady.spearman_final
    values["first 50 votes and others: Spearman"] = steady.spearman
    values["the same, by noise alone"] = steady.expected
    ties = tie_sensitivity(votes)
    values |= {f"ties {name}: p10": own.margin[0] for name, own in ties.quantiles.items()}
    values |= {"ties, %, median": 100 * ties.tie_share, "ties, %, near ties": 100 * ties.near_share}
    values["ties and margins: correlation"] = ties.correlation
    return Outcome(values, (margins_drawing(found),))


def margins_drawing(found: Margins) -> Drawing:
    """Margins of all pairs, and the votes that each needs."""
    rows = [
        {"margin": float(margin), "votes": float(n)}
        for margin, n in zip(found.absolute, found.implied, strict=True)
        if np.isfinite(n)
    ]
    title = "Votes that pairs need, by margin, WMT 2015 (as Fig. 2)"
    return Drawing("lee.wmt15", "wmt15-margins", title, rows, "votes", "margin", mark="point", log=True)


def replay(files: Contents, rng: np.random.Generator) -> Outcome:
    """Replays by the rule of Algorithm 1, with prompts as types, and with judges, of whom rare ones are left out."""
    votes = files.of(FILE)
    pairs = votes.pairs()
    most = [pairs.names[at] for at in np.argsort(-pairs.decisive, kind="stable")[:TRIED]]
    prompts, judges = 0, []
    for a, b in most:
        pair, seed = votes.pair(a, b), int(rng.integers(2**31))
        prompts += replayed(pair, a, b, "prompt", seed) is not None
        code = pair.column("judge")[np.isfinite(pair.encoded())]
        often = np.flatnonzero(np.bincount(code) >= LEAST)
        if len(often) >= FEWEST:
            judges.append(replayed(pair.keep(np.isin(pair.column("judge"), often)), a, b, "judge", seed))
    known = [one for one in judges if one is not None]
    power = {test: np.array([one.power[test][0] for one in known]) for test in ("proportional", "two-stage")}
    gain = power["two-stage"] - power["proportional"]
    return Outcome(
        {
            "pairs that can be screened by prompt": float(prompts),
            "pairs that can be screened by judge": float(len(known)),
            "power in proportion, %": mean(power["proportional"], 100),
            "power in two stages, %": mean(power["two-stage"], 100),
            "two stages gain, points": mean(gain, 100),
            "largest gain, points": 100 * float(gain.max()),
            "two stages spend, % of the budget": mean(np.array([one.spent[0] / one.budgets[0] for one in known]), 100),
        }
    )


def replayed(pair: Votes, a: str, b: str, by: str, seed: int) -> AllocationStudy | None:
    """A replay of twice what screening takes, and of four fifths of the votes at most; None where they do not do."""
    low, high = replay_range(pair, a, b, by=by)
    budget = min(4 * high // 5, 2 * low)
    if budget < low:
        return None
    try:
        return replay_two_stage(pair, a, b, [budget], by=by, studies=STUDIES, seed=seed)
    except NotEstimable:  # a type has fewer votes than its screening takes
        return None


STUDY = Reanalysis("lee.wmt15", "Margins of translations, as Tables 1, 2, 4 to 6 and D.1 to D.6", (FILE,), outcome)
REPLAY = Reanalysis("lee.replay", "Replay in two stages, as appendix C.2, of translations", (FILE,), replay)
