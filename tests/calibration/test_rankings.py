"""Coverage of ratings by whole rankings: the model true, with ties, with prompts that favour systems; and by pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from tables import votes_table

import quorate as q

RATING = np.array([0.9, 0.6, 0.2, -0.1, -0.6, -1.0])
MEMBERS, RANKINGS, PROMPTS, STUDIES = 5, 200, 40, 150
TIED = np.log([1.0, 0.6])
"""Log weights of one system, and of two that share a place."""


def places(rng, worth, tied):
    """Places of the systems of a ranking: groups chosen one after the other."""
    there, place, out = rng.permutation(len(worth))[:MEMBERS].tolist(), 1, {}
    worth, tied = worth.tolist(), tied.tolist()
    while there:
        sizes = range(1, min(len(tied), len(there)) + 1)
        groups = [group for k in sizes for group in combinations(there, k)]
        weight = [sum(worth[one] for one in group) / len(group) + tied[len(group) - 1] for group in groups]
        chosen = groups[(weight + rng.gumbel(size=len(groups))).argmax()]
        out |= dict.fromkeys(chosen, place)
        there, place = [one for one in there if one not in chosen], place + 1
    return out


def study(rng, tied, favours=0.0, prompts=PROMPTS, rankings=RANKINGS):
    """Rankings of five systems on prompts that favour some."""
    lean = favours * rng.standard_normal((prompts, len(RATING)))
    rows = []
    for r in range(rankings):
        prompt = int(rng.integers(prompts))
        found = places(rng, RATING + lean[prompt], tied)
        rows += [(r, prompt, f"s{i}", place) for i, place in found.items()]
    return votes_table(rows, "ranking prompt system rank", rank="rank")


def covered(board, truth=RATING):
    low, high = board.intervals[[board.systems.index(f"s{i}") for i in range(len(truth))]].T
    return (low <= truth) & (truth <= high)


def share(found):
    return 100 * float(np.mean(found))


def test_the_model_and_pairs_of_broken_up_rankings():
    rng, whole, pairs, alone = np.random.default_rng(1), [], [], []
    for _ in range(STUDIES):
        votes = study(rng, TIED[:1])
        whole.append(covered(q.rank(votes, rankings="cluster", cluster="cluster")))
        pairs.append(covered(q.rank(votes, cluster="cluster")))
        alone.append(covered(q.rank(votes, cluster=())))
    print(f"whole {share(whole):.1f}, pairs by ranking {share(pairs):.1f}, pairs alone {share(alone):.1f}")
    assert 92 <= share(whole) <= 98
    assert 92 <= share(pairs) <= 98
    assert share(alone) < 92


def test_ties():
    rng = np.random.default_rng(2)
    studies = (study(rng, TIED) for _ in range(STUDIES))
    found = [covered(q.rank(votes, rankings="cluster", cluster="cluster")) for votes in studies]
    print(f"ties {share(found):.1f}")
    assert 92 <= share(found) <= 98


def test_prompts_that_favour_systems():
    """The truth is of many prompts: what the ratings of ever more rankings tend to."""
    rng, found, single = np.random.default_rng(3), [], []
    many = q.rank(study(rng, TIED[:1], 0.6, 30_000, 30_000), rankings="cluster", cluster=())
    truth = np.array([many.rating[many.systems.index(f"s{i}")] for i in range(len(RATING))])
    for _ in range(STUDIES):
        votes = study(rng, TIED[:1], 0.6)
        found.append(covered(q.rank(votes, rankings="cluster", cluster="prompt"), truth))
        single.append(covered(q.rank(votes, rankings="cluster", cluster="cluster"), truth))
    print(f"prompts {share(found):.1f}, by ranking alone {share(single):.1f}")
    assert 92 <= share(found) <= 98
    assert share(single) < 92
