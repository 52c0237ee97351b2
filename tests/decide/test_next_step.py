from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from quorate.decide.next_step import ClusteredVotes, SingleVotes, TiedVotes, detectable, next_step, t_reach
from quorate.decide.votes import verdict_of_votes
from quorate.errors import InvalidInput
from quorate.estimate.votes.margin import margin_of_counts, margin_of_share, margin_of_votes
from quorate.numerics.votes import binomial, clustered, equivalence
from quorate.planning.power.pilot import feasibility
from quorate.planning.power.sample_size import detectable_margin, equivalence_size, sample_size
from quorate.wording import margin


def step(found, **options):
    return next_step(found, **{"margin": None, "alpha": 0.05, "power": 0.9, "counting": 1.0, **options})


def test_a_difference_as_found():
    found = step(margin_of_counts(56, 100, "x", "y"), price=2.0, budget=800)
    n = sample_size(0.06, method="exact")
    assert (found.toward, found.votes, found.counted, found.cost) == ("difference", n, n, 2.0 * n)
    assert found.affordable
    assert found.at_least == sample_size(margin_of_counts(56, 100, "x", "y").ends[1], method="exact")
    assert found.budget_power == pytest.approx(float(binomial.power(800, 0.56, 0.05)))


def test_equivalence_where_it_is_cheaper():
    found = step(margin_of_counts(51, 100, "x", "y"), margin=0.1)
    assert found.toward == "equivalence"
    assert found.votes == equivalence_size(0.1, true_margin=0.01)
    assert step(margin_of_counts(61, 100, "x", "y"), margin=0.1).toward == "difference"


def test_ties_are_paid_for_too():
    found = step(margin_of_counts(56, 100, "x", "y"), counting=0.5)
    n = sample_size(0.06, method="exact")
    assert 2 * n <= found.votes <= 2 * n + 10
    assert found.counted == found.votes // 2


