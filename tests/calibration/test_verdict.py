"""Verdicts against simulated studies and real votes: how often each is wrong, clustered or not, at one look or many."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from scipy.special import expit, ndtri

from quorate.decide.compare import compare
from quorate.decide.next_step import ClusteredVotes
from quorate.decide.outcome import Outcome
from quorate.decide.stop import stopping_rule
from quorate.decide.votes import verdict_of_votes
from quorate.estimate.votes.margin import margin_of_share
from quorate.numerics.sequential import confidence_sequence
from quorate.numerics.votes import binomial, clustered
from quorate.simulate.verdicts import replay_verdicts
from quorate.table.read_votes import read_votes


@pytest.mark.parametrize("most", [100, 1000, 10_000])
def test_false_alarms_of_looking_after_every_vote(most):
    rule = stopping_rule(0.0, most)
    print(f"up to {most} votes: false alarms {rule.found:.4f}; ordinary test at every vote {rule.peeking:.3f}")
    assert rule.found <= 0.05
    assert rule.peeking > 0.2


@pytest.mark.parametrize("margin", [0.03, 0.06, 0.1, 0.19, 0.321])
def test_votes_until_the_sequence_stops(margin):
    rule = stopping_rule(margin, 10_000)
    fixed = float(binomial.power(rule.fixed, 0.5 + margin, 0.05))
    n = np.arange(1, rule.fixed + 1)
    within = confidence_sequence.stopping(
        confidence_sequence.boundary(n, 0.05, confidence_sequence.prior(0.1)), 0.5 + margin
    )
    print(
        f"margin {margin}: expects {rule.expected:.0f} votes, wrong {rule.wrong:.5f}; one look takes {rule.fixed} "
        f"(power {fixed:.3f}), by which the sequence has stopped with a chance of {within.high[-1]:.3f}"
    )
    assert (rule.expected < rule.fixed) == (margin < 0.3)  # tuned to 0.1: no gain where a few votes show it all
    assert rule.wrong < 0.025


@pytest.mark.parametrize("p", [0.5, 0.56, 0.9])
@pytest.mark.parametrize("ties", [0.0, 0.3])
def test_the_confidence_sequence_covers_at_every_look_at_once(p, ties):
    rng = np.random.default_rng(3)
    studies, most = 4000, 1000
    outcome = np.where(rng.random((studies, most)) < ties, 0.5, rng.random((studies, most)) < p)
    mean = (1 - ties) * p + ties / 2
    evidence = confidence_sequence.share_log_evidence(
        np.cumsum(outcome, axis=1), np.arange(1, most + 1), mean, confidence_sequence.prior(0.1)
    )
    missed = float(np.mean(evidence.max(axis=1) >= np.log(20)))
    print(f"share {p}, ties {ties}: the sequence ever misses the mean in {missed:.4f} of studies")
    assert missed <= 0.05 + 0.003


@pytest.mark.parametrize(
    ("sizes", "icc", "most"),
    [
        ([1.0] * 100, 0.0, 0.05),
        ([3.0] * 30, 0.3, 0.06),
        ([10.0] * 10, 0.3, 0.065),
        ([20.0] * 6, 0.3, 0.065),
        ([20.0] * 5, 0.3, 0.05),
        ([1.0] * 30 + [30.0] * 6, 0.3, 0.065),
        ([1.0] * 30 + [30.0] * 3, 0.3, 0.065),
        ([100.0] + [36.0] * 11, 0.1, 0.065),
        ([200.0] + [18.0] * 11, 0.05, 0.065),
        ([280.0] + [11.0] * 11, 0.05, 0.065),
        ([5.0, 10.0, 40.0, 80.0, 160.0], 0.1, 0.05),
        ([5.0, 10.0, 40.0, 80.0, 160.0] * 3, 0.1, 0.07),
    ],
)
def test_size_of_verdicts_by_clusters(sizes, icc, most):
    rng = np.random.default_rng(4)
    n, studies = np.array(sizes), 4000
    drawn = {p: _wins(n, p, icc, studies, rng) for p in (0.5, 0.6)}
    found = {p: _margins(wins, np.broadcast_to(n, wins.shape)) for p, wins in drawn.items()}
    false = float(np.mean([one.p_difference() <= 0.05 for one in found[0.5]]))
    missed = float(np.mean([not one.ends[0] <= 0.1 <= one.ends[1] for one in found[0.6]]))
    equal = float(np.mean([one.p_equivalence(0.1) <= 0.05 for one in found[0.6]]))
    naive = float(np.mean(binomial.p_value(drawn[0.5].sum(axis=1), n.sum()) <= 0.05))
    shape = f"{len(n)} clusters of {n.min():.0f} to {n.max():.0f}, worth {found[0.5][0].effective:.1f}, icc {icc}"
    print(
        f"{shape}: false difference {false:.4f} (naive {naive:.4f}), false equivalence at the margin {equal:.4f}, "
        f"interval misses {missed:.4f}"
    )
    assert max(false, equal, missed) <= most + 0.01  # 2.5 Monte Carlo errors of 4,000; naive tests are at .1 and more


def _margins(wins, sizes):
    """Margins of studies of as many clusters."""
    every = clustered.shares(wins, sizes)
    return [margin_of_share(every.one(at), "a", "b", cluster="prompt") for at in range(len(wins))]


def _wins(n, p, icc, studies, rng):
    """Wins of clusters whose shares are drawn from a beta law."""
    scale = 1 / icc - 1 if icc else None
    share = rng.beta(p * scale, (1 - p) * scale, (studies, len(n))) if scale else np.full((studies, len(n)), p)
    return rng.binomial(n.astype(int), share).astype(float)


@pytest.mark.parametrize(
    ("sizes", "icc", "d", "margin"),
    [
        ([3.0] * 200, 0.3, 0.3, None),
        ([10.0] * 200, 0.3, 0.3, None),
        ([10.0] * 200, 0.1, 0.2, None),
        ([10.0] * 200, 0.3, 0.4, None),
        ([30.0] * 200, 0.1, 0.15, None),
        ([5.0] * 200, 0.6, 0.4, None),
        ([1.0, 1.0, 1.0, 2.0, 10.0] * 40, 0.3, 0.3, None),
        ([1.0, 4.0, 30.0] * 60, 0.1, 0.3, None),
        ([3.0] * 200, 0.3, 0.0, 0.3),
        ([10.0] * 200, 0.3, 0.05, 0.3),
        ([1.0, 4.0, 30.0] * 60, 0.1, 0.0, 0.3),
    ],
)
def test_the_next_step_keeps_its_promise_with_few_clusters(sizes, icc, d, margin):
    rng = np.random.default_rng(6)
    n, p = np.array(sizes), 0.5 + d
    se = np.sqrt(p * (1 - p) * np.sum(n * (1 + (n - 1) * icc))) / n.sum()
    seen = margin_of_share(clustered.share(_wins(n, p, icc, 1, rng)[0], n), "a", "b", cluster="prompt")
    step = ClusteredVotes(replace(seen, value=d, se=float(se)), n, 0.05)
    votes = step.difference(d, 0.9) if margin is None else step.equivalence(margin, d, 0.9)
    g, normal = (
        round(votes / n.mean()),
        (ndtri(0.975 if margin is None else 0.95) + ndtri(0.9 if margin is None else 0.95)),
    )
    formula = len(n) * (normal * se / (d if margin is None else margin - d)) ** 2
    drawn = [(_wins(size, p, icc, 1, rng)[0], size) for size in (rng.choice(n, g) for _ in range(2000))]
    hits = [
        found.p_difference() <= 0.05 and found.value > 0 if margin is None else found.p_equivalence(margin) <= 0.05
        for found in _margins(*map(np.array, zip(*drawn, strict=True)))
    ]
    goal = f"margin {d}" if margin is None else f"margin {d} within {margin}"
    print(
        f"clusters of {n.min():.0f} to {n.max():.0f}, icc {icc}, {goal}: {g} clusters, power {np.mean(hits):.3f}; "
        f"normal number {formula:.1f}"
    )
    assert np.mean(hits) >= 0.9 - 0.02


@pytest.mark.parametrize(
    ("judges", "prompts", "each", "gap", "told"), [(8, 60, 1, 0.8, 2.0), (20, 100, 2, 0.42, 3.0), (12, 80, 1, 0.0, 0.0)]
)
def test_all_pairs_hold_together(judges, prompts, each, gap, told):
    """Four systems, two of them better by the margin of equivalence, by judges and prompts with tastes of their own."""
    rng, families, tastes = np.random.default_rng(7), 150, 0.3
    strength = np.array([gap, gap, 0.0, 0.0])
    margin = float(expit(gap + 2 * tastes * rng.normal(size=400_000)).mean()) - 0.5 if gap else None
    names = dict(zip("abcd", strength, strict=True))
    false, decided, equal = 0, 0, 0
    for _ in range(families):
        of_judge, of_prompt = (tastes * rng.normal(size=(n, 4)) for n in (judges, prompts))
        judge, prompt = (one.ravel() for one in np.mgrid[:judges, : prompts * each])
        pair = np.argsort(rng.random((len(judge), 4)), axis=1)[:, :2]
        score = strength + of_judge[judge] + of_prompt[prompt % prompts]
        first, second = np.take_along_axis(score, pair, axis=1).T
        won = rng.random(len(judge)) < expit(first - second)
        sides = {f"model_{side}": np.array([*"abcd"])[pair[:, at]] for at, side in enumerate("ab")}
        columns = {"prompt": prompt % prompts, "judge": judge, "winner": np.where(won, "model_a", "model_b")}
        found = compare(read_votes(pl.DataFrame({**columns, **sides}), announce=False), margin=margin).pairs
        false += any(_is_false(one.outcome, names[one.a] - names[one.b], gap) for one in found)
        decided += sum(one.outcome in (Outcome.BETTER, Outcome.WORSE) for one in found)
        equal += sum(one.outcome is Outcome.EQUIVALENT for one in found)
    print(
        f"{judges} judges, {prompts} prompts, equal within {margin or 0:.3f}: false in {false / families:.3f} "
        f"of families; {decided / families:.2f} told apart and {equal / families:.2f} equivalent of 6 pairs"
    )
    assert false / families <= 0.05 + 2.5 * np.sqrt(0.05 * 0.95 / families)
    assert decided / families >= told


def _is_false(outcome, d, gap):
    """Whether that is wrong of a difference of 0, or of the gap to either side."""
    if outcome is Outcome.EQUIVALENT:
        return d != 0
    return outcome is not Outcome.UNDECIDED and (d == 0 or (d > 0) != (outcome is Outcome.BETTER))


@pytest.mark.parametrize("cluster", ["prompt", pytest.param("judge", marks=pytest.mark.slow)])
def test_verdicts_of_smaller_studies_against_all_votes(shared, cluster):
    votes = read_votes(shared / "data" / "wmt15_human_pairwise.parquet", announce=False).within("prompt_type")
    found = replay_verdicts(votes, cluster=cluster, draws=5)  # of hundreds of pairs each
    pairs, decisive = votes.pairs(), np.isfinite(votes.encoded())
    enough = (pairs.decisive >= 200)[pairs.code] & decisive
    levels = np.unique(np.column_stack([pairs.code, votes.column(cluster)])[enough], axis=0)
    per_pair = len(levels) / len(np.unique(pairs.code[enough]))
    each = votes.weights[enough].sum() / len(levels)
    print(f"{each:.2f} votes per {cluster} and pair, {per_pair:.1f} {cluster}s per pair")
    for one in found:
        print(
            f"n {one.n}, {one.method}: {one.different:.3f} better or worse, {one.equivalent:.3f} equivalent, "
            f"{one.undecided:.3f} undecided; wrong {one.wrong:.4f} ({one.wrong_direction:.4f} direction, "
            f"{one.wrong_equivalence:.4f} equivalence); false alarms without a difference {one.false_alarm:.3f} "
            f"({one.pairs} pairs, {one.tilted} tilted)"
        )
        assert one.wrong <= 0.05
        if one.method != "independent":
            assert one.false_alarm <= 0.06
    if cluster == "prompt":
        assert all(one.false_alarm > 0.07 for one in found if one.method == "independent")


@pytest.mark.parametrize("leaning", [(0.0, 0.0, 0.0), (-0.8, 0.0, 0.8)])
@pytest.mark.parametrize(("shift", "decided"), [(0.0, 0.0), (0.6, 0.5)])
def test_three_judges_of_each_prompt_decide_for_themselves(leaning, shift, decided):
    """Fewer than six are those there are; tolerance: three standard errors of 300 studies."""
    rng, prompts, studies = np.random.default_rng(5), 40, 300
    chance = expit(shift + rng.normal(size=(400_000, 1)) + np.array(leaning))
    lead, covered, told, width = chance.mean() - 0.5, 0, 0, 0.0
    columns = {"prompt": [f"p{n}" for n in range(prompts) for _ in leaning], "judge": [*"abc"] * prompts}
    for _ in range(studies):
        won = rng.random((prompts, 3)) < expit(shift + rng.normal(size=(prompts, 1)) + np.array(leaning))
        frame = pl.DataFrame({**columns, "winner": np.where(won.ravel(), "x", "y")})
        votes = read_votes(frame.with_columns(model_a=pl.lit("x"), model_b=pl.lit("y")), announce=False)
        found = verdict_of_votes(votes, "x", "y")
        low, high = found.difference.at(0.95).ends
        covered, told, width = covered + (low <= lead <= high), told + (found.p_difference < 0.05), width + high - low
    print(
        f"judges {leaning}, lead {lead:.3f}: covered {covered / studies:.3f}, told {told / studies:.3f}, width "
        f"{width / studies:.3f}"
    )
    error = 3 * np.sqrt(0.05 * 0.95 / studies)
    assert covered / studies >= 0.95 - error
    assert told / studies >= decided
    assert shift or told / studies <= 0.05 + error