def test_votes_that_resemble_each_other_cost_more(between):
    prompts = [f"p{i // 4}" for i in range(224)] + [f"q{i // 4}" for i in range(176)]
    found = margin_of_votes(between(224, 176, prompt=prompts), "x", "y", cluster="prompt")
    taken = step(found)
    assert taken.votes == pytest.approx(4 * sample_size(0.06, method="normal"), rel=0.02)
    assert (taken.cluster, taken.units) == (("prompt",), (taken.votes // 4,))
    assert f"votes in {taken.units[0]:,} prompts would find" in taken.sentence


def test_votes_and_levels_are_counted_on_one_base(between):
    """Rankings give one vote each, and some of them are ties: levels are of the votes that decide."""
    rankings = [f"r{i}" for i in range(240)]
    found = margin_of_votes(between(112, 88, 40, prompt=rankings), "x", "y", cluster="prompt")
    taken = step(found, counting=200 / 240)
    assert taken.units == (taken.counted,)
    assert taken.counted < taken.votes
    said = f"{taken.votes:,} votes ({taken.counted:,} of them decisive, in {taken.units[0]:,} prompts)"
    assert taken.sentence.startswith(f"A new study of {said} would")
    alone = step(margin_of_counts(56, 100, "x", "y"), counting=0.5)
    assert f"study of {alone.votes:,} votes ({alone.counted:,} of them decisive) would" in alone.sentence


@pytest.mark.slow
def test_a_study_has_more_levels_of_every_facet(between):
    labels = {"prompt": [f"p{i % 40}" for i in range(400)], "judge": [f"j{i // 20}" for i in range(400)]}
    found = margin_of_votes(between(230, 170, **labels), "x", "y")
    taken = step(found)
    assert taken.cluster == ("prompt", "judge")
    assert taken.units == (-(-taken.votes // 10), -(-taken.votes // 20))
    said = f"{taken.units[0]:,} prompts and {taken.units[1]:,} judges"
    assert f"study of {taken.votes:,} votes in {said} would find" in taken.sentence


def test_nothing_decides_a_margin_of_zero():
    assert step(margin_of_counts(50, 100, "x", "y")) is None


@pytest.mark.slow
def test_few_clusters_are_never_promised_to_decide(between):
    """Six clusters that agree but for a few votes: fewer never show a difference, whatever the formula says."""
    prompts = [f"p{i % 5}" for i in range(100)]
    found = margin_of_votes(between(93, 7, prompt=prompts), "x", "y", cluster="prompt")
    assert step(found).units >= (6,)
    unanimous = margin_of_votes(between(100, 0, prompt=prompts), "x", "y", cluster="prompt")
    assert (step(unanimous).units, step(unanimous).votes) == ((6,), 120)


def test_toward_equivalence_the_budget_is_about_equivalence():
    made = margin_of_counts(51, 100, "x", "y")
    found = step(made, margin=0.1, budget=290)
    assert found.budget_power == equivalence.power(290, 0.5 + 0.01, 0.1, 0.05)
    assert equivalence.power(290, 0.5 + found.alike_by_budget, 0.1, 0.05) == pytest.approx(0.9)
    assert found.sentence.endswith(
        f"The budget of 290 is not enough: it would show equivalence with a chance of {found.budget_power:.2f} at that "
        f"margin, and of 0.9 at a margin of {margin(found.alike_by_budget)} or less."
    )
    small = step(made, margin=0.1, budget=100)
    assert small.alike_by_budget is None
    assert small.sentence.endswith("and of 0.9 at no margin.")
    assert "see" not in small.sentence
    assert "is enough for that: it would show equivalence" in step(made, margin=0.1, budget=1000).sentence


def test_ties_as_halves_are_sized_by_the_tests_that_are_made(between):
    votes = between(33, 27, 40)
    found = step(margin_of_votes(votes, "x", "y", ties="half"))
    assert found.votes == pytest.approx(sample_size(0.05, method="exact") / 0.6, rel=0.01)
    assert step(margin_of_votes(between(50, 50, 100), "x", "y", ties="half"), margin=0.1).toward == "equivalence"
    assert step(margin_of_votes(between(0, 0, 5), "x", "y", ties="half")) is None


def test_ties_as_losses_make_nobody_worse(between):
    def against(*votes, **options):
        return step(margin_of_votes(between(*votes), "x", "y", ties="pessimistic"), **options)

    assert against(30, 28, 20, margin=0.4) is None  # trails by its ties alone, and is never shown equal
    assert against(24, 34, 20).votes == pytest.approx(sample_size(5 / 58, method="exact") * 78 / 58, rel=0.01)
    assert against(45, 20, 13).votes == sample_size(45 / 78 - 0.5, method="exact")


def test_words_of_hardly_any_votes(between):
    """One vote finds no margin, nor do three more, and the plan that it gives says what it rests on."""
    found = verdict_of_votes(between(1, 0), "x", "y", budget=3)
    assert "such votes may miss any margin, however large (power 0.9)" in found.sentence
    assert "That margin rests on 1 vote and may be almost any: a pilot takes 30 to 100." in found.sentence
    assert found.sentence.endswith("is not enough: it may miss any margin, however large.")
    assert "rests on" not in verdict_of_votes(between(6, 4), "x", "y").sentence
    assert "which rests on 1 vote and may be almost any" in feasibility(1, 1).sentence
    assert "rests on" not in feasibility(6, 10).sentence


def mean_power(votes, share, chance):
    """Power where each vote counts with the chance ``share``, by adding up the binomial law."""
    k = np.arange(votes + 1)
    mass = np.diff(binomial.lower_tail(k, votes, share), prepend=0.0)
    return float(mass @ chance(k))


@pytest.mark.slow
@given(st.floats(0.06, 0.5), st.floats(0.05, 1.0), st.sampled_from([0.01, 0.05]), st.sampled_from([0.8, 0.9, 0.95]))
def test_the_promised_power_is_kept_however_few_votes_and_however_many_ties(d, share, alpha, power):
    votes = SingleVotes(alpha, share).difference(d, power)
    assert mean_power(votes, share, lambda k: binomial.power(k, 0.5 + d, alpha)) >= power - 1e-6


@given(st.floats(0.15, 0.45), st.floats(0, 0.1), st.floats(0.2, 1.0))
def test_the_promised_power_is_kept_for_equivalence(margin, d, share):
    votes = SingleVotes(0.05, share).equivalence(margin, d, 0.9)

    def chance(k):
        return np.concatenate([[0.0], equivalence.power(k[1:], 0.5 + d, margin, 0.05)])

    assert mean_power(votes, share, chance) >= 0.9 - 1e-6


def test_the_normal_number_would_not_keep_it():
    d = 0.19
    assert binomial.power(sample_size(d, method="normal"), 0.5 + d, 0.05) < 0.9
    assert SingleVotes(0.05).difference(d, 0.9) == sample_size(d, method="exact")


def test_where_the_exact_search_ends_the_normal_number_is_taken():
    with pytest.raises(InvalidInput):
        sample_size(1e-5, method="exact")
    assert SingleVotes(0.05).difference(1e-5, 0.9) == sample_size(1e-5, method="normal")


def test_what_a_number_of_votes_does():
    half = SingleVotes(0.05, 0.5)
    assert half.seen(1000, 0.9) == detectable_margin(500, method="exact")
    assert half.seen(6, 0.9) is None
    assert half.chance(1000, 0.06, None) == pytest.approx(0.7507, abs=5e-5)
    assert half.chance(1000, 0.02, 0.1) == equivalence.power(500, 0.5 + 0.02, 0.1, 0.05)
    assert SingleVotes(0.05, 0.25, by_chance=False).difference(0.3, 0.9) == 4 * sample_size(0.3, method="exact")


def test_votes_that_count_are_left_to_chance_where_they_are_single(between):
    """A quarter of votes count; where prompts all say the same, as many count of each."""
    alone = margin_of_votes(between(24, 8), "x", "y")
    alike = margin_of_votes(between(24, 8, prompt=[*np.repeat(np.arange(8), 3), *range(8)]), "x", "y")
    assert (alike.exact, sample_size(0.25, method="exact")) == ((6, 8), 42)
    assert step(alike, counting=0.25).votes == 4 * 4 * 42 < 4 * step(alone, counting=0.25).votes


def test_ties_as_halves_are_left_out_of_a_difference_only():
    single = SingleVotes(0.05, 0.5)
    tied = TiedVotes(single, 0.5)
    assert tied.difference(0.1, 0.9) == single.difference(0.2, 0.9)
    assert tied.seen(1000, 0.9) == pytest.approx(0.5 * single.seen(1000, 0.9))
    assert tied.chance(300, 0.1, None) == single.chance(300, 0.2, None)
    votes = tied.equivalence(0.1, 0.02, 0.9)
    assert votes == np.ceil(equivalence_size(0.1, true_margin=0.02, method="normal") / 2)
    assert tied.chance(votes - 1, 0.02, 0.1) < 0.9 <= tied.chance(votes + 1, 0.02, 0.1)


def test_t_reach_has_the_power_asked_for():
    from scipy.special import nctdtr, stdtrit

    for df in (2.5, 20, 1e6):
        assert 1 - nctdtr(df, t_reach(df, 0.05, 0.9), stdtrit(df, 0.975)) == pytest.approx(0.9, abs=1e-6)
    assert t_reach(1e6, 0.05, 0.9) == pytest.approx(1.95996 + 1.28155, abs=1e-4)


def test_detectable(between):
    assert detectable(margin_of_votes(between(2, 1), "x", "y"), 0.05, 0.9) is None
    exact = detectable(margin_of_votes(between(250, 250), "x", "y"), 0.05, 0.9)
    half = detectable(margin_of_votes(between(250, 250), "x", "y", ties="half"), 0.05, 0.9)
    assert exact == pytest.approx(0.0734, abs=1e-4)
    assert half == pytest.approx(exact, rel=0.02)
    few = between(60, 40, prompt=[f"p{i % 4}" for i in range(100)])
    assert detectable(margin_of_votes(few, "x", "y"), 0.05, 0.9) is None


def studies(d, sizes, icc, **options):
    """Studies like one of known margin and variance."""
    n, p = np.asarray(sizes, dtype=float), 0.5 + d
    se = np.sqrt(p * (1 - p) * np.sum(n * (1 + (n - 1) * icc))) / n.sum()
    wins = np.round(n * p) + np.where(np.arange(len(n)) % 2, 1, -1) * (n > 1)
    found = margin_of_share(clustered.share(np.clip(wins, 0, n), n), "x", "y", cluster="prompt")
    return ClusteredVotes(replace(found, value=d, se=float(se)), n, 0.05, **options)


def clusters_of(made, votes):
    return round(votes * made.counting / made.sizes.mean())


def test_many_clusters_take_the_normal_number_and_two_more():
    made = studies(0.03, [4] * 400, 0.2)
    effect = 4 * 1600 * made.found.se**2
    assert made.difference(0.03, 0.9) / 4 == pytest.approx(sample_size(0.03, method="normal") * effect / 4 + 2, abs=1.5)


@pytest.mark.parametrize("d", [0.2, 0.4])
def test_few_clusters_are_as_many_as_draws_ask_for(d):
    made = studies(d, [10] * 100, 0.3)
    g = clusters_of(made, made.difference(d, 0.9))
    assert made.drawn(g, d, None) >= 0.9
    assert g >= 6  # fewer never show a difference at 5%


@pytest.mark.slow
def test_uneven_clusters_take_more():
    even, uneven = studies(0.3, [5] * 90, 0.2), studies(0.3, [1, 1, 13] * 30, 0.2)
    assert clusters_of(uneven, uneven.difference(0.3, 0.9)) > clusters_of(even, even.difference(0.3, 0.9))


def test_equivalence_takes_five_clusters_and_its_power():
    made = studies(0.0, [30] * 50, 0.02)
    g = clusters_of(made, made.equivalence(0.45, 0.0, 0.9))
    assert g >= 5
    assert made.drawn(g, 0.0, 0.45) >= 0.9
    assert made.chance(30 * 4, 0.0, 0.45) == 0


def test_what_a_number_of_votes_does_of_clustered_study():
    made = studies(0.1, [4] * 100, 0.2, counting=0.5)
    margin = made.seen(2000, 0.9)
    assert made.chance(2000, margin, None) == pytest.approx(0.9, abs=1e-4)
    assert made.seen(4 * 2 * 5, 0.9) is None
    assert made.chance(4 * 2 * 5, 0.4, None) == 0
    assert made.chance(2000, 0.01, 0.1) > made.chance(2000, 0.05, 0.1)


def test_a_study_of_the_same_size_has_the_power_of_its_own_t_test():
    """Noncentral t with the standard error and degrees of freedom seen; of equivalence by two tests one-sided."""
    made = studies(0.1, [4] * 100, 0.2, counting=0.5)
    df, se = made.found.df, made.found.se

    def beyond(distance, tail):
        return stats.nct.sf(stats.t.isf(tail, df), df, distance / se)

    assert made.chance(800, 0.08, None) == pytest.approx(beyond(0.08, 0.025), abs=1e-9)
    both = beyond(0.08, 0.05) + beyond(0.12, 0.05) - 1
    assert made.chance(800, 0.02, 0.1) == pytest.approx(both, abs=1e-9)
    assert 0.2 < both < 0.95


def test_two_votes_of_a_prompt_that_say_the_same_are_drawn_as_one():
    """The power of Student's t of 30 single votes, summed over the wins there can be."""
    wins = np.arange(31)
    share = wins / 30
    with np.errstate(divide="ignore", invalid="ignore"):
        shows = np.sqrt(29) * (share - 0.5) / np.sqrt(share * (1 - share)) > stats.t.isf(0.025, 29)
    power = stats.binom.pmf(wins, 30, 0.7)[shows].sum()
    assert studies(0.2, [2] * 60, 1.0).drawn(30, 0.2, None) == pytest.approx(power, abs=0.03)


def test_what_no_study_can_collect_is_refused():
    with pytest.raises(InvalidInput, match="2\\^53"):
        studies(0.1, [4] * 100, 0.2).difference(1e-9, 0.9)


def test_power_is_a_chance_however_far_the_margin_is_from_the_noise():
    made = studies(0.01, [50] * 200, 0.0001)
    chances = [made.chance(50 * g, d, 0.49) for g in range(5, 2000, 50) for d in (0.0, 0.01, 0.2, 0.48)]
    assert 0 <= min(chances) <= max(chances) <= 1


@pytest.mark.parametrize("margin", [None, 0.2, 0.49])
@pytest.mark.parametrize("most", [1, 12])
@pytest.mark.parametrize("groups", [4, 9])
def test_studies_at_once_are_judged_as_one_by_one(margin, most, groups):
    """Also where all clusters agree, or are single votes: there the tests are exact; and where they are too few."""
    rng = np.random.default_rng(most)
    sizes = rng.integers(1, most + 1, (80, groups)).astype(float)
    wins = rng.binomial(sizes.astype(int), rng.choice([0.5, 0.8, 1.0], (80, 1))).astype(float)
    made = studies(0.2, [6] * 30, 0.2)
    found = clustered.shares(wins, sizes)
    leads = [
        margin_of_share(clustered.share(*one), "a", "b", ties=made.found.ties, cluster="cluster")
        for one in zip(wins, sizes, strict=True)
    ]
    difference = [lead.value > 0 and lead.p_difference() <= made.alpha for lead in leads]
    alone = difference if margin is None else [lead.p_equivalence(margin) <= made.alpha for lead in leads]
    assert made._shown(found, margin).tolist() == alone
    assert 0 < sum(alone) < 80 or (margin == 0.2 and most == 1) or groups < 5
